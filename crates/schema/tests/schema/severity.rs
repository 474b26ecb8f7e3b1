//! The severities of the items of an answer, in every dialect.

#![expect(clippy::unwrap_used, reason = "a malformed answer fails its test")]

use review_schema::afp::{ResponseBody, read_response};
use review_schema::{Dialect, Options, Parsed, parse_and_validate_with};
use review_types::Severity::{self, Critical, Major, Minor, Suggestion};
use review_types::{Aspect, FeedbackId, FeedbackItem, Verdict};
use serde_json::{Value, json};

fn score() -> Value {
    json!({ "completeness": 90, "consistency": 85, "testability": 80, "architecture": 95 })
}

fn verdict_answer(severities: &[Value]) -> Value {
    let item =
        |severity| json!({ "section": "a", "issue": "b", "suggestion": "c", "severity": severity });
    let feedback: Vec<_> = severities.iter().map(item).collect();
    json!({ "verdict": "pass", "score": score(), "feedback": feedback })
}

/// Returns a response whose areas are `a0`, `a1`, … with evidence on each.
fn response(severities: &[Value]) -> Value {
    let id = |index| format!("a{index}");
    let area = |index| json!({ "id": id(index), "aspect": "a", "description": "b", "recommendation": "c" });
    let areas: Vec<_> = (0..severities.len()).map(area).collect();
    let evidence: serde_json::Map<_, _> = severities
        .iter()
        .enumerate()
        .map(|(index, severity)| (id(index), json!({ "severity": severity, "quote": "q" })))
        .collect();
    json!({
        "protocol_version": "1.2",
        "iteration": 1,
        "status": "success",
        "feedback": {
            "confidence": { "level": "high", "justification": "j" },
            "positive_points": [],
            "areas_for_improvement": areas,
            "general_summary": "",
        },
        "review": { "verdict": "pass", "score": score(), "evidence": evidence },
    })
}

fn document(severities: &[Value]) -> Value {
    let item = |severity| {
        json!({
            "aspect": "clarity",
            "severity": severity,
            "issue": "The limit of the queue is not given.",
            "location": { "type": "line", "reference": "7" },
            "suggestion": {
                "action": "State the limit of the queue in entries",
                "rationale": "Readers then know how large it gets",
            },
        })
    };
    let items: Vec<_> = severities.iter().map(item).collect();
    json!({
        "id": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3",
        "timestamp": "2026-03-01T12:30:05Z",
        "iteration": { "number": 1, "max": 3, "phase": "initial" },
        "target": { "type": "code", "path": "src/a.rs" },
        "feedback_items": items,
        "overall_assessment": {
            "score": 0.9,
            "verdict": "accept",
            "summary": "The queue is sound, and one word about its limit is left to be said.",
        },
    })
}

/// Returns the severities of an answer that passes.
fn severities(dialect: Dialect, answer: &Value) -> Vec<Option<Severity>> {
    let options = Options {
        dialect,
        ..Options::default()
    };
    let review = parse_and_validate_with(answer.to_string(), &options)
        .unwrap()
        .review;
    assert_eq!(review.verdict(), Verdict::Pass, "{answer}");
    review
        .feedback()
        .iter()
        .map(FeedbackItem::severity)
        .collect()
}

#[test]
fn every_dialect_keeps_the_severity_of_each_item() {
    let words = Severity::WORDS.iter().map(|word| json!(word));
    let words: Vec<_> = words.collect();
    let all = [Critical, Major, Minor, Suggestion].map(Some);
    assert_eq!(severities(Dialect::Verdict, &verdict_answer(&words)), all);
    assert_eq!(severities(Dialect::Afp, &response(&words)), all);
    assert_eq!(severities(Dialect::Actionable, &document(&words)), all);
}

#[test]
fn words_of_other_scales_have_their_most_severe_meaning() {
    let words = ["HIGH", "warning", "nit", "optional"].map(|word| json!(word));
    let all = [Critical, Major, Minor, Suggestion].map(Some);
    assert_eq!(severities(Dialect::Verdict, &verdict_answer(&words)), all);
    assert_eq!(severities(Dialect::Afp, &response(&words)), all);
}

