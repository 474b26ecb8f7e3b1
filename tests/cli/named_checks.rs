//! Checks that a reviewer names prove its findings.

use serde_json::{Value, json};

use crate::scripted::{PASS, SPEC, Scripted, once};

/// The configuration with a check that passes while the spec does not say `broken`.
const UNIT: &str =
    "[review.checks]\nunit = \"echo unit >> $HOME/checks; ! grep broken specs/DEMO.md\"\n";

/// An answer with one item that names a check.
fn answer(verdict: &str, severity: &str, check: &Value) -> String {
    let item = json!({
        "section": "Goal", "issue": "The word is wrong", "suggestion": "Take it away",
        "severity": severity, "check": check,
    });
    json!({
        "verdict": verdict,
        "score": {"completeness": 95, "consistency": 95, "testability": 95, "architecture": 95},
        "feedback": [item],
    })
    .to_string()
}

/// A project whose reviewer gives this answer in its first round, and then passes.
fn reviewed(config: &str, answer: &str) -> Scripted {
    let project = Scripted::new(&["true"]);
    project.write("ralph.toml", config);
    project.write("specs/DEMO.md", format!("{SPEC}broken\n"));
    std::fs::write(project.outside("answer"), answer).unwrap();
    project.reviewer(&format!(
        "cat > \"$HOME/asked-$RALPH_ITERATION\"\n\
         if [ $RALPH_ITERATION = 1 ]; then cat \"$HOME/answer\"; else echo '{PASS}'; fi"
    ));
    project
}

/// The only finding of the last run.
fn finding(project: &Scripted) -> Value {
    let list = ["findings", "list", "latest", "--format", "json"];
    let list = project.environment.ralph(list).exits(0).json();
    let findings = list["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{list:#}");
    findings[0].clone()
}

fn shown(project: &Scripted) -> String {
    project.environment.ralph(["report", "latest"]).stdout
}

fn checks(project: &Scripted) -> usize {
    let checks = std::fs::read_to_string(project.outside("checks"));
    checks.unwrap_or_default().lines().count()
}

#[test]
fn what_a_failing_check_proves_is_open_until_that_check_passes() {
    let minor = answer("pass", "minor", &json!({"check": "unit"}));
    let project = reviewed(UNIT, &minor);
    let accepted = r#"{"applied_feedback": {"items": [{"id": "goal-01", "status": "accepted"}]}}"#;
    project.applier(&format!(
        "cat > /dev/null\n\
         if [ $RALPH_ITERATION = 1 ]; then echo more >> specs/DEMO.md; \
         else sed -i /broken/d specs/DEMO.md; fi\n\
         echo '{accepted}'"
    ));
    let report = project.run(&["--format", "json"]).run().exits(0).json();
    let rounds = report["iterations"].as_array().unwrap();
    let verdicts: Vec<_> = rounds.iter().map(|round| &round["verdict"]).collect();
    assert_eq!(verdicts, ["needs_revision", "needs_revision", "pass"]);
    let again = &rounds[1]["feedback"][0];
    assert_eq!(again["issue"], "The word is wrong");
    assert_eq!(again["check"], json!({"check": "unit"}));
    assert_eq!(again["severity"], "major");
    assert_eq!(checks(&project), 3, "once in each round");
    let finding = finding(&project);
    assert_eq!(finding["status"], "fixed");
    assert_eq!(finding["raised"], json!([1, 2]));
    assert_eq!(finding["repeats"], 0);
    assert_eq!(finding["check"]["result"], "not_confirmed");
    let shown = shown(&project);
    let id = finding["id"].as_str().unwrap();
    for line in [
        format!("  proved {id} by check unit: exit status 1: broken\n"),
        "the reviewer passed it; 1 finding that a check confirms contradicts it\n".to_owned(),
        format!("  closed {id}: check unit passes\n"),
    ] {
        assert!(shown.contains(&line), "{line}{shown}");
    }
}

#[test]
fn a_proved_finding_blocks_a_run_that_does_not_fix_it_and_a_waiver_ends_that() {
    let project = reviewed(UNIT, &answer("pass", "minor", &json!({"check": "unit"})));
    project.applier("cat > /dev/null; echo more >> specs/DEMO.md");
    let run = ["--max-iterations", "2", "--format", "json"];
    let report = project.run(&run).run().exits(1).json();
    assert_eq!(report["block_code"], "max_iterations", "{report:#}");
    let open = finding(&project);
    assert_eq!(
        (&open["status"], &open["evidence"]),
        (&json!("open"), &json!("proved"))
    );
    assert_eq!(open["check"]["message"], "exit status 1: broken");
    let id = open["id"].as_str().unwrap();
    let show = project.environment.ralph(["findings", "show", id]).exits(0);
    let line = "  check unit, confirmed: exit status 1: broken\n";
    assert!(show.stdout.contains(line), "{}", show.stdout);
    let waive = [
        "findings",
        "waive",
        id,
        "--by",
        "ann",
        "--why",
        "it is a quote",
    ];
    project.environment.ralph(waive).exits(0);
    let report = project.resume(&["--format", "json"]).run().exits(0).json();
    assert_eq!(report["outcome"], "approved", "{report:#}");
}

