//! `ralph verdict`.

use serde_json::{Value, json};

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
            "repairs": [{ "code": "trailing_comma", "at": 134 }],
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
fn an_answer_over_16_mib_is_no_verdict() {
    let mut answer = " ".repeat(16 * 1024 * 1024);
    answer.push_str(PASS);
    let ran = read(&answer, &["--format", "json"]).exits(3);
    assert_eq!(ran.json()["err"], "json");
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
