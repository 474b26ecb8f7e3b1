//! `ralph clean`: which runs are removed, and what stays.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::scripted::{PASS, REVISE, Scripted};
use crate::support::{Ran, short};

const RUNS: &str = ".ralph-review/runs";
const TRASH: &str = ".ralph-review/trash";

/// A project with a reviewer who is content.
fn content() -> Scripted {
    let project = Scripted::new(&["true"]);
    project.reviewer(&format!("cat > /dev/null; echo '{PASS}'"));
    project.applier("cat > /dev/null");
    project
}

/// The id of a new run that ends with this exit code.
fn run(project: &Scripted, code: i32) -> String {
    let report = project.run(&["--format", "json"]).run().exits(code).json();
    report["run"].as_str().unwrap().to_owned()
}

/// The id of a new run that is blocked, so that it can be resumed.
fn blocked(project: &Scripted) -> String {
    project.reviewer(&format!("cat > /dev/null; echo '{REVISE}'"));
    let id = run(project, 1);
    project.reviewer(&format!("cat > /dev/null; echo '{PASS}'"));
    id
}

fn clean(project: &Scripted, arguments: &[&str]) -> Ran {
    let words = [&["clean"], arguments].concat();
    project.environment.ralph(words)
}

/// The runs of the report of `ralph clean`, each with what becomes of it.
fn states(project: &Scripted, arguments: &[&str]) -> Vec<(String, String)> {
    let json = clean(project, &[arguments, &["--format", "json"]].concat());
    let report = json.exits(0).json();
    let runs = report["runs"].as_array().unwrap().iter();
    let text = |run: &Value, key: &str| run[key].as_str().unwrap().to_owned();
    runs.map(|run| (text(run, "run"), text(run, "state")))
        .collect()
}

#[test]
fn a_quiet_command_prints_its_result_alone() {
    let project = content();
    run(&project, 0);
    let quiet = |words: &[&str], code| {
        let words = [words, &["-q"]].concat();
        project.environment.ralph(words).exits(code).stdout
    };
    let cleaned = quiet(&["clean"], 0);
    assert!(
        cleaned.starts_with("1 run, ")
            && cleaned.ends_with(", can be removed: `ralph clean RUN`\n"),
        "{cleaned}"
    );
    let gate = quiet(&["gate", "--offline"], 0);
    assert_eq!(gate, "passed 2 claims in 1 spec, 0 open\n");
}

fn folder(project: &Scripted, run: &str) -> PathBuf {
    project.environment.root().join(RUNS).join(run)
}

/// The names in a folder, sorted; none without the folder.
fn names(folder: impl AsRef<Path>) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let entries = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = entries.collect();
    names.sort();
    names
}

fn pair(run: &str, state: &str) -> (String, String) {
    (run.to_owned(), state.to_owned())
}

#[test]
fn without_an_argument_the_runs_are_listed_and_stay() {
    let project = content();
    let nothing = clean(&project, &[]).exits(0);
    assert_eq!(nothing.stdout, "nothing to remove\n");
    assert_eq!(names(project.environment.root().join(RUNS)), [""; 0]);
    let (stopped, passed) = (blocked(&project), run(&project, 0));
    let listed = clean(&project, &[]).exits(0).stdout;
    let lines: Vec<_> = listed.lines().collect();
    let start = |line: &str, run: &str, rest: &str| {
        assert!(line.starts_with(short(run)), "{line}");
        assert!(line.ends_with(rest), "{line}");
        assert!(line.contains(" KiB  "), "{line}");
    };
    start(lines[0], &passed, "  passed       specs/DEMO.md");
    let rest = "  not_passed   specs/DEMO.md  can be resumed";
    start(lines[1], &stopped, rest);
    assert!(lines[2].starts_with("1 run, "), "{listed}");
    assert_eq!(lines.len(), 3, "{listed}");
    let report = clean(&project, &["--format", "json"]).exits(0).json();
    assert_eq!(report["v"], 1);
    assert_eq!(report["bytes"], report["runs"][0]["bytes"]);
    assert!(report["bytes"].as_u64().unwrap() > 1000);
    let expected = [pair(&passed, "removable"), pair(&stopped, "resumable")];
    assert_eq!(states(&project, &[]), expected);
    let mut both = [passed, stopped];
    both.sort();
    assert_eq!(names(project.environment.root().join(RUNS)), both);
}

