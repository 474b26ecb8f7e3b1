//! `ralph verdict`.

use serde_json::{Value, json};

use crate::scripted::{Scripted, filled, named_pass};
use crate::support::{Ran, TestEnvironment};

const PASS: &str = r#"{"verdict":"pass","score":{"completeness":90,"consistency":80,"testability":70,"architecture":100},"feedback":[]}"#;
const REVISE: &str = r#"{"verdict":"needs_revision","score":{"completeness":50,"consistency":80,"testability":70,"architecture":100},"feedback":[{"section":"Limits","issue":"no number","suggestion":"say 10 MB"}]}"#;

fn read(answer: &str, arguments: &[&str]) -> Ran {
    let environment = TestEnvironment::new();
    let arguments = [&["verdict"], arguments].concat();
    environment.command(arguments).stdin(answer).run()
}

#[test]
fn a_pass_is_0_and_shows_its_repairs() {
    let answer = format!(
        "Here you are:\n```json\n{}\n```\n",
        PASS.replace("[]}", "[],}")
    );
    let ran = read(&answer, &["--format", "json"]).exits(0);
    assert_eq!(
        ran.json(),
        json!({
            "v": 1,
            "alone": false,
            "ok": {
                "verdict": "pass",
                "score": { "completeness": 90, "consistency": 80, "testability": 70, "architecture": 100 },
                "feedback": [],
            },
            "repairs": [{ "code": "trailing_comma", "at": 134, "class": "lossless" }],
        })
    );
    assert_eq!(
        read(&answer, &[]).exits(0).stdout,
        "pass\n\
         \x20 alone: false\n\
         \x20 ok:\n\
         \x20   score:\n\
         \x20     architecture: 100\n\
         \x20     completeness: 90\n\
         \x20     consistency: 80\n\
         \x20     testability: 70\n\
         \x20   verdict: pass\n\
         \x20 repairs:\n\
         \x20   - at: 134\n\
         \x20     class: lossless\n\
         \x20     code: trailing_comma\n"
    );
}

#[test]
fn a_revision_is_1_and_shows_its_feedback() {
    let ran = read(REVISE, &["--format", "json"]).exits(1);
    assert_eq!(
        ran.json()["ok"]["feedback"],
        json!([{ "section": "Limits", "issue": "no number", "suggestion": "say 10 MB" }])
    );
    let human = read(REVISE, &[]).exits(1).stdout;
    assert!(human.starts_with("needs_revision\n"), "{human}");
    let item = "    feedback:\n      - issue: no number\n        section: Limits\n        \
                suggestion: say 10 MB\n";
    assert!(human.contains(item), "{human}");
}

