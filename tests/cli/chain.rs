//! Reviewers that give no answer, and those that stand in for them.

use crate::scripted::{PASS, REVISE, Scripted};

/// A project whose first reviewer cannot answer.
fn failing() -> Scripted {
    let project = Scripted::new(&["grep -q Demo specs/DEMO.md"]);
    project.reviewer("echo out of order >&2; exit 7");
    project
}

fn review(project: &Scripted, arguments: &[&str]) -> crate::support::Ran {
    let run = ["run", "--no-apply", "--format", "json"];
    project
        .environment
        .command([&run, arguments].concat())
        .run()
}

#[test]
fn the_next_reviewer_is_asked_and_the_report_names_the_one_who_answered() {
    let project = failing();
    let answer = format!("echo '{PASS}'");
    project.environment.program("second", &answer);
    let ran = review(&project, &["--reviewer", "cmd:judge,cmd:second"]).exits(0);
    assert_eq!(ran.json()["reviewer"], "cmd:second");
    assert_eq!(project.calls(), ["review 1"]);
    let told = project.environment.ralph(["report", "latest"]).exits(0);
    let replaced = "cmd:second is asked instead";
    assert!(told.stdout.contains(replaced), "{}", told.stdout);
}

#[test]
fn the_report_of_a_blocked_run_names_the_reviewer_who_answered() {
    let project = failing();
    project
        .environment
        .program("second", &format!("echo '{REVISE}'"));
    project.applier("cat > /dev/null");
    let chain = ["--reviewer", "cmd:judge,cmd:second"];
    let run = [&["run", "--applier", "cmd:fix"][..], &chain].concat();
    let ran = project.environment.ralph(&run).exits(1);
    let footer = "\nreviewer cmd:second · 1 round · ";
    assert!(ran.stdout.contains(footer), "{ran:#?}");
    assert_eq!(project.calls(), ["review 1", "apply 1", "apply 1"]);
}

#[test]
fn the_embedded_rules_stand_in_only_to_find_fault() {
    let project = failing();
    let chain = ["--reviewer", "cmd:judge,builtin"];
    let ran = review(&project, &chain).exits(3);
    let report = ran.json();
    assert_eq!(report["block_code"], "reviewer_failed");
    assert_eq!(report["reviewer"], "builtin");
    project.write("specs/DEMO.md", "# Demo\n\n## Goal\n\nThe limit is TBD.\n");
    let found = review(&project, &chain).exits(1);
    assert_eq!(found.json()["verdict"], "needs_revision");
}

#[test]
fn a_reviewer_that_is_killed_is_asked_once_more() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&format!(
        "if [ \"$(wc -l < \"$HOME/calls\")\" -lt 2 ]; then kill -9 $$; fi; echo '{REVISE}'"
    ));
    let ran = project.run(&["--no-apply", "--format", "json"]).run();
    assert_eq!(ran.exits(1).json()["verdict"], "needs_revision");
    assert_eq!(project.calls(), ["review 1", "review 1"]);
}

/// A claude that cannot reach its service.
const OFFLINE: &str = "echo claude >> \"$HOME/calls\"\ncat > /dev/null\n\
    echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\
    \"result\":\"API Error: Unable to connect to API (ConnectionRefused)\"}'\nexit 1";

#[test]
fn a_reviewer_that_is_offline_is_replaced_at_once() {
    let project = Scripted::new(&["grep -q Demo specs/DEMO.md"]);
    project.environment.program("claude", OFFLINE);
    project
        .environment
        .program("second", &format!("echo '{PASS}'"));
    let ran = review(&project, &["--reviewer", "claude,cmd:second"]).exits(0);
    assert_eq!(ran.json()["reviewer"], "cmd:second");
    assert_eq!(project.calls(), ["claude"]);
    let said = project.environment.ralph(["report", "latest"]).exits(0);
    let offline = "`claude` could not reach its model's service";
    assert!(said.stdout.contains(offline), "{}", said.stdout);
}

#[test]
fn a_run_without_a_connection_is_offline_and_has_no_verdict() {
    let project = Scripted::new(&["true"]);
    project.environment.program("claude", OFFLINE);
    let ran = review(&project, &["--reviewer", "claude"]).exits(3);
    let report = ran.json();
    assert_eq!(report["block_code"], "reviewer_failed");
    assert_eq!(report["outcome"], "no_verdict");
    project.environment.ralph(["explain", "offline"]).exits(0);
}
