//! What a reviewer calls an item decides whether it asks for a revision.

use serde_json::{Value, json};

use crate::scripted::Scripted;

/// An answer with a verdict and one item of a severity.
fn answer(verdict: &str, severity: &str) -> String {
    json!({
        "verdict": verdict,
        "score": {"completeness": 95, "consistency": 95, "testability": 95, "architecture": 95},
        "feedback": [{
            "section": "Goal",
            "issue": "SQL injection is possible in the search field",
            "suggestion": "use parameters",
            "severity": severity,
        }],
    })
    .to_string()
}

/// A project whose reviewer gives these answers in turn and then the last one.
fn reviewed(answers: &[String]) -> Scripted {
    let project = Scripted::new(&["true"]);
    for (at, answer) in answers.iter().enumerate() {
        std::fs::write(project.outside(&format!("answer-{at}")), answer).unwrap();
    }
    let last = answers.len() - 1;
    project.reviewer(&format!(
        "cat > \"$HOME/asked\"\nat=$(cat \"$HOME/at\" 2> /dev/null || echo 0)\n\
         cat \"$HOME/answer-$at\"\nif [ $at -lt {last} ]; then echo $((at + 1)) > \"$HOME/at\"; fi"
    ));
    project.applier("cat > /dev/null; echo more >> specs/DEMO.md");
    project
}

fn run(project: &Scripted, arguments: &[&str], code: i32) -> Value {
    let arguments = [arguments, &["--format", "json"]].concat();
    project.run(&arguments).run().exits(code).json()
}

#[test]
fn a_pass_that_holds_a_critical_item_is_a_revision_without_another_call() {
    for severity in ["critical", "major"] {
        let project = reviewed(&[answer("pass", severity)]);
        let report = run(&project, &["--max-iterations", "1"], 1);
        assert_eq!(report["outcome"], "not_passed", "{report:#}");
        assert_eq!(report["verdict"], "needs_revision");
        assert_eq!(report["findings"][0]["severity"], severity);
        assert_eq!(project.calls(), ["review 1"]);
        let shown = project.environment.ralph(["report", "latest"]).stdout;
        let line =
            format!("not a pass the reviewer says pass and calls item 1 {severity}: read as");
        assert!(shown.contains(&line), "{shown}");
    }
}

#[test]
fn a_gate_does_not_pass_what_its_reviewer_calls_critical() {
    let project = reviewed(&[answer("pass", "critical")]);
    let gate = ["gate", "--reviewer", "cmd:judge", "--format", "json"];
    let report = project.environment.ralph(gate).exits(1).json();
    assert_eq!(report["outcome"], "not_passed", "{report:#}");
    let major = reviewed(&[answer("pass", "major")]);
    major.environment.ralph(gate).exits(1);
    major.write("ralph.toml", "[review]\nfail_level = \"critical\"\n");
    major.environment.ralph(gate).exits(0);
}

#[test]
fn a_revision_below_the_fail_level_is_asked_for_once_more() {
    let project = reviewed(&[answer("needs_revision", "minor")]);
    let report = run(&project, &[], 1);
    assert_eq!(report["block_code"], "no_blocking_finding", "{report:#}");
    assert_eq!(report["iterations"][0]["below_fail_level"], 1);
    assert_eq!(project.calls().len(), 2);
    let shown = project.environment.ralph(["report", "latest"]).stdout;
    let line = "  1 finding is below review.fail_level and asks for no revision\n";
    assert!(shown.contains(line), "{shown}");
    assert!(shown.contains("  minor\n      "), "{shown}");
}

#[test]
fn a_pass_does_not_count_against_what_a_user_upheld() {
    let project = reviewed(&[
        answer("needs_revision", "major"),
        answer("pass", "minor").replace("SQL injection", "XSS"),
    ]);
    project.applier("cat > /dev/null");
    let report = run(&project, &["--max-iterations", "1"], 1);
    let id = report["ledger"][0]["id"].as_str().unwrap();
    let uphold = [
        "findings",
        "uphold",
        id,
        "--by",
        "ann",
        "--why",
        "it is real",
    ];
    project.environment.ralph(uphold).exits(0);
    let resumed = project.resume(&["--format", "json"]).run().exits(1).json();
    assert_eq!(resumed["block_code"], "disputed", "{resumed:#}");
    let reason = resumed["block_reason"].as_str().unwrap();
    assert!(reason.contains(&format!("a user upheld {id}")), "{reason}");
}
