//! The checks that the items of an answer name, in both dialects that have a place for
//! them.

#![expect(clippy::unwrap_used, reason = "a malformed answer fails its test")]

use review_schema::afp::{ResponseBody, read_response};
use review_schema::{Dialect, Mode, Options, parse_and_validate_with};
use review_types::{NamedCheck, TaskNumber};
use serde_json::{Value, json};

fn verdict_answer(check: &Value) -> Value {
    let score =
        json!({ "completeness": 90, "consistency": 85, "testability": 80, "architecture": 95 });
    let item = json!({ "section": "a", "issue": "b", "suggestion": "c", "check": check });
    json!({ "verdict": "needs_revision", "score": score, "feedback": [item] })
}

fn response(check: &Value) -> Value {
    let area = json!({ "id": "a0", "aspect": "a", "description": "b", "recommendation": "c" });
    json!({
        "protocol_version": "1.2",
        "iteration": 1,
        "status": "success",
        "feedback": {
            "confidence": { "level": "high", "justification": "j" },
            "positive_points": [],
            "areas_for_improvement": [area],
            "general_summary": "",
        },
        "review": { "verdict": "needs_revision", "evidence": { "a0": { "check": check } } },
    })
}

/// Returns the check of the only item of an answer.
fn named(dialect: Dialect, mode: Mode, answer: &Value) -> Option<NamedCheck> {
    let options = Options {
        dialect,
        mode,
        ..Options::default()
    };
    let parsed = parse_and_validate_with(answer.to_string(), &options).unwrap();
    let [item] = parsed.review.feedback() else {
        panic!("{answer}");
    };
    item.check().cloned()
}

#[test]
fn a_check_is_read_by_its_name_and_anything_else_is_none() {
    let check = |name: &str| Some(NamedCheck::Check(name.to_owned()));
    let rule = |name: &str| Some(NamedCheck::Rule(name.to_owned()));
    let task = Some(NamedCheck::Task(TaskNumber::new(3).unwrap()));
    for (value, expected) in [
        (json!({"rule": "B3"}), rule("B3")),
        (json!({"check": "unit"}), check("unit")),
        (json!({"task": 3}), task.clone()),
        (
            json!({"rule": null, "check": null, "task": 3}),
            task.clone(),
        ),
        (json!({"task": "3"}), task),
        (json!("unit"), check("unit")),
        (json!({"check": "rm -rf ."}), check("rm -rf .")),
        (Value::Null, None),
        (json!(""), None),
        (json!({"check": " "}), None),
        (json!({"task": 0}), None),
        (json!({"task": 1.5}), None),
        (json!({"command": "touch it"}), None),
        (json!(["unit"]), None),
        (json!(7), None),
    ] {
        for mode in [Mode::Tolerant, Mode::Strict] {
            let answers = [
                (Dialect::Verdict, verdict_answer(&value)),
                (Dialect::Afp, response(&value)),
            ];
            for (dialect, answer) in answers {
                let found = named(dialect, mode, &answer);
                assert_eq!(found, expected, "{value} in {dialect:?}, {mode:?}");
            }
        }
    }
}

#[test]
fn a_response_keeps_the_checks_of_its_areas() {
    let answer = response(&json!({"check": "unit"}));
    let read = read_response(answer.to_string().as_bytes()).unwrap();
    assert!(matches!(read.body, ResponseBody::Success(_)));
    let written = serde_json::to_value(&read).unwrap();
    let evidence = &written["review"]["evidence"]["a0"];
    assert_eq!(*evidence, json!({"check": {"check": "unit"}}));
}
