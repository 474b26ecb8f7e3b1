//! A pass next to which something says that the call failed.

use review_schema::{Dialect, Options, SchemaError, parse_and_validate, parse_and_validate_with};
use review_types::Verdict;
use serde_json::{Value, json};

const SCORE: &str =
    r#""score": {"completeness": 90, "consistency": 90, "testability": 90, "architecture": 90}"#;

fn pass() -> String {
    format!(r#"{{"verdict": "pass", {SCORE}, "feedback": []}}"#)
}

fn revision() -> String {
    let item = r#"{"section": "a", "issue": "b", "suggestion": "c"}"#;
    format!(r#"{{"verdict": "needs_revision", {SCORE}, "feedback": [{item}]}}"#)
}

fn response() -> String {
    json!({
        "protocol_version": "1.2",
        "iteration": 1,
        "status": "success",
        "feedback": {
            "confidence": { "level": "high", "justification": "Read twice." },
            "positive_points": [],
            "areas_for_improvement": [],
            "general_summary": "Nothing is left to do.",
        },
    })
    .to_string()
}

fn document() -> String {
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
            "summary": "The document is complete and clear, and nothing is left to be stated.",
            "confidence": 0.8,
        },
    })
    .to_string()
}

fn read(answer: &str, dialect: Dialect) -> Result<Verdict, SchemaError> {
    let options = Options {
        dialect,
        ..Options::default()
    };
    parse_and_validate_with(answer, &options).map(|parsed| parsed.review.verdict())
}

/// Fields that say that a call failed.
fn failed() -> Vec<(&'static str, Value)> {
    let mut fields: Vec<(&str, Value)> = [
        "failed",
        "failure",
        "error",
        "timeout",
        "timed_out",
        "cancelled",
        "canceled",
        "aborted",
        "incomplete",
        "truncated",
        "refused",
        "rejected",
        "partial",
        "FAILED",
        "timed out",
    ]
    .map(|word| ("status", json!(word)))
    .to_vec();
    for key in ["finish_reason", "stop_reason", "finishReason"] {
        let stops = ["length", "max_tokens", "content_filter", "refusal", "error"];
        fields.extend(stops.map(|word| (key, json!(word))));
        fields.push((key, json!("MAX_TOKENS")));
    }
    for key in [
        "is_error",
        "isError",
        "cancelled",
        "truncated",
        "timed_out",
        "timedOut",
    ] {
        let values = [json!(true), json!("true"), json!("yes"), json!(1)];
        fields.extend(values.map(|value| (key, value)));
    }
    for key in [
        "failed",
        "failure",
        "timeout",
        "aborted",
        "incomplete",
        "refused",
        "rejected",
        "partial",
    ] {
        fields.extend([json!(true), json!("true"), json!("Yes")].map(|value| (key, value)));
    }
    for key in ["success", "ok", "succeeded", "completed"] {
        let values = [json!(false), json!("false"), json!("no"), json!(0)];
        fields.extend(values.map(|value| (key, value)));
    }
    for key in ["error", "errors"] {
        let values = [
            json!(true),
            json!("overloaded"),
            json!(["a"]),
            json!({"code": 1}),
            json!(7),
        ];
        fields.extend(values.map(|value| (key, value)));
    }
    for key in ["code", "status"] {
        let values = [json!(400), json!(500), json!(529.0), json!("503")];
        fields.extend(values.map(|value| (key, value)));
    }
    fields.extend([
        ("type", json!("error")),
        ("subtype", json!("error_max_turns")),
        ("subtype", json!("error_during_execution")),
        ("exit_code", json!(1)),
        ("exitCode", json!("2")),
        ("exit_status", json!(137)),
        ("returncode", json!(-9)),
        ("http_status", json!(500)),
        ("passed", json!(false)),
        ("interrupted", json!(true)),
        ("exception", json!("x")),
        ("refusal", json!("no")),
        ("incomplete_details", json!({"reason": "max_output_tokens"})),
    ]);
    fields
}

