//! `ralph feedback`.

use std::fs;

use serde_json::{Value, json};

use crate::scripted::{PASS, REVISE, Scripted};
use crate::support::TestEnvironment;

const DOCUMENT: &str = r#"id: 0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3
timestamp: 2026-03-01T12:30:05Z
iteration:
  number: 1
  max: 3
  phase: initial
target:
  type: code
  path: src/auth.rs
feedback_items:
  - aspect: security
    severity: minor
    issue: The token is compared byte by byte
    location:
      type: line
      reference: "42"
    suggestion:
      action: Compare the tokens in constant time
      rationale: The time no longer tells how much of it fits
  - aspect: completeness
    severity: critical
    issue: The empty token is equal to every token
    location:
      type: function
      reference: equal()
    suggestion:
      action: Refuse the empty token before the comparison
      rationale: Nobody can pass without a token any more
overall_assessment:
  score: 0.4
  verdict: refine
  summary: The comparison leaks its progress, and the empty token is accepted.
"#;

#[test]
fn a_valid_document_is_0_and_one_with_an_error_is_1() {
    let environment = TestEnvironment::new();
    environment.write("good.yaml", DOCUMENT);
    let bad = DOCUMENT.replace("Compare the tokens in", "Consider a comparison in");
    environment.write("bad.yml", bad.replace("\"42\"", "42-48"));
    let ran = environment
        .ralph(["feedback", "validate", "good.yaml"])
        .exits(0);
    assert_eq!(ran.stdout, "good.yaml: 1 document, all valid\n");
    let strict = ["feedback", "validate", "--mode", "strict", "good.yaml"];
    let strict = environment.ralph(strict).exits(0).stdout;
    assert!(strict.contains("warning[score.missing]"), "{strict}");
    let help = environment.ralph(["help", "feedback", "validate"]).exits(0);
    let words = help.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let modes = "default (the published schema with its formats, and further rules of ralph, such \
                 as on line numbers;";
    assert!(words.contains(modes), "{words}");
    let arguments = [
        "feedback",
        "validate",
        "--format",
        "json",
        "good.yaml",
        "bad.yml",
    ];
    let ran = environment.ralph(arguments).exits(1);
    let expected = json!({ "v": 1, "files": [
        { "path": "good.yaml", "count": 1, "valid": 1, "diagnostics": [] },
        { "path": "bad.yml", "count": 1, "valid": 0, "diagnostics": [
            {
                "line": 16,
                "pointer": "/feedback_items/0/location/reference",
                "code": "location.line_is_range",
                "severity": "warning",
                "message": "\"42-48\" is a range, not a line",
                "fix": "Set the type to range.",
            },
            {
                "line": 18,
                "pointer": "/feedback_items/0/suggestion/action",
                "code": "action.advisory",
                "severity": "error",
                "message": "\"consider\" is advice; say what to change",
                "fix": "Start with the change itself: add, replace, remove.",
            },
        ]},
    ]});
    assert_eq!(ran.json(), expected);
    let ran = environment
        .ralph(["feedback", "validate", "bad.yml"])
        .exits(1);
    assert_eq!(
        ran.stdout,
        "bad.yml:16: /feedback_items/0/location/reference warning[location.line_is_range]: \
         \"42-48\" is a range, not a line\n\
         \x20 fix: Set the type to range.\n\
         bad.yml:18: /feedback_items/0/suggestion/action error[action.advisory]: \
         \"consider\" is advice; say what to change\n\
         \x20 fix: Start with the change itself: add, replace, remove.\n\
         bad.yml: 1 document, 1 not valid\n"
    );
}

#[test]
fn a_file_that_cannot_be_read_does_not_hide_the_others() {
    let environment = TestEnvironment::new();
    environment.write("good.yaml", DOCUMENT);
    environment.write("latin1.yaml", [0xe9]);
    let files = ["gone.yaml", "good.yaml", "latin1.yaml"];
    let ran = environment
        .ralph(
            ["feedback", "validate", "--format", "json"]
                .into_iter()
                .chain(files),
        )
        .exits(2);
    assert_eq!(ran.json()["files"][0]["path"], "good.yaml");
    let error = ran.json()["files"][1]["error"].clone();
    assert!(error.as_str().unwrap().starts_with("cannot read gone.yaml"));
    let shown = environment.ralph(["feedback", "show"].into_iter().chain(files));
    assert!(shown.exits(2).stdout.contains("  iteration:\n"));
    for error in [
        "error: cannot read gone.yaml",
        "error: latin1.yaml is not UTF-8 (byte 0)",
    ] {
        assert!(ran.stderr.contains(error), "{}", ran.stderr);
    }
}

