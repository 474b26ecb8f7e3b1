//! The findings of the embedded rules, given to another reviewer.

use std::fs;

use crate::scripted::{PASS, Scripted};

/// A project whose spec has an error of the embedded rules, and a reviewer who
/// is content with it and keeps the prompt.
fn content(settings: &str) -> Scripted {
    let project = Scripted::new(&["true"]);
    project.write("ralph.toml", settings);
    project.write("specs/DEMO.md", "# Demo\n\n## Goal\n\nThe limit is TBD.\n");
    project.reviewer(&format!("cat > \"$HOME/prompt\"; echo '{PASS}'"));
    project
}

fn prompt(project: &Scripted) -> String {
    fs::read_to_string(project.outside("prompt")).unwrap()
}

#[test]
fn an_error_of_the_rules_stands_against_a_pass_where_the_user_says_so() {
    let project = content("[review]\nbuiltin_facts = true\n");
    let ran = project.run(&["--no-apply", "--format", "json"]).run();
    let report = ran.exits(1).json();
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
    let shown = project.run(&["--no-apply"]).run().exits(1).stdout;
    assert!(shown.contains("the reviewer passed it; "), "{shown}");
}

#[test]
fn a_program_of_the_user_is_told_nothing_that_was_not_asked_for() {
    for settings in ["", "review.builtin_facts = false\n"] {
        let project = content(settings);
        project.run(&[]).run().exits(0);
        assert!(!prompt(&project).contains("blocks_a_pass"), "{settings}");
    }
}
