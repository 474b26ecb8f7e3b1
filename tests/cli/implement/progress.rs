//! `ralph report RUN`: how far the tasks of a run are, and where their checkouts are.

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
fn the_report_of_a_run_says_how_far_each_task_is_and_where_it_was_worked_at() {
    let project = stopped();
    let report = project.report();
    let lane = report["lane"].as_str().unwrap();
    assert_eq!(lane, shown_lane(&project));
    let tasks = report["tasks"].as_array().unwrap();
    let states: Vec<_> = tasks.iter().map(|task| task["status"].as_str()).collect();
    assert_eq!(states, [Some("landed"), Some("parked"), Some("skipped")]);
    assert_eq!(tasks[0]["checkout"], serde_json::Value::Null);
    let checkout = tasks[1]["checkout"].as_str().unwrap();
    assert!(
        checkout.starts_with(&format!("{lane}/tasks/2/")),
        "{checkout}"
    );
    let name = checkout.strip_prefix(lane).unwrap();
    let left = format!("{}{name}/2.txt", project.lane().display());
    assert_eq!(std::fs::read_to_string(left).unwrap(), "3\n");
    let shown = project.environment.ralph(["report", "latest"]).exits(0);
    let run = report["run"].as_str().unwrap();
    let run = &run[run.len() - 8..];
    let change = format!(
        "parked task 2  gate_red: exit status 1\n  change   `ralph diff {run} --task 2`\n\
         checkouts are in {lane}\n"
    );
    assert!(shown.stdout.contains(&change), "{}", shown.stdout);
}

#[test]
fn the_status_of_a_run_is_its_report() {
    let project = stopped();
    let refused = project.environment.ralph(["status", "latest"]).exits(2);
    let answer = "error: `ralph status RUN` is `ralph report RUN`\n";
    assert_eq!(refused.stderr, answer);
    let unknown = project.environment.ralph(["status", "nothing"]).exits(2);
    let error = "error: spec \"nothing\" not found\n";
    assert!(unknown.stderr.starts_with(error), "{}", unknown.stderr);
}

#[test]
fn a_run_that_goes_on_is_not_blocked_and_says_what_it_does() {
    let project = Project::committed(&["[]"]);
    let ralph = env!("CARGO_BIN_EXE_ralph");
    let root = project.environment.root();
    let report = format!(
        "(cd {root}; {ralph} status; {ralph} report latest --format json) > \"$HOME/report\"",
        root = root.display()
    );
    project.agent(1, &format!("{report}; echo 1 > 1.txt"));
    project.run(&[]).run().exits(0);
    let said = std::fs::read_to_string(project.environment.home().join("report")).unwrap();
    let (status, report) = said.split_at(said.find("\n{").unwrap());
    let report: serde_json::Value = serde_json::from_str(report).unwrap();
    let run = report["run"].as_str().unwrap();
    let (_, next) = status.split_once("next:\n  wait for run ").unwrap();
    let (id, how) = next
        .split_once(", which is at work on it; `ralph watch ")
        .unwrap();
    assert!(run.ends_with(id) && how.starts_with(id), "{status}");
    assert_eq!(report["outcome"], serde_json::Value::Null);
    let progress = report["progress"].as_str().unwrap();
    assert!(progress.starts_with("process "), "{progress}");
    assert!(progress.ends_with(", task 1"), "{progress}");
}

#[test]
fn a_run_that_was_killed_shows_what_was_open() {
    let project = Project::committed(&["[]", "[1]"]);
    project.agent(1, "kill -9 $PPID; sleep 60");
    let killed = project.run(&[]).into_std().status().unwrap();
    assert!(!killed.success());
    let report = project.report();
    assert_eq!(report["outcome"], "interrupted");
    let tasks = report["tasks"].as_array().unwrap();
    let states: Vec<_> = tasks.iter().map(|task| task["status"].as_str()).collect();
    assert_eq!(states, [Some("not_run"), Some("not_run")]);
    assert!(tasks[0]["checkout"].as_str().is_some(), "{report}");
}