#[test]
fn a_missing_severity_stays_open() {
    let words = [Value::Null, json!(" ")];
    assert_eq!(
        severities(Dialect::Verdict, &verdict_answer(&words)),
        [None; 2]
    );
    assert_eq!(severities(Dialect::Afp, &response(&words)), [None; 2]);
}

#[test]
fn the_highest_severity_of_an_area_counts() {
    for (of_area, of_evidence, expected) in [
        (json!("critical"), Value::Null, Critical),
        (json!("critical"), json!("minor"), Critical),
        (json!("suggestion"), json!("major"), Major),
    ] {
        let mut answer = response(&[of_evidence]);
        answer["feedback"]["areas_for_improvement"][0]["severity"] = of_area;
        assert_eq!(
            severities(Dialect::Afp, &answer),
            [Some(expected)],
            "{answer}"
        );
    }
}

#[test]
fn a_response_of_a_program_may_only_use_the_four_words() {
    let read = |answer: &Value| read_response(answer.to_string().as_bytes());
    let answer = response(&[json!("critical"), Value::Null]);
    let ResponseBody::Success(success) = read(&answer).unwrap().body else {
        panic!("{answer} is a success");
    };
    let areas = success.feedback().areas_for_improvement.as_slice();
    assert_eq!(
        [areas[0].severity(), areas[1].severity()],
        [Some(Critical), None]
    );
    for word in ["Critical", "high", "catastrophic", " "] {
        let error = read(&response(&[json!(word)])).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "schema validation failed: feedback.areas_for_improvement[0].severity - must be one of [critical major minor suggestion], got: {word}"
            )
        );
    }
    // Outside the extension the protocol has no such field.
    let mut answer = response(&[Value::Null]);
    answer["feedback"]["areas_for_improvement"][0]["severity"] = json!("critical");
    let ResponseBody::Success(success) = read(&answer).unwrap().body else {
        panic!("{answer} is a success");
    };
    let areas = success.feedback().areas_for_improvement.as_slice();
    assert_eq!(areas[0].severity(), None);
}

#[test]
fn an_item_of_a_verdict_keeps_its_aspect() {
    let mut answer = verdict_answer(&vec![json!("minor"); 4]);
    answer["feedback"][0]["aspect"] = json!("Security");
    answer["feedback"][1]["details"] = json!({"aspect": "clarity"});
    answer["feedback"][2]["aspect"] = json!("odd");
    let read = parse_and_validate_with(answer.to_string(), &Options::default()).unwrap();
    let items = read.review.feedback().iter();
    let aspects: Vec<_> = items
        .map(|item| item.details().and_then(|details| details.aspect))
        .collect();
    let expected = [Some(Aspect::Security), Some(Aspect::Clarity), None, None];
    assert_eq!(aspects, expected);
}

#[test]
fn an_item_that_names_a_known_finding_has_its_id() {
    let mut answer = verdict_answer(&vec![json!("minor"); 4]);
    answer["feedback"][0]["finding"] = json!("f-000000000002");
    answer["feedback"][1]["finding"] = json!("f-000000000009");
    answer["feedback"][2]["finding"] = json!(7);
    let options = Options {
        findings: ["f-000000000001", "f-000000000002"]
            .map(|id| FeedbackId::new(id).unwrap())
            .to_vec(),
        ..Options::default()
    };
    let read = parse_and_validate_with(answer.to_string(), &options).unwrap();
    let ids = |parsed: &Parsed| -> Vec<_> {
        let items = parsed.review.feedback().iter();
        items
            .map(|item| item.id().map(ToString::to_string))
            .collect()
    };
    let named = Some("f-000000000002".to_owned());
    assert_eq!(ids(&read), [named, None, None, None]);
    let unasked = parse_and_validate_with(answer.to_string(), &Options::default()).unwrap();
    assert_eq!(ids(&unasked), [None, None, None, None]);
}