#[test]
fn a_run_that_is_named_goes_and_what_it_proved_to_the_gate_stays_proved() {
    let project = content();
    let id = run(&project, 0);
    project.environment.ralph(["gate", "--offline"]).exits(0);
    assert_eq!(states(&project, &[&id[..23]]), [pair(&id, "removed")]);
    assert!(!folder(&project, &id).exists());
    assert_eq!(names(project.environment.root().join(TRASH)), [""; 0]);
    let gate = ["gate", "--offline", "--format", "json"];
    let gate = project.environment.ralph(gate).exits(0).json();
    assert_eq!(gate["specs"][0]["review"]["status"], "recorded");
    assert_eq!(gate["specs"][0]["tasks"][0]["status"], "recorded");
    let status = project.environment.ralph(["status"]).exits(0).stdout;
    assert!(status.contains("reviewed") && status.contains("recorded"));
    let none = clean(&project, &[&id]).exits(2);
    assert!(none.stderr.contains("no runs in"), "{none:#?}");
}

#[test]
fn a_run_that_can_be_resumed_goes_by_force_alone() {
    let project = content();
    let (stopped, passed) = (blocked(&project), run(&project, 0));
    let refused = clean(&project, &[&passed, &stopped]).exits(2);
    let message = format!(
        "error: run {} ended as not_passed and can be resumed\n",
        short(&stopped)
    );
    assert!(refused.stderr.starts_with(&message), "{refused:#?}");
    let hint = format!(
        "`ralph clean {} --force` removes it anyway",
        short(&stopped)
    );
    assert!(refused.stderr.contains(&hint), "{refused:#?}");
    assert!(folder(&project, &passed).is_dir(), "nothing is removed");
    let forced = clean(&project, &[&passed, "--force", &stopped]).exits(0);
    assert!(forced.stdout.contains("\nremoved 2 runs, "), "{forced:#?}");
    assert_eq!(names(project.environment.root().join(RUNS)), [""; 0]);
}

#[test]
fn old_runs_go_together_and_those_that_can_be_resumed_stay() {
    let project = content();
    let (stopped, passed) = (blocked(&project), run(&project, 0));
    assert_eq!(states(&project, &["--older-than", "30d"]), []);
    assert!(folder(&project, &passed).is_dir());
    let wrong = clean(&project, &["--older-than", "soon"]).exits(2);
    assert!(
        wrong.stderr.contains("must be a time such as 30d or 12h"),
        "{wrong:#?}"
    );
    let expected = [pair(&passed, "removed"), pair(&stopped, "resumable")];
    assert_eq!(states(&project, &["--older-than", "0s"]), expected);
    assert_eq!(names(project.environment.root().join(RUNS)), [stopped]);
}

#[test]
fn a_run_of_a_gate_and_a_review_without_applier_can_be_removed_as_they_are_over() {
    let project = content();
    project.reviewer(&format!("cat > /dev/null; echo '{REVISE}'"));
    let gate = ["gate", "--reviewer", "cmd:judge"];
    project.environment.ralph(gate).exits(1);
    project.run(&["--no-apply"]).run().exits(1);
    let states: Vec<_> = states(&project, &[]).into_iter().map(|run| run.1).collect();
    assert_eq!(states, ["removable", "removable"]);
}

#[test]
fn a_run_that_is_going_on_is_never_removed() {
    let project = content();
    let (older, id) = (run(&project, 0), run(&project, 0));
    // A process that executes a run holds this lock.
    let journal = fs::File::open(folder(&project, &id).join("journal.jsonl")).unwrap();
    journal.lock().unwrap();
    for arguments in [
        &[&*older, &*id] as &[&str],
        &["--force", &id],
        &["latest", "--older-than", "0s"],
    ] {
        let refused = clean(&project, arguments).exits(2);
        let message = format!("error: run {} is still going on\n", short(&id));
        assert!(refused.stderr.starts_with(&message), "{refused:#?}");
    }
    assert!(folder(&project, &older).is_dir(), "nothing is removed");
    let expected = [pair(&id, "live"), pair(&older, "removed")];
    assert_eq!(states(&project, &["--older-than", "0s"]), expected);
    drop(journal);
    assert_eq!(states(&project, &["latest"]), [pair(&id, "removed")]);
}

