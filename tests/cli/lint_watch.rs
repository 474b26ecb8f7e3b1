//! `ralph lint --watch`.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command};

use serde_json::Value;

use crate::lint::{TASK, project};
use crate::support::{Ran, TestEnvironment};

/// A watching `ralph`, which is ended with the value.
struct Watching {
    child: Option<Child>,
    reports: BufReader<ChildStdout>,
}

impl Watching {
    fn start(environment: &TestEnvironment) -> Self {
        let arguments = ["lint", "--watch", "--format", "json"];
        let mut child = environment.command(arguments).into_std().spawn().unwrap();
        let reports = BufReader::new(child.stdout.take().unwrap());
        let child = Some(child);
        Self { child, reports }
    }

    fn report(&mut self) -> Value {
        let mut line = String::new();
        self.reports.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// The codes of the next report; those before it may have seen a part of a
    /// change.
    fn wait_for(&mut self, codes: &[&str]) {
        loop {
            let report = self.report();
            let findings = report["findings"].as_array().unwrap();
            let seen: Vec<_> = findings
                .iter()
                .map(|one| one["rule"].as_str().unwrap())
                .collect();
            if seen == codes {
                return;
            }
        }
    }

    fn end(mut self, environment: &TestEnvironment, signal: &str) -> Ran {
        let child = self.child.take().unwrap();
        let sent = Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        Ran::new(environment, child.wait_with_output().unwrap())
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

#[test]
fn files_are_checked_again_when_they_change_until_a_signal() {
    let environment = project();
    let mut watching = Watching::start(&environment);
    watching.wait_for(&["S2", "B2", "G2"]);
    environment.write(
        "specs/CACHE.md",
        "# Cache\n\n## Limits\n\nThe size is 5 MB.\n",
    );
    watching.wait_for(&["B2", "G2"]);
    environment.write("tasks/cache/01-store.md", TASK.replace("[1]", "[]"));
    watching.wait_for(&["B2"]);
    environment.write("specs/new/NOTE.md", "# Note\n\nTBD\n");
    watching.wait_for(&["B2", "S2"]);
    environment.write("specs/new/NOTE.md", "# Note\n\nText.\n");
    watching.wait_for(&["B2"]);
    environment.write("ralph.toml", "[lint]\nignore = [\"B2\"]\n");
    watching.wait_for(&[]);
    std::fs::remove_file(environment.root().join("ralph.toml")).unwrap();
    watching.wait_for(&["B2"]);
    assert_eq!(watching.end(&environment, "INT").exits(130).stderr, "");
}

#[test]
fn what_goes_wrong_later_is_told_and_waited_out() {
    let environment = project();
    let mut watching = Watching::start(&environment);
    watching.wait_for(&["S2", "B2", "G2"]);
    let mut told = BufReader::new(watching.child.as_mut().unwrap().stderr.take().unwrap());
    environment.write("ralph.toml", "[lint]\nselect = [\"S77\"]\n");
    let mut line = String::new();
    told.read_line(&mut line).unwrap();
    assert_eq!(line, "error: `lint.select`: no rule is named \"S77\"\n");
    environment.write("ralph.toml", "[lint]\nselect = [\"S2\"]\n");
    watching.wait_for(&["S2"]);
    watching.end(&environment, "TERM").exits(143);
}

#[test]
fn what_is_wrong_at_the_beginning_ends_the_watch() {
    let environment = TestEnvironment::new();
    environment.ralph(["lint", "--watch"]).exits(4);
    let other = project();
    environment.write("specs/A.md", "# A\n");
    let root = other.root();
    let ran = environment.ralph(["lint", "--watch", "specs", root.to_str().unwrap()]);
    assert_eq!(
        ran.exits(2).stderr,
        "error: --watch checks the files of one root\n"
    );
    environment.ralph(["lint", "--watch", "--fix"]).exits(2);
}
