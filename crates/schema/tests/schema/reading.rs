//! The answers to questions about the artifact, in the dialects that are asked in prose.

#![expect(clippy::unwrap_used, reason = "a malformed answer fails its test")]

use std::collections::BTreeMap;

use review_schema::{Dialect, Mode, Options, parse_and_validate_with};
use serde_json::{Value, json};

fn verdict_answer() -> Value {
    let score =
        json!({ "completeness": 90, "consistency": 85, "testability": 80, "architecture": 95 });
    json!({ "verdict": "pass", "score": score, "feedback": [] })
}

fn document() -> Value {
    json!({
        "id": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3",
        "timestamp": "2026-03-01T12:30:05Z",
        "iteration": { "number": 1, "max": 3, "phase": "initial" },
        "target": { "type": "document", "path": "specs/DEMO.md" },
        "feedback_items": [{
            "aspect": "clarity",
            "severity": "minor",
            "issue": "The limit of the queue is not given.",
            "location": { "type": "line", "reference": "7" },
            "suggestion": {
                "action": "State the limit of the queue in entries",
                "rationale": "Readers then know how large it gets",
                "priority": 3,
            },
        }],
        "overall_assessment": {
            "score": 0.9,
            "verdict": "accept",
            "summary": "The document is complete and clear, and one limit is left to be stated.",
            "confidence": 0.8,
        },
    })
}

fn read(answer: &Value, dialect: Dialect, mode: Mode) -> Option<BTreeMap<usize, String>> {
    let options = Options {
        dialect,
        mode,
        ..Options::default()
    };
    parse_and_validate_with(answer.to_string(), &options)
        .unwrap()
        .reading
}

#[test]
fn the_answers_are_read_by_the_numbers_of_the_questions() {
    let some = |entries: &[(usize, &str)]| {
        let entries = entries.iter();
        Some(
            entries
                .map(|(number, text)| (*number, (*text).to_owned()))
                .collect(),
        )
    };
    for (reading, expected) in [
        (
            json!({"1": "the p99 is", "2": null, "6": "of a"}),
            some(&[(1, "the p99 is"), (6, "of a")]),
        ),
        (
            json!(["one", null, "three"]),
            some(&[(1, "one"), (3, "three")]),
        ),
        (
            json!({"a": "one", "2": 7, " 3 ": "three"}),
            some(&[(3, "three")]),
        ),
        (json!({}), some(&[])),
        (Value::Null, None),
        (json!("all of it"), None),
        (json!(true), None),
    ] {
        for (answer, dialect) in [
            (verdict_answer(), Dialect::Verdict),
            (document(), Dialect::Actionable),
        ] {
            for mode in [Mode::Strict, Mode::Tolerant] {
                let mut answer = answer.clone();
                assert_eq!(read(&answer, dialect, mode), None);
                answer["reading"] = reading.clone();
                assert_eq!(
                    read(&answer, dialect, mode),
                    expected,
                    "{dialect} {reading}"
                );
            }
        }
    }
}

#[test]
fn an_object_with_nothing_but_answers_to_questions_is_no_review() {
    let text = format!("{}\n{}", verdict_answer(), json!({"reading": {"1": "one"}}));
    let parsed = parse_and_validate_with(text, &Options::default()).unwrap();
    assert_eq!((parsed.candidates, parsed.reading), (1, None));
}
