//! The byte ranges in a result, and the work that it took.

use review_schema::{
    Dialect, Options, RepairCode, measure, parse_and_validate, parse_and_validate_with,
};
use review_types::{CriterionName, Score, Verdict};

const SCORE: &str =
    r#""score": {"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95}"#;

fn pass() -> String {
    format!(r#"{{"verdict": "pass", {SCORE}}}"#)
}

#[test]
fn a_span_contains_the_object() {
    let answer = format!("Look:\n{}\nDone.", pass());
    let parsed = parse_and_validate(&answer).unwrap();
    assert_eq!(answer[parsed.span], pass());
}

#[test]
fn the_span_of_a_review_in_a_string_is_the_string() {
    let inner = serde_json::to_string(&format!("so: {},", pass())).unwrap();
    let answer = format!(r#"{{"id": 1, "result": {inner}}}"#);
    let parsed = parse_and_validate(&answer).unwrap();
    assert_eq!(answer[parsed.span], inner);
    assert_eq!(parsed.repairs[0].at, answer.find(&inner).unwrap());
}

#[test]
fn offsets_count_bytes_of_the_decoded_answer() {
    let object = format!("{{'verdict': \"pass\", {SCORE}}}");
    let answer = [b"no mark \xff here: \xff", object.as_bytes()].concat();
    let text = String::from_utf8_lossy(&answer);
    let parsed = parse_and_validate(&answer).unwrap();
    assert_eq!(text[parsed.span.clone()], object);
    let places: Vec<_> = parsed
        .repairs
        .iter()
        .map(|one| (one.code, one.at))
        .collect();
    assert_eq!(
        places,
        [
            (RepairCode::InvalidUtf8, 8),
            (RepairCode::SingleQuotes, parsed.span.start + 1),
        ],
    );
}

#[test]
fn an_error_has_its_byte() {
    for (answer, at) in [
        (r#"x {"verdict": "maybe"}"#.to_owned(), 14),
        (
            r#"{"verdict": "pass", "score": {"completeness": 150}}"#.to_owned(),
            46,
        ),
        (r#"{"verdict": "pass", "score": {}}"#.to_owned(), 29),
        (
            format!(r#"{{"verdict": "needs_revision", {SCORE}, "feedback": [1]}}"#),
            132,
        ),
        (
            format!(r#"  {{"verdict": "needs_revision", {SCORE}, "feedback": []}}"#),
            133,
        ),
        (format!(r#"  {{"verdict": "needs_revision", {SCORE}}}"#), 2),
        (r#"{"verdict": "pa"#.to_owned(), 15),
        (r#"{"verdict": oops}"#.to_owned(), 12),
    ] {
        assert_eq!(
            parse_and_validate(&answer).unwrap_err().at,
            Some(at),
            "{answer}"
        );
    }
}

#[test]
fn an_answer_that_is_cut_off_is_quoted_in_the_hint() {
    let answer = format!(r#"{{"verdict": "pass", {SCORE}, "feedback": [{{"section": "Go"#);
    let error = parse_and_validate(&answer).unwrap_err();
    assert_eq!(
        error.message,
        format!("invalid JSON: cut off at byte {}", answer.len())
    );
    let hint = error.hint.unwrap();
    assert!(hint.ends_with(r#""feedback": [{"section": "Go"#), "{hint}");
    assert_eq!(error.at, Some(answer.len()));
}

#[test]
fn the_display_of_an_error_has_its_field_and_message() {
    let error = parse_and_validate(r#"{"verdict": "pass"}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "schema validation failed: score - score object is required"
    );
}

#[test]
fn an_error_is_unchanged_by_json() {
    let error = parse_and_validate(r#"{"verdict": "pass", "score": {}}"#).unwrap_err();
    let json = serde_json::to_value(&error).unwrap();
    assert_eq!(json["field"], "score.completeness");
    assert_eq!(
        serde_json::from_value::<review_schema::SchemaError>(json).unwrap(),
        error
    );
}

#[test]
fn long_values_are_shortened_in_messages() {
    let answer = format!(r#"{{"verdict": "{}"}}"#, "é".repeat(500));
    let message = parse_and_validate(&answer).unwrap_err().message;
    assert_eq!(
        message,
        format!(
            "must be one of [pass needs_revision], got: {}…",
            "é".repeat(80)
        )
    );
}

#[test]
fn the_number_of_recorded_repairs_is_limited() {
    let answer = format!("{{{}\"verdict\": \"pass\", {SCORE}}}", "/**/".repeat(500));
    let parsed = parse_and_validate(&answer).unwrap();
    assert_eq!(parsed.repairs.len(), review_schema::Parsed::MAX_REPAIRS);
    assert!(parsed.repairs.iter().all(|repair| !repair.code.is_guess()));
}

#[test]
fn scores_and_feedback_are_unchanged() {
    let answer = format!(
        "{{\"verdict\": \"needs_revision\", {}, \"feedback\": [{{'section': 'A\\n', 'issue': 'it\\'s', 'suggestion': \"\\u00e9\"}}]}}",
        SCORE.replace("95", "\"95%\", \"security\": 7"),
    );
    let review = parse_and_validate(&answer).unwrap().review;
    assert_eq!(review.score().get("architecture"), Score::new(95).ok());
    assert_eq!(review.score().get("security"), Score::new(7).ok());
    assert_eq!(review.score().len(), 5);
    let item = &review.feedback()[0];
    assert_eq!(
        (item.section(), item.issue(), item.suggestion()),
        ("A\n", "it's", "é")
    );
}

#[test]
fn other_criteria_can_be_required() {
    let options = Options {
        criteria: vec![CriterionName::new("security").unwrap()],
        ..Options::default()
    };
    let read = |answer: &str| parse_and_validate_with(answer, &options);
    let parsed = read(r#"{"verdict": "pass", "score": {"security": 3}}"#).unwrap();
    assert_eq!(parsed.review.score().get("security"), Score::new(3).ok());
    let error = read(&pass()).unwrap_err();
    assert_eq!(error.field.to_string(), "score.security");
}

#[test]
fn a_document_that_escalates_is_marked() {
    let options = Options {
        dialect: Dialect::Actionable,
        ..Options::default()
    };
    let document = |verdict: &str, confidence: &str| {
        let item = r#"{"aspect": "clarity", "severity": "minor", "issue": "The limit of the queue is not given.", "location": {"type": "line", "reference": "7"}, "suggestion": {"action": "State the limit of the queue in entries", "rationale": "Readers then know how large it gets"}}"#;
        format!(
            r#"{{"id": "a-1", "timestamp": "2026-03-01T12:30:05Z", "iteration": {{"number": 1, "max": 1, "phase": "final"}}, "target": {{"type": "code", "path": "src/a.rs"}}, "feedback_items": [{item}], "overall_assessment": {{"score": 0.7, "verdict": "{verdict}", "summary": "The queue is sound, and one word about its limit is left to be said.", "confidence": {confidence}}}}}"#
        )
    };
    for (verdict, confidence, expected) in [
        ("accept", "0.5", (Verdict::Pass, false)),
        ("accept", "0.49", (Verdict::NeedsRevision, true)),
        ("escalate", "0.9", (Verdict::NeedsRevision, true)),
        ("refine", "0.1", (Verdict::NeedsRevision, false)),
        ("reject", "0.9", (Verdict::NeedsRevision, false)),
    ] {
        let parsed = parse_and_validate_with(document(verdict, confidence), &options).unwrap();
        let found = (parsed.review.verdict(), parsed.is_escalated());
        assert_eq!(found, expected, "{verdict} {confidence}");
        let item = &parsed.review.feedback()[0];
        assert_eq!(item.section(), "src/a.rs:7");
        assert_eq!(item.suggestion(), "State the limit of the queue in entries");
        assert!(parsed.document.is_some());
    }
}

#[test]
fn a_nesting_of_64_is_parsed_and_one_of_65_is_not() {
    // The object itself is the first level.
    let nested = |depth: usize| {
        let (open, close) = ("[".repeat(depth - 1), "]".repeat(depth - 1));
        format!(r#"{{"verdict": "pass", {SCORE}, "deep": {open}{close}}}"#)
    };
    assert!(parse_and_validate(nested(64)).is_ok());
    let error = parse_and_validate(nested(65)).unwrap_err();
    assert!(
        error
            .message
            .starts_with("invalid JSON: nested deeper than 64 levels"),
        "{error}"
    );
    assert_eq!(
        parse_and_validate(nested(100_000))
            .unwrap_err()
            .field
            .to_string(),
        "json"
    );
}

#[test]
fn too_many_answers_in_one_object_are_an_error() {
    let list = |count| format!(r#"{{"choices": [{}]}}"#, vec![pass(); count].join(","));
    assert!(parse_and_validate(list(1_024)).is_ok());
    let error = parse_and_validate(list(1_025)).unwrap_err();
    assert_eq!(error.message, "too many answers inside one object");
}

#[test]
fn only_the_first_few_malformed_objects_are_guessed_at() {
    let broken = |count| "{\"a\": 1 \"b\": oops}\n".repeat(count);
    let revision = format!(
        r#"{{"verdict": "needs_revision", {SCORE}, "feedback": [{{"section": "a", "issue": "b", "suggestion": "c"}}],..."#
    );
    assert!(parse_and_validate(broken(3) + &revision).is_ok());
    assert!(parse_and_validate(broken(4) + &revision).is_err());
}

#[test]
fn the_number_of_scores_of_other_criteria_is_limited() {
    let extra: Vec<_> = (0..1_002).map(|i| format!(", \"extra-{i}\": 1")).collect();
    let score = SCORE.replace('}', &format!("{}}}", extra.concat()));
    let parsed = parse_and_validate(format!(r#"{{"verdict": "pass", {score}}}"#)).unwrap();
    assert_eq!(parsed.review.score().len(), 1_004);
}

#[test]
fn the_limit_of_nesting_counts_every_object_and_list() {
    for (around, shape) in [
        (1, r#"{"deep": []}"#),
        (2, r#"{"deep": {"a": []}}"#),
        (2, r#"{"deep": [[]]}"#),
        (1, r#"{"result": []}"#),
        (2, r#"{"result": {"deep": []}}"#),
        (3, r#"{"result": {"result": {"deep": []}}}"#),
        (1, r#"{"error": []}"#),
        (1, r#"{"is_error": []}"#),
        (1, r#"{"verdict": []}"#),
        (2, r#"{"score": {"a": []}}"#),
        (1, r#"{"feedback": []}"#),
    ] {
        let is_too_deep = |depth: usize| {
            let lists = depth - around;
            let (open, close) = ("[".repeat(lists), "]".repeat(lists));
            let answer = shape.replace("[]", &format!("{open}{close}"));
            let error = parse_and_validate(answer).unwrap_err();
            error
                .message
                .starts_with("invalid JSON: nested deeper than 64 levels")
        };
        assert!(!is_too_deep(64), "{shape}");
        assert!(is_too_deep(65), "{shape}");
    }
}

#[test]
fn an_objection_to_a_pass_has_its_byte() {
    let pass = pass();
    let contrary = "verdict: needs_revision";
    for (answer, what) in [
        (
            format!("Hm, {contrary}, or\n{contrary}.\n{pass}"),
            "verdict: n",
        ),
        (format!("{pass}\nHm, {contrary}."), "verdict: n"),
        (
            format!("<think>a</think> Hm, {contrary}.\n{pass}"),
            "verdict: n",
        ),
        (format!("Hm: {{\"verdict\": \"reject\"}} {pass}"), "{"),
        (
            format!("Hm: {{\"verdict\": \"reject\"}} {{\"verdict\": \"reject\"}} {pass}"),
            "{",
        ),
        (format!("Hm: {{\"verdict\": reject}} {pass}"), "{"),
        (
            format!("{pass} Hm: \"{{\\\"verdict\\\": \\\"reject\\\"}}\""),
            "{\\",
        ),
        (
            format!("Hm: {{\"result\": \"so {contrary}\"}} {pass}"),
            "\"so",
        ),
    ] {
        let error = parse_and_validate(&answer).unwrap_err();
        assert_eq!(error.field.to_string(), "verdict", "{answer}");
        assert_eq!(error.at, answer.find(what), "{answer}");
    }
}

#[test]
fn work_counts_the_bytes_of_all_attempts() {
    for (answer, work) in [
        (r#"abc {"a": 1} def"#, 8),
        (r#"abc {"a": 1} {"b": 2}"#, 16),
        (r#"abc {"a": oops} def"#, 6),
        // The second attempt guesses.
        (r#"abc {"a": 1 "b": oops} def"#, 8 + 13),
        // The brace that is still open is not tried again.
        (r#"abc {"a": {"b" = 1}} def"#, 11 + 11),
        (r#"abc "{\"a\": 1}" def"#, 10),
    ] {
        assert_eq!(measure(answer, &Options::default()).work, work, "{answer}");
    }
}

#[test]
fn hopeless_objects_and_those_in_thinking_use_no_guess() {
    let hopeless = "{\"a\": oops}\n".repeat(5);
    let thinking = format!("<think>{}</think>", "{\"a\": 1 \"b\": oops}\n".repeat(5));
    let revision = format!(
        r#"{{"verdict": "needs_revision", {SCORE}, "feedback": [{{"section": "a", "issue": "b", "suggestion": "c"}}],..."#
    );
    for before in [hopeless, thinking] {
        assert!(parse_and_validate(before + &revision).is_ok());
    }
}

#[test]
fn only_an_id_that_is_a_string_of_the_answer_counts() {
    let named = |id: &str| pass().replacen('{', &format!(r#"{{"review_id": {id}, "#), 1);
    for (answer, has_review_id) in [
        (named(r#""5""#), true),
        (named("5"), false),
        (
            format!("<think>{}</think>{}", named(r#""5""#), pass()),
            false,
        ),
        (pass(), false),
    ] {
        let options = Options {
            review_id: Some("5".to_owned()),
            ..Options::default()
        };
        let parsed = parse_and_validate_with(&answer, &options).unwrap();
        assert_eq!(parsed.has_review_id, has_review_id, "{answer}");
    }
}
