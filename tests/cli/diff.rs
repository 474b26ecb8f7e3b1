//! `ralph diff`: what the applier of a run changed, or its agents. Escape sequences of their
//! contents are left out.

use serde_json::json;

use crate::implement::Project;
use crate::support::TestEnvironment;

/// A review of three rounds, whose applier adds a line after each.
fn reviewed() -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("doc.md", "# A\n\nText.\n");
    environment.program(
        "judge",
        r#"cat > /dev/null
n=$(grep -c added doc.md)
echo '{"verdict":"needs_revision","score":{"completeness":'$((60 + n))',"consistency":90,"testability":90,"architecture":90},"feedback":[{"section":"A","issue":"line '$n' is missing","suggestion":"add it","severity":"critical"}]}'"#,
    );
    environment.program(
        "fix",
        "cat > /dev/null; printf 'added \\033[31m%s\\n' $(grep -c added doc.md) >> doc.md",
    );
    let agents = ["--reviewer", "cmd:judge", "--applier", "cmd:fix"];
    let review = ["review", "doc.md", "--max-iterations", "3"];
    let ran = environment.ralph(review.iter().chain(&agents));
    ran.exits(1);
    environment
}

#[test]
fn a_review_is_shown_as_a_whole_and_by_round() {
    let environment = reviewed();
    let head = "diff --git a/doc.md b/doc.md\n--- a/doc.md\n+++ b/doc.md\n";
    let added = |n: u32| format!("+added {n}\n");
    let context = |n: u32| format!(" added {n}\n");
    let diff = |options: &[&str]| {
        let words = ["diff", "latest"];
        let ran = environment.ralph(words.iter().chain(options));
        ran.exits(0).stdout
    };
    let whole = format!(
        "{head}@@ -1,3 +1,5 @@\n # A\n \n Text.\n{}{}",
        added(0),
        added(1)
    );
    assert_eq!(diff(&[]), whole);
    let second = format!(
        "{head}@@ -2,3 +2,4 @@\n \n Text.\n{}{}",
        context(0),
        added(1)
    );
    assert_eq!(diff(&["--round", "2"]), second);
    assert_eq!(
        diff(&["--stat"]),
        " doc.md | +2 -0\n 1 file changed, +2 -0\n"
    );
    let last = environment.ralph(["diff", "--round", "3"]).exits(0);
    assert_eq!(last.stdout, "");
    assert!(
        last.stderr.contains("nothing was changed"),
        "{}",
        last.stderr
    );
    let beyond = environment
        .ralph(["diff", "latest", "--round", "4"])
        .exits(2);
    assert!(beyond.stderr.contains("it has 3"), "{}", beyond.stderr);
}

#[test]
fn a_landed_run_and_the_last_attempt_at_each_task_are_shown() {
    let project = Project::committed(&["[]", "[]"]);
    project.agent(2, "echo wrong > 2.txt");
    project.run(&["--attempts", "1"]).run().exits(1);
    assert_eq!(project.states(), ["landed", "parked"]);
    let diff = |options: &[&str]| {
        let words = ["diff", "latest", "--format", "json"];
        let ran = project.environment.ralph(words.iter().chain(options));
        ran.exits(0).json()
    };
    let whole = diff(&[]);
    let file = |path: &str, added: u32| json!({"path": path, "added": added, "removed": 0});
    let files = whole["files"].as_array().unwrap();
    assert!(files.contains(&file("1.txt", 1)), "{whole}");
    assert!(files.iter().all(|file| file["path"] != "2.txt"), "{whole}");
    let parked = diff(&["--task", "2"]);
    assert_eq!(parked["files"], json!([file("2.txt", 1)]));
    assert!(
        parked["diff"].as_str().unwrap().ends_with("+wrong\n"),
        "{parked}"
    );
    let report = project.report();
    let command = report["tasks"][1]["shows_change"].as_str().unwrap();
    let words: Vec<_> = command.split(' ').skip(1).collect();
    let shown = project.environment.ralph(&words).exits(0).stdout;
    assert_eq!(parked["diff"], shown);
    let unknown = project.environment.ralph(["diff", "latest", "--task", "9"]);
    let error = unknown.exits(2).stderr;
    assert!(
        error.contains("no change of an agent for task 9"),
        "{error}"
    );
}

#[test]
fn what_was_tried_is_shown_though_nothing_was_accepted() {
    let project = Project::committed(&["[]", "[]"]);
    project.agent(1, "echo wrong > 1.txt");
    project.agent(2, "true");
    project.run(&["--attempts", "1"]).run().exits(1);
    let ran = project.environment.ralph(["diff"]).exits(0);
    assert_eq!(ran.stdout, "");
    assert_eq!(ran.stderr, "nothing was changed\n");
    let report = project.report();
    let command = report["tasks"][0]["shows_change"].as_str().unwrap();
    let words: Vec<_> = command.split(' ').skip(1).collect();
    let shown = project.environment.ralph(&words).exits(0).stdout;
    assert!(shown.ends_with("+wrong\n"), "{shown}");
}

#[test]
fn secrets_of_the_environment_are_not_in_a_diff() {
    let project = Project::committed(&["[]"]);
    project.agent(1, "echo 1 > 1.txt; echo key-0123456789abcdef > key.txt");
    project.run(&[]).run().exits(0);
    let diff = project.environment.command(["diff", "latest"]);
    let shown = diff
        .env("OPENAI_API_KEY", "key-0123456789abcdef")
        .run()
        .exits(0);
    assert!(shown.stdout.contains("key.txt"), "{}", shown.stdout);
    assert!(
        !shown.stdout.contains("0123456789abcdef"),
        "{}",
        shown.stdout
    );
}