/// Fields of a call that ended normally, or that say nothing.
fn normal() -> Vec<(&'static str, Value)> {
    let mut fields: Vec<(&str, Value)> = [
        "success",
        "succeeded",
        "ok",
        "passed",
        "complete",
        "completed",
        "done",
        "finished",
        "final",
        "200",
        "Success",
    ]
    .map(|word| ("status", json!(word)))
    .to_vec();
    for key in ["finish_reason", "stop_reason"] {
        let stops = [
            "stop",
            "end_turn",
            "stop_sequence",
            "STOP",
            "eos",
            "tool_use",
            "tool_calls",
        ];
        fields.extend(stops.map(|word| (key, json!(word))));
    }
    for key in ["is_error", "cancelled", "truncated", "timed_out"] {
        let values = [json!(false), json!("false"), json!("no"), json!(0)];
        fields.extend(values.map(|value| (key, value)));
    }
    for key in ["success", "ok", "succeeded", "completed"] {
        let values = [json!(true), json!("true"), json!("yes"), json!(1)];
        fields.extend(values.map(|value| (key, value)));
    }
    // How many, which, and for how long.
    fields.extend([
        ("failed", json!(2)),
        ("partial", json!(["a"])),
        ("timeout", json!(600)),
        ("aborted", json!(false)),
        ("refusal", json!(null)),
        ("incomplete_details", json!(null)),
    ]);
    // In no list: other programs count and name with them.
    fields.extend([
        ("exit_code", json!(0)),
        ("http_status", json!(200)),
        ("subtype", json!("success")),
        ("finished", json!(false)),
        ("done", json!(false)),
    ]);
    for key in ["error", "errors"] {
        fields.extend([json!([]), json!({}), json!(0)].map(|value| (key, value)));
    }
    for key in ["code", "status"] {
        fields.extend([json!(0), json!(200), json!(399)].map(|value| (key, value)));
    }
    let keys = [
        "error",
        "errors",
        "is_error",
        "isError",
        "cancelled",
        "truncated",
        "timed_out",
        "code",
        "status",
        "finish_reason",
        "stop_reason",
    ];
    for key in keys {
        let empty = [json!(null), json!(""), json!(" "), json!(false)];
        fields.extend(empty.map(|value| (key, value)));
    }
    fields.extend([("type", json!("result")), ("type", json!("text"))]);
    fields
}

/// Fields that do not say how a call ended.
fn unknown() -> Vec<(&'static str, Value)> {
    vec![
        ("status", json!("weird")),
        ("status", json!("pass")),
        ("status", json!("in_progress")),
        ("status", json!({"code": 0})),
        ("finish_reason", json!("SAFETY")),
        ("stop_reason", json!("pause_turn")),
        ("stop_reason", json!(3)),
    ]
}

