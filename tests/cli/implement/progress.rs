//! `ralph status RUN`: how far the tasks of a run are, and where their checkouts are.

use super::Project;

/// The folder of the lane as tests see it printed.
fn shown_lane(project: &Project) -> String {
    let lane = project.lane().display().to_string();
    project.environment.normalized(&lane)
}

/// A run with a task that landed, one that is parked, and one that waits for it.
fn stopped() -> Project {
    let project = Project::committed(&["[]", "[]", "[2]"]);
    project.agent(2, "echo 3 > 2.txt");
    project.run(&["--attempts", "1"]).run().exits(1);
    project
}

#[test]
fn the_status_of_a_run_says_how_far_each_task_is() {
    let project = stopped();
    let status = ["status", "latest", "--format", "json"];
    let status = project.environment.ralph(status).exits(0).json();
    assert_eq!(status["outcome"], "not_passed");
    assert_eq!(status["block_code"], "task_failed");
    assert_eq!(status["spec"], "specs/DEMO.md");
    let lane = status["lane"].as_str().unwrap();
    assert_eq!(lane, shown_lane(&project));
    let tasks = status["tasks"].as_array().unwrap();
    let states: Vec<_> = tasks.iter().map(|task| task["status"].as_str()).collect();
    assert_eq!(states, [Some("landed"), Some("parked"), Some("skipped")]);
    assert!(tasks.iter().all(|task| task["running"] == false));
    assert_eq!(tasks[0]["commit"].as_str().map(str::len), Some(40));
    assert_eq!(tasks[0]["checkout"], serde_json::Value::Null);
    assert_eq!(tasks[1]["attempts"][0]["code"], "gate_red");
    let checkout = tasks[1]["checkout"].as_str().unwrap();
    assert!(
        checkout.starts_with(&format!("{lane}/tasks/2/")),
        "{checkout}"
    );
    let name = checkout.strip_prefix(lane).unwrap();
    let left = format!("{}{name}/2.txt", project.lane().display());
    assert_eq!(std::fs::read_to_string(left).unwrap(), "3\n");
    assert_eq!(tasks[2]["reason"], "waits for #2");
    assert_eq!(status["landed"][0]["branch"], "main");
    let next = status["next"][0]["text"].as_str().unwrap();
    assert!(
        next.starts_with("make task 2 pass or its file clearer"),
        "{next}"
    );
}

#[test]
fn users_read_the_status_of_a_run_in_lines() {
    let project = stopped();
    let report = project.report();
    let run = report["run"].as_str().unwrap();
    let status = project.environment.ralph(["status", &run[..13]]).exits(0);
    let head = format!(
        "run {run}  specs/DEMO.md\nnot_passed (task_failed): 2 of 3 tasks did not pass: \
         task 2 parked, task 3 skipped\n  task 1  landed  Task 1\n"
    );
    assert!(status.stdout.starts_with(&head), "{}", status.stdout);
    let lane = shown_lane(&project);
    let name = project.environment.root();
    let name = name.file_name().unwrap().to_str().unwrap();
    let middle = format!(
        "  task 2  parked  Task 2\n    attempt 1: gate_red: exit status 1\n    checkout \
         {lane}/tasks/2/{name}\n    change   `git -C {lane}/lane.git show refs/ralph/task/2/1`\n  task 3  skipped  Task 3\n    waits for #2\nlanded on main at "
    );
    assert!(status.stdout.contains(&middle), "{}", status.stdout);
    let end = format!("task 1\ncheckouts are in {}\nnext:\nmake task 2 pass", lane);
    assert!(status.stdout.contains(&end), "{}", status.stdout);
}

#[test]
fn a_name_that_is_neither_a_spec_nor_a_run_is_an_error_of_a_spec() {
    let project = stopped();
    let unknown = project.environment.ralph(["status", "nothing"]).exits(2);
    assert!(
        unknown
            .stderr
            .starts_with("error: spec \"nothing\" not found\n"),
        "{}",
        unknown.stderr
    );
    assert!(
        unknown
            .stderr
            .ends_with("  hint: it is no run either; `ralph report` lists the runs\n"),
        "{}",
        unknown.stderr
    );
    let spec = project.environment.ralph(["status", "DEMO"]).exits(0);
    assert!(
        spec.stdout.starts_with("specs/DEMO.md  "),
        "{}",
        spec.stdout
    );
}

#[test]
fn a_run_that_goes_on_is_not_blocked_and_says_what_it_does() {
    let project = Project::committed(&["[]"]);
    let ralph = env!("CARGO_BIN_EXE_ralph");
    let root = project.environment.root();
    let status = format!(
        "(cd {root}; {ralph} status latest --format json) > \"$HOME/status\"",
        root = root.display()
    );
    project.agent(1, &format!("{status}; echo 1 > 1.txt"));
    project.run(&[]).run().exits(0);
    let status = std::fs::read(project.environment.home().join("status")).unwrap();
    let status: serde_json::Value = serde_json::from_slice(&status).unwrap();
    assert_eq!(status["outcome"], serde_json::Value::Null);
    assert_eq!(status["block_reason"], "");
    let progress = status["progress"].as_str().unwrap();
    assert!(progress.starts_with("process "), "{progress}");
    assert!(progress.ends_with(", task 1"), "{progress}");
    assert_eq!(status["tasks"][0]["running"], true);
}

#[test]
fn checkouts_that_were_removed_are_not_shown() {
    let project = Project::committed(&["[]"]);
    project.run(&[]).run().exits(0);
    let status = || {
        project
            .environment
            .ralph(["status", "latest"])
            .exits(0)
            .stdout
    };
    assert!(status().contains("checkouts are in "));
    project.environment.ralph(["clean", "--landed"]).exits(0);
    assert!(!status().contains("checkouts"), "{}", status());
}

#[test]
fn a_run_that_was_killed_shows_what_was_open() {
    let project = Project::committed(&["[]", "[1]"]);
    project.agent(1, "kill -9 $PPID; sleep 60");
    let killed = project.run(&[]).into_std().status().unwrap();
    assert!(!killed.success());
    let status = ["status", "latest", "--format", "json"];
    let status = project.environment.ralph(status).exits(0).json();
    assert_eq!(status["outcome"], "interrupted");
    let tasks = status["tasks"].as_array().unwrap();
    let states: Vec<_> = tasks.iter().map(|task| task["status"].as_str()).collect();
    assert_eq!(states, [Some("not_run"), Some("not_run")]);
    assert!(tasks[0]["checkout"].as_str().is_some(), "{status}");
}
