//! The review of changes: `task.review = "ask"`.

use std::fs;

use super::Project;
use crate::scripted::PASS;
use crate::support::RalphCommand;

/// The answer of a reviewer who wants one thing changed.
const REVISE: &str = r#"{"verdict":"needs_revision","score":{"completeness":60,"consistency":90,"testability":90,"architecture":90},"feedback":[{"section":"The change","issue":"the file says nothing about its origin","suggestion":"add a second line with the word origin","severity":"major"}]}"#;

/// A project whose tasks want a line each, and a reviewer of their changes, which runs a
/// script for each task and passes without one.
fn reviewed(dependencies: &[&str]) -> Project {
    let project = Project::new(dependencies);
    project.environment.program(
        "judge",
        &format!(
            "cat > \"$HOME/review-$RALPH_TASK-$RALPH_ATTEMPT\"\n\
             echo \"$RALPH_TASK.$RALPH_ATTEMPT\" >> \"$HOME/reviews\"\n\
             script=\"$HOME/judge-$RALPH_TASK\"\n\
             if [ -e \"$script\" ]; then . \"$script\"; else echo '{PASS}'; fi"
        ),
    );
    project.commit();
    project
}

fn run<'a>(project: &'a Project, options: &[&str]) -> RalphCommand<'a> {
    let reviewer = ["--reviewer", "cmd:judge"];
    let run = project.run(&[&reviewer, options].concat());
    run.env("RALPH_TASK_REVIEW", "ask")
}

/// What the reviewer does for a task, as a shell script.
fn judge(project: &Project, task: usize, script: &str) {
    let file = project.environment.home().join(format!("judge-{task}"));
    fs::write(file, script).unwrap();
}

/// The calls of the reviewer, as task and attempt.
fn reviews(project: &Project) -> Vec<String> {
    let calls = fs::read_to_string(project.environment.home().join("reviews"));
    let calls = calls.unwrap_or_default();
    calls.lines().map(str::to_owned).collect()
}

fn asked(project: &Project, task: usize, attempt: usize) -> String {
    let file = format!("review-{task}-{attempt}");
    fs::read_to_string(project.environment.home().join(file)).unwrap()
}

#[test]
fn a_change_that_passes_at_once_lands_and_its_reviewer_got_task_spec_and_diff() {
    let project = reviewed(&["[]", "[1]"]);
    let ran = run(&project, &[]).run().exits(0);
    assert_eq!(project.calls(), ["1.1", "2.1"]);
    assert_eq!(reviews(&project), ["1.1", "2.1"]);
    assert_eq!(project.log(), ["Task 2", "Task 1", "Start"]);
    let asked = asked(&project, 2, 1);
    for part in [
        "Review a change of a project",
        "file change.md>>>",
        "# Task 2: Task 2",
        "## The task, tasks/demo/02-task.md",
        "Write the file.",
        "## The specification, specs/DEMO.md",
        "Files with numbers.",
        "+++ b/2.txt",
        "\n+2\n",
    ] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    assert!(!asked.contains("1.txt"), "{asked}");
    assert!(ran.stdout.contains("review of attempt 1"), "{}", ran.stdout);
    let report = project.report();
    let review = &report["tasks"][0]["reviews"][0];
    assert_eq!(review["review"]["verdict"], "pass");
    assert_eq!(review["attempt"], 1);
    assert_eq!(review["by"]["backend"], "cmd");
}

#[test]
fn without_the_setting_no_change_is_reviewed() {
    let project = reviewed(&["[]"]);
    let reviewer = ["--reviewer", "cmd:judge"];
    project.run(&reviewer).run().exits(0);
    assert!(reviews(&project).is_empty());
}

