//! The findings of the embedded rules, given to another reviewer.

use std::fs;

use serde_json::json;

use crate::scripted::{PASS, Scripted};

/// A project whose spec has an error of the embedded rules, and a reviewer who is content
/// with it and keeps the prompt: a client of a model, or a program.
fn content() -> Scripted {
    let project = Scripted::new(&["true"]);
    project.write("specs/DEMO.md", "# Demo\n\n## Goal\n\nThe limit is TBD.\n");
    project.reviewer(&format!("cat > \"$HOME/prompt\"; echo '{PASS}'"));
    let result = json!({"type": "result", "subtype": "success", "is_error": false, "result": PASS});
    let client = format!("cat > \"$HOME/prompt\"; echo '{result}'");
    project.environment.program("claude", &client);
    project
}

fn prompt(project: &Scripted) -> String {
    fs::read_to_string(project.outside("prompt")).unwrap()
}

#[test]
fn an_error_of_the_rules_stands_against_a_pass_of_a_model() {
    let project = content();
    let run = ["run", "--no-apply", "--reviewer", "claude"];
    let json = [&run[..], &["--format", "json"]].concat();
    let report = project.environment.ralph(json).exits(1).json();
    assert_eq!(report["verdict"], "needs_revision");
    assert_eq!(report["outcome"], "not_passed");
    let issues: Vec<_> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["issue"].as_str().unwrap())
        .collect();
    assert!(
        issues.iter().any(|issue| issue.ends_with("[S2]")),
        "{issues:?}"
    );
    assert!(prompt(&project).contains("\"blocks_a_pass\": true"));
    let shown = project.environment.ralph(run).exits(1).stdout;
    assert!(shown.contains("the reviewer passed it; "), "{shown}");
}

#[test]
fn a_program_of_the_user_is_told_nothing_that_was_not_asked_for() {
    let project = content();
    project.run(&[]).run().exits(0);
    assert!(!prompt(&project).contains("blocks_a_pass"));
}