/// The places at which a field of a call may be: around the answer, around the string with
/// it, further out, before and after it, and in a line after it.
fn places(answer: &str, key: &str, value: &Value) -> Vec<String> {
    let string = Value::from(answer);
    let mut places = vec![
        format!(r#"{{"{key}": {value}, "result": {answer}}}"#),
        format!(r#"{{"result": {answer}, "{key}": {value}}}"#),
        format!(r#"{{"{key}": {value}, "result": {string}}}"#),
        format!(r#"{{"result": {{"content": [{{"text": {string}}}]}}, "{key}": {value}}}"#),
        format!(r#"{{"data": {{"{key}": {value}, "output": {answer}}}}}"#),
        format!("Here it is:\n```json\n{{\"{key}\": {value}, \"result\": {answer}}}\n```\n"),
    ];
    let kind = if key == "type" { "kind" } else { "type" };
    places.push(format!(
        "{answer}\n{{\"{kind}\": \"result\", \"{key}\": {value}}}"
    ));
    places.push(format!(
        "{{\"type\": \"text\", \"text\": {string}}}\n{{\"{kind}\": \"x\", \"{key}\": {value}, \"text\": \"\"}}"
    ));
    places
}

#[test]
fn every_field_that_says_that_the_call_failed_refuses_every_answer() {
    for (key, value) in failed() {
        for answer in [pass(), revision()] {
            for text in places(&answer, key, &value) {
                let error = parse_and_validate(&text).expect_err(&text);
                assert!(
                    error.message.contains("says that the call failed"),
                    "{text}: {error}"
                );
            }
        }
    }
}

#[test]
fn every_field_of_a_normal_end_leaves_the_answer() {
    for (key, value) in normal() {
        for (answer, verdict) in [
            (pass(), Verdict::Pass),
            (revision(), Verdict::NeedsRevision),
        ] {
            for text in places(&answer, key, &value) {
                assert_eq!(read(&text, Dialect::Verdict), Ok(verdict), "{text}");
            }
        }
    }
}

#[test]
fn a_word_that_is_in_no_list_refuses_a_pass_alone() {
    for (key, value) in unknown() {
        for text in places(&pass(), key, &value) {
            let error = parse_and_validate(&text).expect_err(&text);
            let expected = "does not say that the call ended normally";
            assert!(error.message.contains(expected), "{text}: {error}");
        }
        for text in places(&revision(), key, &value) {
            let verdict = read(&text, Dialect::Verdict);
            assert_eq!(verdict, Ok(Verdict::NeedsRevision), "{text}");
        }
    }
}

#[test]
fn responses_and_documents_are_refused_as_well() {
    for (answer, dialect) in [
        (response(), Dialect::Afp),
        (document(), Dialect::Actionable),
        (pass(), Dialect::Verdict),
    ] {
        assert_eq!(read(&answer, dialect), Ok(Verdict::Pass), "{answer}");
        for (key, value) in failed().into_iter().chain(unknown()) {
            for text in places(&answer, key, &value) {
                assert!(read(&text, dialect).is_err(), "{text}");
            }
        }
        for (key, value) in normal() {
            for text in places(&answer, key, &value) {
                assert_eq!(read(&text, dialect), Ok(Verdict::Pass), "{text}");
            }
        }
    }
}

#[test]
fn a_field_that_is_not_around_the_answer_says_nothing_about_it() {
    let (pass, revision) = (pass(), revision());
    let tool = r#"{"type": "user", "message": {"content": [{"type": "tool_result", "is_error": true, "content": "x"}]}}"#;
    for (text, verdict) in [
        (format!("{{\"type\": \"error\"}}\n{pass}"), Verdict::Pass),
        (
            format!("{{\"is_error\": true, \"result\": \"rate limit\"}}\n{pass}"),
            Verdict::Pass,
        ),
        (format!("{pass}\n{{\"code\": 500}}"), Verdict::Pass),
        (format!("{pass}\n{{\"error\": null}}"), Verdict::Pass),
        (
            format!("{revision}\n{{\"error\": \"late\"}}"),
            Verdict::NeedsRevision,
        ),
        (format!("{pass}\n{{\"status\": \"failed\"}}"), Verdict::Pass),
        (
            format!("{pass}\n{{\"type\": \"error\"}}\n{pass}"),
            Verdict::Pass,
        ),
        (format!("{tool}\n{pass}\n{tool}"), Verdict::Pass),
        (
            format!("<think>{{\"success\": false, \"result\": {revision}}}</think>{pass}"),
            Verdict::Pass,
        ),
        (
            revision.replacen('{', r#"{"status": "failed", "ok": false, "#, 1),
            Verdict::NeedsRevision,
        ),
        (
            pass.replacen('{', r#"{"status": "reviewed", "#, 1),
            Verdict::Pass,
        ),
    ] {
        assert_eq!(read(&text, Dialect::Verdict), Ok(verdict), "{text}");
    }
}

#[test]
fn a_pass_that_says_itself_that_it_failed_is_none() {
    for field in [
        r#""is_error": true"#,
        r#""success": false"#,
        r#""error": "x""#,
        r#""status": "failed""#,
        r#""stop_reason": "max_tokens""#,
    ] {
        for (answer, dialect) in [
            (pass(), Dialect::Verdict),
            (document(), Dialect::Actionable),
        ] {
            let text = answer.replacen('{', &format!("{{{field}, "), 1);
            assert!(read(&text, dialect).is_err(), "{text}");
        }
    }
}

#[test]
fn an_error_after_a_pass_refuses_it() {
    let pass = pass();
    for text in [
        format!("{pass}\n{{\"error\": \"late\"}}"),
        format!("{pass} {{\"error\": \"late\"}}"),
        format!("{pass}{{\"errors\": [\"late\"], \"code\": 500}}"),
        format!("{{\"result\": {pass}}}\n{{\"error\": {{\"message\": \"late\"}}}}"),
    ] {
        let error = parse_and_validate(&text).expect_err(&text);
        let expected = "a line after the answer does not say that the call ended normally";
        assert!(error.message.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn a_failed_call_beside_a_good_one_leaves_no_pass() {
    let (pass, revision) = (pass(), revision());
    for text in [
        format!("{{\"success\": false, \"result\": {pass}}}\n{pass}"),
        format!("{{\"success\": false, \"result\": {revision}}}\n{pass}"),
        format!(
            "{{\"choices\": [{{\"error\": \"overloaded\", \"result\": {revision}}}, {{\"result\": {pass}}}]}}"
        ),
        format!(
            "{pass}\n{{\"type\": \"a\", \"ok\": false}}\n{{\"type\": \"b\", \"status\": \"odd\"}}"
        ),
    ] {
        assert!(parse_and_validate(&text).is_err(), "{text}");
    }
}