#[test]
fn what_cannot_be_read_is_2() {
    let environment = TestEnvironment::new();
    let ran = environment
        .ralph(["feedback", "validate", "none.yaml"])
        .exits(2);
    assert!(
        ran.stderr.starts_with("error: cannot read none.yaml"),
        "{}",
        ran.stderr
    );
    let ran = environment
        .command(["feedback", "convert", "--to", "review"])
        .stdin("{}")
        .run()
        .exits(2);
    assert_eq!(
        ran.stderr,
        "error: cannot tell the format of the input\n  hint: name it with --from\n"
    );
}

#[test]
fn show_puts_the_gravest_item_first() {
    let environment = TestEnvironment::new();
    environment.write("feedback.yaml", DOCUMENT);
    environment.write("bad.yaml", "id: 7\n");
    let ran = environment
        .ralph(["feedback", "show", "feedback.yaml"])
        .exits(0);
    assert!(ran.stdout.starts_with("src/auth.rs\n  "), "{}", ran.stdout);
    let issues = ran.stdout.lines().map(str::trim_start);
    let issues: Vec<_> = issues.filter(|line| line.starts_with("issue: ")).collect();
    assert_eq!(
        issues,
        [
            "issue: The empty token is equal to every token",
            "issue: The token is compared byte by byte",
        ]
    );
    let arguments = [
        "feedback",
        "show",
        "--format",
        "json",
        "feedback.yaml",
        "bad.yaml",
    ];
    let ran = environment.ralph(arguments).exits(1);
    let shown = ran.json();
    assert_eq!(shown["documents"].as_array().unwrap().len(), 1);
    assert_eq!(
        shown["documents"][0]["overall_assessment"]["verdict"],
        "refine"
    );
    assert!(
        ran.stderr.contains("a document is not valid (line 1: "),
        "{}",
        ran.stderr
    );
}

#[test]
fn convert_tells_what_is_lost_and_what_was_derived() {
    let environment = TestEnvironment::new();
    let ran = environment
        .command(["feedback", "convert", "--to", "review"])
        .stdin(DOCUMENT)
        .run()
        .exits(0);
    assert_eq!(ran.json()["verdict"], "needs_revision");
    assert!(
        ran.stderr.contains("not carried over: id, timestamp, ")
            && ran.stderr.contains("aspect of items"),
        "{}",
        ran.stderr
    );
    let ran = environment
        .command([
            "feedback",
            "convert",
            "--from",
            "review",
            "--to",
            "actionable",
        ])
        .stdin(&ran.stdout)
        .run()
        .exits(0);
    assert!(
        ran.stderr.contains("filled in by ralph: ")
            && ran.stderr.contains("overall_assessment/score"),
        "{}",
        ran.stderr
    );
    let derived = ran.json()["derived"].clone();
    assert!(
        derived.as_array().unwrap().contains(&json!("/id")),
        "{derived}"
    );
    let again = environment
        .command(["feedback", "validate", "--mode", "strict"])
        .stdin(&ran.stdout)
        .run();
    again.exits(0);
    let ran = environment
        .command(["-q", "feedback", "convert", "--to", "review"])
        .stdin("a: [1\n")
        .run()
        .exits(1);
    assert!(ran.stderr.starts_with("error: line "), "{ran:#?}");
}

/// The documents of the only run, by the names of their files.
fn documents(project: &Scripted) -> Vec<(String, Value)> {
    let files = project.environment.files(".ralph-review/runs");
    let files = files.into_iter().filter_map(|path| {
        let (_, name) = path.split_once("/feedback/")?;
        let text = project.environment.read(&path);
        Some((name.to_owned(), serde_json::from_str(&text).unwrap()))
    });
    files.collect()
}

