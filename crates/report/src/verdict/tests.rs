//! Answers, and what programs and users are told of them.

use review_schema::{Dialect, Options, parse_and_validate_with};
use serde_json::{Value as Json, json};

use super::*;
use crate::json::value;
use crate::style::plain;

const PASS: &str = r#"{"verdict":"pass","score":{"completeness":90,"consistency":80,"testability":70,"architecture":100},"feedback":[]}"#;
const REVISE: &str = r#"{"verdict":"needs_revision","score":{"completeness":50,"consistency":80,"testability":70,"architecture":100},"feedback":[{"section":"Limits","issue":"no number","suggestion":"say 10 MB"}]}"#;

/// An answer as it is read: its exit code, its JSON, and its text for users.
struct Read {
    code: u8,
    json: Json,
    text: String,
}

fn read_in(dialect: Dialect, answer: &str) -> Read {
    let options = Options {
        dialect,
        ..Options::default()
    };
    let reading = Reading(parse_and_validate_with(answer, &options));
    Read {
        code: reading.exit_code().get(),
        json: value(&reading),
        text: plain(&human(&reading)),
    }
}

fn read(answer: &str) -> Read {
    read_in(Dialect::Verdict, answer)
}

#[test]
fn a_pass_with_a_grave_item_is_none() {
    let with = |answer: &str, word: &str| {
        answer.replace("10 MB\"", &format!("10 MB\",\"severity\":\"{word}\""))
    };
    let pass = REVISE.replace("needs_revision", "pass");
    for (word, code) in [("critical", 1), ("major", 1), ("minor", 0)] {
        let read = read(&with(&pass, word));
        assert_eq!(read.code, code, "{word}");
        assert_eq!(read.json["ok"]["verdict"], "pass");
        assert_eq!(read.json["contradiction"] == true, code == 1, "{word}");
        assert_eq!(read.json["ok"]["feedback"][0]["severity"], word);
        let line = format!("not a pass: it accepts, but item 1 is {word}\n");
        assert_eq!(read.text.starts_with(&line), code == 1, "{}", read.text);
    }
    let blocker = read(&with(REVISE, "Blocker")).json;
    assert_eq!(blocker["ok"]["feedback"][0]["severity"], "critical");
    assert_eq!(blocker["repairs"][0]["code"], "word_form");
    let minor = read(&with(REVISE, "minor")).text;
    assert!(minor.contains("\n        severity: minor\n"), "{minor}");
    for answer in [&pass, REVISE] {
        let error = read(&with(answer, "catastrophic"));
        assert_eq!(error.code, 3);
        assert_eq!(error.json["err"], "feedback[0].severity");
        assert_eq!(
            error.json["message"],
            "must be one of [critical major minor suggestion], got: catastrophic"
        );
    }
}

#[test]
fn a_pass_that_is_supposed_or_denied_is_no_verdict() {
    for (answer, word) in [
        (
            "The answer would be @ if it were good, but it is not.",
            "would",
        ),
        ("I would have said @ but the limits are missing.", "would"),
        (
            "If the limits were named, the answer is\n```json\n@\n```\n",
            "if",
        ),
        ("This is not a @", "not"),
        ("Do not answer @", "not"),
        ("@ would be my answer if it were good.", "would"),
    ] {
        let error = read(&answer.replace('@', PASS));
        assert_eq!((error.code, &error.json["err"]), (3, &json!("verdict")));
        assert_eq!(
            error.json["message"],
            format!("the sentence around the pass puts it in doubt (\"{word}\")"),
            "{answer}"
        );
        assert_eq!(read(&answer.replace('@', REVISE)).code, 1, "{answer}");
    }
    let honest = "If you have questions, ask. Here is my verdict: @\nIt would be even better if a \
                  number were named.";
    let pass = read(&honest.replace('@', PASS));
    assert_eq!(pass.code, 0);
    assert!(pass.text.contains("\n  alone: false\n"), "{}", pass.text);
    assert!(!read(PASS).text.contains("alone"));
    assert_eq!(read(&honest.replace('@', REVISE)).code, 1);
}