#[test]
fn the_severity_of_an_item_is_kept_as_it_was_said() {
    let with = |answer: &str, word: &str| {
        answer.replace("10 MB\"", &format!("10 MB\",\"severity\":\"{word}\""))
    };
    let pass = with(&REVISE.replace("needs_revision", "pass"), "critical");
    let ran = read(&pass, &["--format", "json"]).exits(1).json();
    assert_eq!(ran["ok"]["verdict"], "pass");
    assert_eq!(ran["contradiction"], true);
    assert_eq!(ran["ok"]["feedback"][0]["severity"], "critical");
    let ran = read(&with(REVISE, "Blocker"), &["--format", "json"])
        .exits(1)
        .json();
    assert_eq!(ran["ok"]["feedback"][0]["severity"], "critical");
    assert_eq!(ran["repairs"][0]["code"], "word_form");
    let human = read(&with(REVISE, "minor"), &[]).exits(1).stdout;
    assert!(human.contains("\n        severity: minor\n"), "{human}");
    for answer in [&pass, REVISE] {
        let unknown = with(answer, "catastrophic").replace(",\"severity\":\"critical\"", "");
        let error = read(&unknown, &["--format", "json"]).exits(3).json();
        assert_eq!(error["err"], "feedback[0].severity");
        assert_eq!(
            error["message"],
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
        let passes = answer.replace('@', PASS);
        let error = read(&passes, &["--format", "json"]).exits(3).json();
        assert_eq!(error["err"], "verdict", "{answer}");
        assert_eq!(
            error["message"],
            format!("the sentence around the pass puts it in doubt (\"{word}\")"),
            "{answer}"
        );
        read(&answer.replace('@', REVISE), &[]).exits(1);
    }
    let honest = "If you have questions, ask. Here is my verdict: @\nIt would be even better if a number were named.";
    let read_as = read(&honest.replace('@', PASS), &[]).exits(0).stdout;
    assert!(read_as.contains("\n  alone: false\n"), "{read_as}");
    let alone = read(PASS, &[]).exits(0).stdout;
    assert!(!alone.contains("alone"), "{alone}");
    read(&honest.replace('@', REVISE), &[]).exits(1);
}

#[test]
fn no_verdict_is_3_and_names_the_field() {
    for (answer, field) in [
        ("", "json"),
        ("I like it.", "json"),
        (r#"{"verdict":"passed"}"#, "verdict"),
        (r#"{"verdict":"pass"}"#, "score"),
        (&PASS.replace("100", "101"), "score.architecture"),
        (&REVISE.replace("no number", " "), "feedback[0].issue"),
    ] {
        let ran = read(answer, &["--format", "json"]).exits(3);
        let error = ran.json();
        assert_eq!(error["err"], field, "{answer}");
        assert!(
            error["message"].is_string() && error.get("at").is_some(),
            "{error}"
        );
        assert_eq!(error.get("ok"), None);
        let human = read(answer, &[]).exits(3).stdout;
        assert!(
            human.starts_with(&format!("no verdict: {field}: ")),
            "{human}"
        );
    }
}

#[test]
fn a_file_is_read_like_standard_input() {
    let environment = TestEnvironment::new();
    environment.write("answers/one.txt", PASS);
    environment.ralph(["verdict", "answers/one.txt"]).exits(0);
    environment
        .command(["verdict", "one.txt"])
        .in_folder("answers")
        .run()
        .exits(0);
    environment
        .command(["verdict", "-"])
        .stdin(REVISE)
        .run()
        .exits(1);
    let missing = environment.ralph(["verdict", "none.txt"]).exits(2);
    assert!(
        missing
            .stderr
            .starts_with("error: cannot read none.txt\n  cause: "),
        "{}",
        missing.stderr
    );
    assert_eq!(missing.stdout, "");
}

#[test]
fn mode_dialect_and_review_id_reach_the_reader() {
    let repaired = PASS.replace("[]}", "[],}");
    read(&repaired, &["--mode", "tolerant"]).exits(0);
    let strict = read(&repaired, &["--mode", "strict", "--format", "json"]).exits(3);
    assert_eq!(strict.json()["err"], "json");
    read(PASS, &["--dialect", "verdict"]).exits(0);
    read(PASS, &["--dialect", "afp"]).exits(3);
    read(PASS, &["--dialect", "actionable"]).exits(3);
    let marked = PASS.replacen('{', r#"{"review_id":"r-1","#, 1);
    let both = format!("{marked}\n{REVISE}");
    read(&both, &[]).exits(1);
    read(&both, &["--review-id", "r-1"]).exits(0);
}

#[test]
fn a_response_of_the_protocol_is_read_in_its_dialect() {
    let response = |areas: &str| {
        format!(
            r#"{{"protocol_version":"1.2","iteration":1,"status":"success","feedback":{{"confidence":{{"level":"high","justification":"read"}},"positive_points":[],"areas_for_improvement":[{areas}],"general_summary":"short"}}}}"#
        )
    };
    let afp = ["--dialect", "afp", "--format", "json"];
    let passed = read(&response(""), &afp).exits(0).json();
    assert_eq!(
        passed,
        json!({ "v": 1, "ok": { "verdict": "pass", "score": {}, "feedback": [] }, "repairs": [] })
    );
    let human = read(&response(""), &afp[..2]).exits(0).stdout;
    assert_eq!(human, "pass, without scores\n  ok:\n    verdict: pass\n");
    let area = r#"{"id":"limits-01","aspect":"Limits","description":"no number","recommendation":"say 10 MB"}"#;
    let revised = read(&response(area), &afp).exits(1).json();
    assert_eq!(
        revised["ok"]["feedback"],
        json!([{
            "id": "limits-01",
            "section": "Limits",
            "issue": "no number",
            "suggestion": "say 10 MB",
        }])
    );
    let unsure = response("").replace("\"high\"", "\"sure\"");
    let error = read(&unsure, &afp).exits(3).json();
    assert_eq!(error["err"], "feedback.confidence.level");
    read(&response(""), &[]).exits(3);
    let refused = r#"{"protocol_version":"1.2","iteration":1,"status":"error","error":{"code":"","message":"m"}}"#;
    let error = read(refused, &afp[..2]).exits(3).stdout;
    assert!(error.contains("an error without a code: m"), "{error}");
}

#[test]
fn a_response_with_an_error_anywhere_is_no_pass() {
    let response = |in_feedback: &str, beside: &str| {
        format!(
            r#"{{"protocol_version":"1.2","iteration":1,"status":"success","feedback":{{"confidence":{{"level":"high","justification":"read"}},"positive_points":[],"areas_for_improvement":[],"general_summary":"short"{in_feedback}}}{beside}}}"#
        )
    };
    let afp = ["--dialect", "afp"];
    let error = r#"{"code":"INTERNAL_ERROR","message":"boom"}"#;
    for (in_feedback, beside, named) in [
        (
            String::new(),
            format!(r#","error":{error}"#),
            "error: INTERNAL_ERROR: boom",
        ),
        (
            String::new(),
            format!(r#","errors":[{error}]"#),
            "errors: must be empty",
        ),
        (
            format!(r#","error":{error}"#),
            String::new(),
            "error: must be empty",
        ),
        (
            r#","errors":["boom"]"#.to_owned(),
            String::new(),
            "errors: must be empty",
        ),
    ] {
        let read = read(&response(&in_feedback, &beside), &afp).exits(3);
        assert!(read.stdout.contains(named), "{named}: {}", read.stdout);
    }
    for (in_feedback, beside) in [("", r#","error":null,"errors":[]"#), (r#","error":"""#, "")] {
        read(&response(in_feedback, beside), &afp).exits(0);
    }
}

#[test]
fn a_field_that_is_missing_is_named_once_as_the_protocol_names_it() {
    let response = r#"{"protocol_version":"1.2","iteration":1,"status":"success","feedback":{"confidence":{"level":"high","justification":"read"},"positive_points":[],"areas_for_improvement":[{"id":"a","aspect":"Limits","recommendation":"say 10 MB"}],"general_summary":"short"}}"#;
    let human = read(response, &["--dialect", "afp"]).exits(3).stdout;
    let named = "no verdict: feedback.areas_for_improvement[0].description: is missing";
    assert!(human.starts_with(named), "{human}");
}

#[test]
fn an_answer_over_16_mib_is_no_verdict() {
    let mut answer = " ".repeat(16 * 1024 * 1024);
    answer.push_str(PASS);
    let ran = read(&answer, &["--format", "json"]).exits(3);
    assert_eq!(ran.json()["err"], "json");
}

#[test]
fn control_characters_of_an_answer_do_not_reach_the_terminal() {
    let answer = REVISE.replace("no number", "\\u001b[2Jgone");
    let human = read(&answer, &["--color", "always"]).exits(1).stdout;
    assert!(human.contains("\u{fffd}[2Jgone"), "{human:?}");
}

#[test]
fn lines_are_answered_one_by_one() {
    let line = |id: Value, text: &str| json!({ "id": id, "text": text }).to_string();
    let input = [
        line(json!(1), PASS),
        line(json!("two"), REVISE),
        line(json!({ "three": 3 }), "nothing"),
        r#"{"id":4,"text_b64":"bm90aGluZw=="}"#.to_owned(),
        "not json".to_owned(),
        String::new(),
        r#"{"id":7}"#.to_owned(),
        r#"{"id":8,"text_b64":"***"}"#.to_owned(),
    ]
    .join("\n");
    let lines = read(&input, &["--jsonl"]).exits(0).json_lines();
    let input_error = json!({ "v": 1, "id": null, "err": "input" });
    assert_eq!(lines.len(), 8);
    assert_eq!(
        (&lines[0]["id"], &lines[0]["ok"]["verdict"]),
        (&json!(1), &json!("pass"))
    );
    assert_eq!(lines[1]["ok"]["verdict"], "needs_revision");
    assert_eq!(
        (&lines[2]["id"], &lines[2]["err"]),
        (&json!({ "three": 3 }), &json!("json"))
    );
    assert_eq!(
        (&lines[3]["id"], &lines[3]["err"]),
        (&json!(4), &json!("json"))
    );
    assert_eq!(lines[4..], vec![input_error; 4]);
    assert_eq!(lines[0]["repairs"], json!([]));
}

#[test]
fn lines_that_are_no_utf8_are_bad_lines() {
    let environment = TestEnvironment::new();
    let mut input = b"{\"id\":1,\"text\":\"\xff\"}\n".to_vec();
    input.extend_from_slice(b"{\"id\":2,\"text\":\"\"}\n");
    let ran = environment
        .command(["verdict", "--jsonl"])
        .stdin(input)
        .run()
        .exits(0);
    let errors: Vec<_> = ran
        .json_lines()
        .iter()
        .map(|line| line["err"].clone())
        .collect();
    assert_eq!(errors, ["input", "json"]);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let environment = TestEnvironment::new();
    let line = json!({ "id": 1, "text": REVISE }).to_string();
    let file = environment.write("lines", format!("{line}\n").repeat(5_000));
    let script = format!(
        "'{}' verdict --jsonl '{}' | head -n 1 >/dev/null; exit ${{PIPESTATUS[0]}}",
        env!("CARGO_BIN_EXE_ralph"),
        file.display()
    );
    let status = std::process::Command::new("bash")
        .args(["-c", &script])
        .output()
        .unwrap();
    assert_eq!(status.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&status.stderr), "");
}

#[test]
fn a_document_may_leave_the_decision_to_a_person() {
    let document = |verdict: &str| {
        json!({
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
        })
        .to_string()
    };
    let actionable = ["--dialect", "actionable"];
    let as_json = ["--dialect", "actionable", "--format", "json"];
    let ran = read(&document("escalate"), &as_json).exits(1).json();
    assert_eq!(ran["ok"]["verdict"], "needs_revision");
    assert_eq!(ran["escalated"], true);
    let ran = read(&document("escalate"), &actionable).exits(1);
    assert!(
        ran.stdout.starts_with("needs_revision, left to a user\n"),
        "{}",
        ran.stdout
    );
    let ran = read(&document("accept"), &as_json).exits(0).json();
    let expected = json!({
        "v": 1,
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
    assert_eq!(ran, expected);
    let ran = read(&document("refine"), &as_json).exits(1).json();
    assert_eq!(ran["escalated"], Value::Null);
    let critical = document("accept").replace("\"minor\"", "\"critical\"");
    let ran = read(&critical, &as_json).exits(1).json();
    assert_eq!(ran["ok"]["verdict"], "pass");
    assert_eq!(ran["ok"]["feedback"][0]["severity"], "critical");
}

#[test]
fn a_wrapper_that_failed_holds_no_verdict() {
    let pass = named_pass();
    let text = Value::from(&*pass);
    for (answer, code) in [
        (format!(r#"{{"success":false,"result":{pass}}}"#), 3),
        (
            format!(r#"{{"isError":true,"content":[{{"type":"text","text":{text}}}]}}"#),
            3,
        ),
        (format!(r#"{{"status":"timeout","output":{text}}}"#), 3),
        (
            format!("{pass}\n{{\"type\":\"result\",\"subtype\":\"error\",\"is_error\":true}}"),
            3,
        ),
        (format!(r#"{{"aborted":true,"result":{pass}}}"#), 3),
        (format!(r#"{{"completed":false,"result":{text}}}"#), 3),
        (format!(r#"{{"is_error":"yes","result":{text}}}"#), 3),
        (format!(r#"{{"success":true,"result":{pass}}}"#), 0),
        (
            format!(
                "{pass}\n{{\"type\":\"result\",\"is_error\":false,\"stop_reason\":\"end_turn\"}}"
            ),
            0,
        ),
    ] {
        let ran = read(&answer, &[]).exits(code);
        let says = ran.stdout.contains("says that the call failed");
        assert_eq!(says, code == 3, "{answer}: {ran:#?}");
        let project = Scripted::new(&[]);
        let answer = project.write("answer", &answer);
        project.reviewer(&filled(&format!("cat '{}'", answer.display())));
        let ran = project.run(&["--no-tasks", "--no-apply"]).run();
        assert_eq!(ran.code, code, "{ran:#?}");
    }
}