#[test]
fn the_feedback_reaches_the_implementer_and_the_next_attempt_is_the_next_round() {
    let project = reviewed(&["[]"]);
    project.agent(
        1,
        "echo 1 > 1.txt; [ $RALPH_ATTEMPT = 1 ] || echo origin >> 1.txt",
    );
    judge(
        &project,
        1,
        &format!("if [ $RALPH_ATTEMPT = 1 ]; then echo '{REVISE}'; else echo '{PASS}'; fi"),
    );
    run(&project, &[]).run().exits(0);
    assert_eq!(project.calls(), ["1.1", "1.2"]);
    assert_eq!(reviews(&project), ["1.1", "1.2"]);
    assert_eq!(project.rejected(1), ["change_rejected"]);
    let prompt = project.prompt(1, 2);
    for part in [
        "\"code\": \"change_rejected\"",
        "feedback of the review>>>",
        "the file says nothing about its origin",
        "add a second line with the word origin",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    // The second round knows what the first asked for.
    let second = asked(&project, 1, 2);
    assert!(
        second.contains("the file says nothing about its origin"),
        "{second}"
    );
    assert!(second.contains("\n+origin\n"), "{second}");
    assert_eq!(project.environment.read("1.txt"), "1\norigin\n");
    let report = project.report();
    let reviews = report["tasks"][0]["reviews"].as_array().unwrap().iter();
    let verdicts: Vec<_> = reviews
        .map(|review| review["review"]["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["needs_revision", "pass"]);
}

#[test]
fn a_change_that_never_passes_parks_its_task_by_name_and_others_land() {
    let project = reviewed(&["[]", "[1]", "[]"]);
    project.agent(1, "echo 1 > 1.txt; echo $RALPH_ATTEMPT >> 1.txt");
    judge(&project, 1, &format!("echo '{REVISE}'"));
    let ran = run(&project, &[]).run().exits(1);
    assert_eq!(project.states(), ["parked", "skipped", "landed"]);
    assert_eq!(project.rejected(1), ["change_rejected"; 3]);
    assert_eq!(project.log(), ["Task 3", "Start"]);
    assert!(!project.environment.root().join("1.txt").exists());
    let next =
        "read what the review of task 1 asks for and make its file clearer, then `ralph resume ";
    assert!(ran.stdout.contains(next), "{}", ran.stdout);
    // A resume gives it new attempts, and the review goes on.
    judge(&project, 1, &format!("echo '{PASS}'"));
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(project.states(), ["landed", "landed", "landed"]);
    assert!(
        project
            .prompt(1, 4)
            .contains("add a second line with the word origin")
    );
}

#[test]
fn a_reviewer_that_fails_parks_the_task_and_a_resume_has_the_same_change_reviewed() {
    for (script, block) in [
        ("echo broken >&2; exit 1", "reviewer_failed"),
        ("echo 'looks good to me'", "malformed"),
    ] {
        let project = reviewed(&["[]", "[]"]);
        judge(&project, 1, script);
        let ran = run(&project, &[]).run().exits(1);
        assert_eq!(project.states(), ["parked", "landed"], "{block}");
        assert_eq!(project.rejected(1), ["review_failed"]);
        assert_eq!(project.log(), ["Task 2", "Start"]);
        let reason = format!("the review of its change ended without a pass ({block}): ");
        assert!(ran.stdout.contains(&reason), "{}", ran.stdout);
        let next = "remove what stopped task 1, then `ralph resume ";
        assert!(ran.stdout.contains(next), "{}", ran.stdout);
        judge(&project, 1, &format!("echo '{PASS}'"));
        project.environment.ralph(["resume", "latest"]).exits(0);
        // The agent is not called again.
        assert_eq!(project.calls(), ["1.1", "2.1"]);
        assert_eq!(project.log(), ["Task 1", "Task 2", "Start"]);
    }
}

#[test]
fn a_run_killed_in_a_review_asks_it_again_and_one_that_ended_is_not_repeated() {
    let project = reviewed(&["[]", "[1]"]);
    judge(
        &project,
        2,
        &format!(
            "if [ ! -e \"$HOME/killed\" ]; then touch \"$HOME/killed\"; kill -9 $PPID; fi; echo '{PASS}'"
        ),
    );
    let killed = run(&project, &[]).into_std().status().unwrap();
    assert!(!killed.success());
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(project.calls(), ["1.1", "2.1"]);
    assert_eq!(reviews(&project), ["1.1", "2.1", "2.1"]);
    assert_eq!(project.log(), ["Task 2", "Task 1", "Start"]);
}

#[test]
fn a_run_killed_after_a_revision_gives_its_feedback_to_the_next_attempt() {
    let project = reviewed(&["[]"]);
    project.agent(
        1,
        "if [ $RALPH_ATTEMPT = 2 ] && [ ! -e \"$HOME/killed\" ]; then touch \"$HOME/killed\"; \
         kill -9 $PPID; fi; echo 1 > 1.txt; echo $RALPH_ATTEMPT >> 1.txt",
    );
    judge(
        &project,
        1,
        &format!("if [ $RALPH_ATTEMPT = 1 ]; then echo '{REVISE}'; else echo '{PASS}'; fi"),
    );
    let killed = run(&project, &[]).into_std().status().unwrap();
    assert!(!killed.success());
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(reviews(&project), ["1.1", "1.2"]);
    assert!(
        project
            .prompt(1, 2)
            .contains("add a second line with the word origin")
    );
    assert_eq!(project.log(), ["Task 1", "Start"]);
}

#[test]
fn calls_of_reviewers_count_against_the_limit_of_the_run() {
    let project = reviewed(&["[]"]);
    let ran = run(&project, &["--max-calls", "1"]).run().exits(5);
    assert_eq!(project.calls(), ["1.1"]);
    assert!(reviews(&project).is_empty());
    assert_eq!(project.log(), ["Start"], "{}", ran.stdout);
    let resume = ["resume", "latest", "--max-calls", "2"];
    project.environment.ralph(resume).exits(0);
    assert_eq!(project.calls(), ["1.1"]);
    assert_eq!(reviews(&project), ["1.1"]);
    assert_eq!(project.log(), ["Task 1", "Start"]);
}

#[test]
fn a_reviewer_that_writes_to_what_it_judges_does_not_count() {
    let project = reviewed(&["[]"]);
    judge(
        &project,
        1,
        &format!("echo all good > change.md; echo '{PASS}'"),
    );
    run(&project, &[]).run().exits(1);
    assert_eq!(project.rejected(1), ["review_failed"]);
    assert_eq!(project.log(), ["Start"]);
    judge(
        &project,
        1,
        &format!("cat change.md > \"$HOME/seen\"; echo '{PASS}'"),
    );
    project.environment.ralph(["resume", "latest"]).exits(0);
    let seen = fs::read_to_string(project.environment.home().join("seen")).unwrap();
    assert!(seen.contains("\n+1\n"), "{seen}");
}

#[test]
fn what_cannot_review_changes_is_refused_before_anything_is_made() {
    let project = reviewed(&["[]"]);
    let ran = project
        .run(&[])
        .env("RALPH_TASK_REVIEW", "ask")
        .run()
        .exits(2);
    let error =
        "the embedded reviewer judges specs, and no other reviewer is named for `task.review`";
    assert!(ran.stderr.contains(error), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("--reviewer cmd:PROGRAM"),
        "{}",
        ran.stderr
    );
    assert!(project.calls().is_empty());
    assert!(reviews(&project).is_empty());
}