/// A response of the protocol with these areas for improvement.
fn response(areas: &str) -> String {
    format!(
        r#"{{"protocol_version":"1.2","iteration":1,"status":"success","feedback":{{"confidence":{{"level":"high","justification":"read"}},"positive_points":[],"areas_for_improvement":[{areas}],"general_summary":"short"}}}}"#
    )
}

#[test]
fn a_response_of_the_protocol_needs_no_scores() {
    let pass = read_in(Dialect::Afp, &response(""));
    assert_eq!(pass.code, 0);
    assert_eq!(
        pass.json,
        json!({"ok": {"verdict": "pass", "score": {}, "feedback": []}, "repairs": []})
    );
    assert_eq!(
        pass.text,
        "pass, without scores\n  ok:\n    verdict: pass\n"
    );
    let area = r#"{"id":"limits-01","aspect":"Limits","description":"no number","recommendation":"say 10 MB"}"#;
    let revised = read_in(Dialect::Afp, &response(area));
    assert_eq!(revised.code, 1);
    assert_eq!(
        revised.json["ok"]["feedback"],
        json!([{
            "id": "limits-01",
            "section": "Limits",
            "issue": "no number",
            "suggestion": "say 10 MB",
        }])
    );
    let unsure = read_in(Dialect::Afp, &response("").replace("\"high\"", "\"sure\""));
    assert_eq!(unsure.json["err"], "feedback.confidence.level");
    assert_eq!(read(&response("")).code, 3);
}

#[test]
fn what_is_wrong_with_a_response_is_named_once_as_the_protocol_names_it() {
    let without = area_without_description();
    for (answer, part) in [
        (
            r#"{"protocol_version":"1.2","iteration":1,"status":"error","error":{"code":"","message":"m"}}"#,
            "an error without a code: m",
        ),
        (
            &*without,
            "no verdict: feedback.areas_for_improvement[0].description: is missing",
        ),
    ] {
        let read = read_in(Dialect::Afp, answer);
        assert_eq!(read.code, 3);
        assert_eq!(read.text.matches(part).count(), 1, "{}", read.text);
    }
}