#[test]
fn what_a_killed_removal_has_left_is_deleted_by_the_next() {
    let project = content();
    let id = run(&project, 0);
    let trash = project.environment.root().join(TRASH);
    for arguments in [&["--older-than", "30d"] as &[&str], &[&id]] {
        // The first run was moved and half of it is deleted, the second is whole.
        fs::create_dir_all(trash.join("0190-half/logs")).unwrap();
        fs::write(trash.join("0190-half/logs/review.1.log"), "text").unwrap();
        fs::create_dir_all(trash.join("0191-whole")).unwrap();
        fs::write(trash.join("0191-whole/journal.jsonl"), "{}\n").unwrap();
        clean(&project, arguments).exits(0);
        assert_eq!(names(&trash), [""; 0], "{arguments:?}");
    }
    assert_eq!(names(project.environment.root().join(RUNS)), [""; 0]);
}

#[test]
fn links_are_removed_and_not_followed() {
    let project = content();
    let id = run(&project, 0);
    let outside = project.environment.home();
    fs::create_dir(outside.join("kept")).unwrap();
    fs::write(outside.join("kept/file"), "mine").unwrap();
    symlink(outside.join("kept"), folder(&project, &id).join("link")).unwrap();
    symlink(outside.join("kept"), folder(&project, "0190-linked")).unwrap();
    let trash = project.environment.root().join(TRASH);
    fs::create_dir(&trash).unwrap();
    symlink(outside.join("kept"), trash.join("0191-linked")).unwrap();
    assert_eq!(
        states(&project, &["--older-than", "0s"]),
        [pair(&id, "removed")]
    );
    assert_eq!(names(&trash), [""; 0]);
    assert_eq!(
        names(project.environment.root().join(RUNS)),
        ["0190-linked"]
    );
    assert_eq!(names(outside.join("kept")), ["file"]);
    fs::remove_dir(&trash).unwrap();
    symlink(outside.join("kept"), &trash).unwrap();
    let id = run(&project, 0);
    clean(&project, &[&id]).exits(2);
    assert_eq!(names(outside.join("kept")), ["file"]);
    assert!(folder(&project, &id).is_dir());
}

#[test]
fn a_run_of_another_state_folder_is_not_removed() {
    let project = content();
    let id = run(&project, 0);
    let path = folder(&project, &id).display().to_string();
    let other = project.outside("state").display().to_string();
    let elsewhere = ["--state-dir", &other, "clean", &path];
    let refused = project.environment.ralph(elsewhere).exits(2);
    let message = format!("[ROOT]/{RUNS}/{id} is not a run of these roots");
    assert!(refused.stderr.contains(&message), "{refused:#?}");
    assert!(folder(&project, &id).is_dir());
    assert!(!Path::new(&other).exists(), "nothing is made");
    clean(&project, &[&path]).exits(0);
    assert!(!folder(&project, &id).exists());
}

#[test]
fn a_run_whose_journal_cannot_be_read_can_be_removed() {
    let project = content();
    let id = run(&project, 0);
    fs::write(folder(&project, &id).join("journal.jsonl"), "no JSON\n").unwrap();
    let report = clean(&project, &["--format", "json"]).exits(0).json();
    let listed = &report["runs"][0];
    assert_eq!(listed["outcome"], "error");
    assert_eq!(listed["spec"], json!(""));
    assert!(listed["at"].is_string(), "its id says when it was started");
    let removed = clean(&project, &["--older-than", "0s"]).exits(0);
    assert!(removed.stdout.contains("removed 1 run, "), "{removed:#?}");
    assert!(!folder(&project, &id).exists());
}