#[test]
fn what_no_check_confirms_stays_unproved_with_a_note_and_no_command_is_run() {
    let hack = "touch \"$HOME/hacked\"";
    for (check, result, message) in [
        (
            json!({"check": "passes"}),
            "not_confirmed",
            "check passes passes",
        ),
        (
            json!({"check": "none"}),
            "not_run",
            "review.checks has no check \"none\"",
        ),
        (json!({"check": "empty"}), "not_run", "exit status 127"),
        (
            json!({"check": hack}),
            "not_run",
            "review.checks has no check \"touch",
        ),
        (json!(hack), "not_run", "review.checks has no check \"touch"),
        (
            json!({"task": 1}),
            "not_run",
            "task 1 is pending, so that its command may fail",
        ),
        (json!({"task": 9}), "not_run", "there is no task 9"),
        (
            json!({"rule": "S1"}),
            "not_confirmed",
            "rule S1 reports nothing there",
        ),
        (
            json!({"rule": "Z99"}),
            "not_run",
            "there is no rule \"Z99\"",
        ),
    ] {
        let config = "[review.checks]\npasses = \"true\"\nempty = \"no-such-program\"\n";
        let project = reviewed(config, &answer("needs_revision", "major", &check));
        project.run(&["--no-apply"]).run().exits(1);
        let finding = finding(&project);
        assert_eq!(finding["evidence"], "unquoted", "{finding:#}");
        assert_eq!(finding["check"]["result"], result, "{finding:#}");
        let note = finding["check"]["message"].as_str().unwrap();
        assert!(note.starts_with(message), "{note}");
        let shown = shown(&project);
        let line = format!("  unproved {}: {message}", finding["id"].as_str().unwrap());
        assert!(shown.contains(&line), "{line}\n{shown}");
        assert!(!project.outside("hacked").exists(), "{check}");
    }
}

#[test]
fn a_command_of_a_complete_task_and_a_rule_prove_too() {
    let complete = "---\ntask: 1\nstatus: complete\nbackpressure: echo none; exit 3\n\
                    depends_on: []\n---\n\n# Step 1\n\n**Parent spec**: `/specs/DEMO.md`\n";
    for (check, message) in [
        (json!({"task": 1}), "exit status 3: none"),
        (json!({"rule": "L3"}), "specs/DEMO.md:6: "),
    ] {
        let project = reviewed("", &answer("pass", "minor", &check));
        project.write("tasks/demo/01-step.md", complete);
        project.write("specs/DEMO.md", format!("{SPEC}[gone](/specs/GONE.md)\n"));
        project.run(&["--no-apply"]).run().exits(1);
        let finding = finding(&project);
        assert_eq!(finding["evidence"], "proved", "{finding:#}");
        assert_eq!(finding["severity"], "major", "{finding:#}");
        let shown = finding["check"]["message"].as_str().unwrap();
        assert!(shown.starts_with(message), "{shown}");
    }
}

#[test]
fn a_reviewer_is_shown_the_names_that_it_may_use() {
    let project = reviewed(UNIT, PASS);
    project.write("specs/DEMO.md", SPEC);
    project.run(&["--no-apply"]).run().exits(0);
    let asked = std::fs::read_to_string(project.outside("asked-1")).unwrap();
    assert!(asked.contains("{\"check\": NAME} (unit), or"), "{asked}");
    assert_eq!(checks(&project), 0, "nothing was named");
    let project = reviewed("", PASS);
    project.run(&["--no-apply"]).run().exits(0);
    let asked = std::fs::read_to_string(project.outside("asked-1")).unwrap();
    assert!(!asked.contains("\"check\""), "{asked}");
}

#[test]
fn a_kill_during_a_check_runs_that_check_alone_again() {
    let kill = once("echo killed >> \"$HOME/checks\"; kill -9 $PPID; exit 1");
    let config = json!(format!("{kill}; echo unit >> $HOME/checks; false"));
    let config = format!("[review.checks]\nunit = {config}\n");
    let project = reviewed(&config, &answer("pass", "minor", &json!({"check": "unit"})));
    project.run(&["--no-apply"]).run().exits(137);
    project.resume(&[]).run().exits(1);
    assert_eq!(project.calls(), ["review 1"]);
    let checks = std::fs::read_to_string(project.outside("checks")).unwrap();
    assert_eq!(checks, "killed\nunit\n");
    assert_eq!(finding(&project)["evidence"], "proved");
}