fn area_without_description() -> String {
    response(r#"{"id":"a","aspect":"Limits","recommendation":"say 10 MB"}"#)
}

#[test]
fn a_response_with_an_error_anywhere_is_no_pass() {
    let with = |in_feedback: &str, beside: &str| {
        let inside = response("").replace("\"short\"", &format!("\"short\"{in_feedback}"));
        format!("{}{beside}}}", inside.strip_suffix('}').unwrap())
    };
    for (in_feedback, beside, named) in [
        (
            "",
            r#","error":{"code":"INTERNAL_ERROR","message":"boom"}"#,
            "error: INTERNAL_ERROR: boom",
        ),
        (
            "",
            r#","errors":[{"code":"INTERNAL_ERROR","message":"boom"}]"#,
            "errors: must be empty",
        ),
        (
            r#","error":{"code":"INTERNAL_ERROR","message":"boom"}"#,
            "",
            "error: must be empty",
        ),
        (r#","errors":["boom"]"#, "", "errors: must be empty"),
    ] {
        let read = read_in(Dialect::Afp, &with(in_feedback, beside));
        assert_eq!(read.code, 3, "{named}");
        assert!(read.text.contains(named), "{named}: {}", read.text);
    }
    for (in_feedback, beside) in [("", r#","error":null,"errors":[]"#), (r#","error":"""#, "")] {
        let read = read_in(Dialect::Afp, &with(in_feedback, beside));
        assert_eq!(read.code, 0, "{}", read.text);
    }
}

#[test]
fn control_characters_of_an_answer_are_not_shown() {
    let answer = REVISE.replace("no number", "\\u001b[2Jgone");
    let options = Options::default();
    let text = human(&Reading(parse_and_validate_with(&answer, &options)));
    assert!(text.contains("\u{fffd}[2Jgone"), "{text:?}");
}

#[test]
fn a_document_may_leave_the_decision_to_a_user() {
    let document = |verdict: &str| {
        let document = json!({
            "id": "fb-1",
            "timestamp": "2026-03-01T12:30:05Z",
            "iteration": { "number": 1, "max": 1, "phase": "final" },
            "target": { "type": "code", "path": "src/a.rs" },
            "feedback_items": [{
                "aspect": "completeness",
                "severity": "minor",
                "score": 0.75,
                "issue": "The limit of the queue is not given.",
                "location": { "type": "line", "reference": "7" },
                "suggestion": {
                    "action": "State the limit of the queue in entries",
                    "rationale": "Readers then know how large it gets",
                },
            }],
            "overall_assessment": {
                "score": 0.7,
                "verdict": verdict,
                "summary": "The queue is sound, and one word about its limit is left to be said.",
            },
        });
        document.to_string()
    };
    let read = |answer: &str| read_in(Dialect::Actionable, answer);
    let escalated = read(&document("escalate"));
    assert_eq!(escalated.code, 1);
    assert_eq!(escalated.json["ok"]["verdict"], "needs_revision");
    assert_eq!(escalated.json["escalated"], true);
    let head = "needs_revision, left to a user\n";
    assert!(escalated.text.starts_with(head), "{}", escalated.text);
    let accepted = read(&document("accept"));
    assert_eq!(accepted.code, 0);
    let expected = json!({
        "ok": {
            "verdict": "pass",
            "score": { "completeness": 75 },
            "feedback": [{
                "section": "src/a.rs:7",
                "issue": "The limit of the queue is not given.",
                "suggestion": "State the limit of the queue in entries",
                "severity": "minor",
                "details": {
                    "aspect": "completeness",
                    "rationale": "Readers then know how large it gets",
                },
            }],
        },
        "repairs": [],
    });
    assert_eq!(accepted.json, expected);
    let refined = read(&document("refine"));
    assert_eq!((refined.code, &refined.json["escalated"]), (1, &Json::Null));
    let critical = read(&document("accept").replace("\"minor\"", "\"critical\""));
    assert_eq!(critical.code, 1);
    assert_eq!(critical.json["ok"]["verdict"], "pass");
    assert_eq!(critical.json["ok"]["feedback"][0]["severity"], "critical");
}

#[test]
fn a_wrapper_that_failed_holds_no_verdict() {
    let text = Json::from(PASS);
    for (answer, code) in [
        (format!(r#"{{"success":false,"result":{PASS}}}"#), 3),
        (
            format!(r#"{{"isError":true,"content":[{{"type":"text","text":{text}}}]}}"#),
            3,
        ),
        (format!(r#"{{"status":"timeout","output":{text}}}"#), 3),
        (
            format!("{PASS}\n{{\"type\":\"result\",\"subtype\":\"error\",\"is_error\":true}}"),
            3,
        ),
        (format!(r#"{{"aborted":true,"result":{PASS}}}"#), 3),
        (format!(r#"{{"completed":false,"result":{text}}}"#), 3),
        (format!(r#"{{"is_error":"yes","result":{text}}}"#), 3),
        (format!(r#"{{"success":true,"result":{PASS}}}"#), 0),
        (
            format!(
                "{PASS}\n{{\"type\":\"result\",\"is_error\":false,\"stop_reason\":\"end_turn\"}}"
            ),
            0,
        ),
    ] {
        let read = read(&answer);
        assert_eq!(read.code, code, "{answer}");
        let says = read.text.contains("says that the call failed");
        assert_eq!(says, code == 3, "{answer}: {}", read.text);
    }
}