#[test]
fn each_round_with_items_writes_its_document() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&format!(
        "if [ $RALPH_ITERATION = 1 ]; then echo '{REVISE}'; else echo '{PASS}'; fi"
    ));
    project.applier(
        "echo more >> specs/DEMO.md\n\
         echo '{\"applied_feedback\":{\"items\":[{\"id\":\"goal-01\",\"status\":\"accepted\"}]}}'",
    );
    project.run(&[]).run().exits(0);
    let documents = documents(&project);
    let [(name, document)] = documents.as_slice() else {
        panic!("{documents:?}");
    };
    assert_eq!(name, "001.json");
    assert_eq!(
        document["iteration"],
        json!({ "number": 1, "max": 10, "phase": "initial" })
    );
    let records = ".ralph-review/records/specs%2FDEMO.md.json";
    let record: Value = serde_json::from_str(&project.environment.read(records)).unwrap();
    let version = document["target"]["version"].as_str().unwrap();
    assert_eq!(version.len(), record["artifact"].as_str().unwrap().len());
    assert_ne!(record["artifact"], version, "it is the artifact of round 1");
    assert_eq!(
        document["target"],
        json!({ "type": "document", "path": "specs/DEMO.md", "context": "demo", "version": version })
    );
    let item = &document["feedback_items"][0];
    assert_eq!(item["issue"], "it is not fixed (correctness of Goal)");
    assert_eq!(
        item["location"],
        json!({ "type": "section", "reference": "Goal" })
    );
    assert_eq!(item["suggestion"]["priority"], 1);
    assert_eq!(item.get("evidence"), None);
    assert_eq!(document["overall_assessment"]["verdict"], "refine");
    assert_eq!(document["overall_assessment"]["score"], 0.825);
    let tracking = &document["quality_tracking"];
    assert_eq!(tracking["feedback_followed"], true);
    assert_eq!(tracking["improvement_observed"], true);
    let delta = tracking["improvement_delta"].as_f64().unwrap();
    assert!((delta - 0.075).abs() < 1e-9, "{delta}");
    let derived = document["derived"].as_array().unwrap();
    assert!(
        derived.contains(&json!("/feedback_items/0/severity")),
        "{derived:?}"
    );
    project
        .environment
        .command(["feedback", "validate"])
        .stdin(document.to_string())
        .run()
        .exits(0);
}

#[test]
fn resume_writes_the_documents_again() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&format!("echo '{REVISE}'"));
    project.applier("echo more >> specs/DEMO.md");
    project.run(&["--max-iterations", "2"]).run().exits(1);
    let before = documents(&project);
    let names: Vec<_> = before.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["001.json", "002.json"]);
    let folder = project.journal().with_file_name("feedback");
    fs::remove_dir_all(&folder).unwrap();
    project.resume(&[]).run().exits(1);
    assert_eq!(documents(&project), before);
}

/// A document with one item, as a reviewer prints it.
pub(crate) fn answer(verdict: &str, score: &str) -> String {
    format!(
        r#"{{"id":"fb-1","timestamp":"2026-03-01T12:30:05Z","iteration":{{"number":1,"max":3,"phase":"initial"}},"target":{{"type":"document","path":"specs/DEMO.md"}},"feedback_items":[{{"aspect":"completeness","severity":"minor","score":0.9,"issue":"The goal names no limit for its size.","location":{{"type":"section","reference":"Goal"}},"suggestion":{{"action":"State the limit of the size in bytes","rationale":"Readers then know how large it gets"}}}}],"overall_assessment":{{"score":{score},"verdict":"{verdict}","summary":"The demo is sound, and the limit of its size is the one thing left."}}}}"#
    )
}

#[test]
fn documents_are_read_only_where_they_are_configured() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&format!("cat > \"$HOME/prompt\"\necho '{PASS}'"));
    let configured = |dialect: &str| {
        let text = format!("[review]\ndialect = \"{dialect}\"\n");
        project.write("ralph.toml", &text);
        project.run(&[]).run()
    };
    configured("verdict").exits(0);
    let prompt = fs::read_to_string(project.outside("prompt")).unwrap();
    assert!(!prompt.contains("overall_assessment"), "{prompt}");
    configured("actionable").exits(3);
    let ran = configured("afp").exits(2);
    let expected = "expected `verdict` or `actionable`";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}
