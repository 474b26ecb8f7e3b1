//! Task 2: from the reviewer's answer to a checked review.

use review::schema::{SchemaError, extract_json, parse_and_validate};
use review::types::Verdict;

use crate::support::{needs_revision, pass};

fn error(text: &str) -> SchemaError {
    parse_and_validate(text).expect_err("the answer breaks the schema")
}

fn field(text: &str) -> String {
    error(text).field.to_string()
}

#[test]
fn parse_and_validate_valid_pass() {
    let review = parse_and_validate(pass()).unwrap().review;
    assert_eq!(review.verdict(), Verdict::Pass);
    let completeness = review.score().get("completeness").unwrap();
    assert_eq!(completeness.get(), 90);
}

#[test]
fn parse_and_validate_valid_needs_revision() {
    let review = parse_and_validate(needs_revision()).unwrap().review;
    assert_eq!(review.verdict(), Verdict::NeedsRevision);
    let sections: Vec<_> = review
        .feedback()
        .iter()
        .map(|item| item.section())
        .collect();
    assert_eq!(sections, ["API"]);
}

#[test]
fn parse_and_validate_invalid_verdict() {
    let error = error(&pass().replace("\"pass\"", "\"maybe\""));
    assert_eq!(
        error.to_string(),
        "schema validation failed: verdict - must be one of [pass needs_revision], got: maybe"
    );
}

#[test]
fn parse_and_validate_missing_score() {
    let error = error(r#"{"verdict": "pass", "feedback": []}"#);
    assert_eq!(
        error.to_string(),
        "schema validation failed: score - score object is required"
    );
}

#[test]
fn parse_and_validate_needs_revision_without_feedback() {
    let error = error(&pass().replace("\"pass\"", "\"needs_revision\""));
    assert_eq!(
        error.to_string(),
        "schema validation failed: feedback - at least one feedback item required when verdict is needs_revision"
    );
}

#[test]
fn parse_and_validate_extracts_json_from_text() {
    let text = format!(
        "Here is my {{review}}:\n```json\n{}\n```\nThat is all.",
        pass()
    );
    assert_eq!(
        parse_and_validate(text).unwrap().review.verdict(),
        Verdict::Pass
    );
}

#[test]
fn parse_and_validate_score_out_of_range() {
    for (bad, got) in [("150", "got 150"), ("-10", "got -10")] {
        let error = error(&pass().replace("95", bad));
        assert_eq!(error.field.to_string(), "score.testability");
        assert!(error.message.to_string().contains("0-100"), "{error}");
        assert!(error.message.to_string().ends_with(got), "{error}");
    }
}

#[test]
fn parse_and_validate_missing_criterion() {
    let without = pass().replace(r#", "architecture": 80"#, "");
    assert_eq!(
        error(&without).to_string(),
        "schema validation failed: score.architecture - required criterion missing"
    );
}

#[test]
fn extract_json_no_json() {
    assert_eq!(extract_json("no object in here, { not even this"), None);
}

#[test]
fn extract_json_valid_json() {
    let text = r#"before {"a": {"b": "}"}, "c": [1]} after"#;
    assert_eq!(extract_json(text), Some(r#"{"a": {"b": "}"}, "c": [1]}"#));
}

#[test]
fn the_first_violated_rule_is_reported() {
    let item = r#"{"section": "s", "issue": " ", "suggestion": ""}"#;
    let revision = needs_revision();
    let table = [
        ("nothing here".to_owned(), "json"),
        (String::new(), "json"),
        (r#"{"verdict": "maybe"}"#.to_owned(), "verdict"),
        (r#"{"verdict": "pass", "score": null}"#.to_owned(), "score"),
        (
            r#"{"verdict": "pass", "score": {"completeness": 101}}"#.to_owned(),
            "score.completeness",
        ),
        (
            revision.replace(
                r#"{"section": "API", "issue": "no error codes", "suggestion": "list them"}"#,
                item,
            ),
            "feedback[0].issue",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(field(&text), expected, "{text}");
    }
}
