//! What an applier decides on feedback, from its output to the report.

use std::fs;

use serde_json::json;

use crate::scripted::{PASS, REVISE, Scripted};
use crate::support::Ran;

/// A project whose reviewer keeps its last prompt, wants one change and then
/// is content, and whose applier runs this script.
fn project(applier: &str) -> Scripted {
    let project = Scripted::new(&["true"]);
    project.reviewer(&format!(
        "cat > \"$HOME/prompt\"\n\
         if [ $RALPH_ITERATION = 1 ]; then echo '{REVISE}'; else echo '{PASS}'; fi"
    ));
    project.applier(applier);
    project
}

/// A run in which an applier may decide against everything.
fn run(project: &Scripted, arguments: &[&str]) -> Ran {
    let bare = ["--set", "review.patience=0"];
    project.run(&[&bare, arguments].concat()).run()
}

fn prompt(project: &Scripted) -> String {
    fs::read_to_string(project.outside("prompt")).unwrap()
}

#[test]
fn what_an_applier_says_is_reported_and_told_to_the_reviewer() {
    let rejects = r#"grep -q '"id": "goal-01"' || exit 9
echo 'No. {"applied_feedback":{"items":[{"id":"goal-01","status":"rejected","reason_code":"conflicts","explanation":"see Tests"}]}}'"#;
    let project = project(rejects);
    let report = run(&project, &["--format", "json"]).exits(0).json();
    let decision = json!({
        "id": "goal-01",
        "status": "rejected",
        "reason_code": "conflicts",
        "explanation": "see Tests",
    });
    assert_eq!(
        report["iterations"][0]["decisions"],
        json!([{
            "id": "goal-01",
            "section": "Goal",
            "issue": "it is not fixed",
            "suggestion": "fix it",
            "decision": decision,
        }])
    );
    assert_eq!(report["iterations"][1].get("decisions"), None);
    assert!(prompt(&project).contains("\"reason_code\": \"conflicts\""));
    let shown = run(&project, &[]).exits(0).stdout;
    assert!(
        shown.contains("  1 rejected\n    rejected Goal: conflicts: see Tests\n"),
        "{shown}"
    );
}

#[test]
fn what_an_applier_does_shows_where_it_says_nothing() {
    for (edit, status) in [
        ("echo more >> specs/DEMO.md", "accepted"),
        ("sed -i 's/# Demo/# Example/' specs/DEMO.md", "rejected"),
        (":", "rejected"),
    ] {
        let project = project(&format!("cat > /dev/null\n{edit}"));
        let report = run(&project, &["--format", "json"]).exits(0).json();
        let decision = &report["iterations"][0]["decisions"][0]["decision"];
        assert_eq!(decision["status"], status, "{edit}");
        assert_eq!(decision["inferred"], true, "{edit}");
        assert!(prompt(&project).contains("\"inferred\": true"));
    }
}
