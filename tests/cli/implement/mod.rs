//! `ralph run --implementer`: a scripted agent writes code in its checkout, ralph decides
//! by the commands, and only what is green reaches the user's branch.

mod budget;
mod caches;
mod cheating;
mod cheats;
mod elsewhere;
mod ends;
mod engine;
mod exercises;
mod held;
mod killed;
mod landing;
mod models;
mod options;
mod picking;
mod progress;
mod reset;
mod resolving;
mod reviewing;
mod runner_files;
mod sandbox;
mod sshd;
mod starting;
mod together;
mod unit;
mod working;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::support::{RalphCommand, TestEnvironment};

/// A project in git with a unit of tasks, and an agent that runs a script for each
/// task.
pub(crate) struct Project {
    pub(crate) environment: TestEnvironment,
}

impl Project {
    /// A unit whose task `N` wants that the file `N.txt` holds `N`, after the tasks in
    /// `dependencies[N-1]`.
    pub(crate) fn new(dependencies: &[&str]) -> Self {
        let project = Self {
            environment: TestEnvironment::new(),
        };
        let environment = &project.environment;
        write_unit(environment, dependencies);
        // Each task has a script of its own; without one it does what is asked.
        environment.program(
            "agent",
            "cat > \"$HOME/prompt-$RALPH_TASK-$RALPH_ATTEMPT\"\n\
             echo \"$RALPH_TASK.$RALPH_ATTEMPT\" >> \"$HOME/calls\"\n\
             script=\"$HOME/task-$RALPH_TASK\"\n\
             if [ -e \"$script\" ]; then . \"$script\"; else echo $RALPH_TASK > $RALPH_TASK.txt; fi",
        );
        project
    }

    /// A project of one commit.
    pub(crate) fn committed(dependencies: &[&str]) -> Self {
        let project = Self::new(dependencies);
        project.commit();
        project
    }

    pub(crate) fn commit(&self) {
        commit(&self.environment);
    }

    pub(crate) fn task(&self, number: usize, depends_on: &str, command: &str) {
        write_task(&self.environment, number, depends_on, command);
    }

    /// What the agent does for a task, as a shell script.
    pub(crate) fn agent(&self, task: usize, script: &str) {
        fs::write(self.environment.home().join(format!("task-{task}")), script).unwrap();
    }

    /// A run whose agents are kept from nothing, so that they can do anything.
    pub(crate) fn run(&self, options: &[&str]) -> RalphCommand<'_> {
        let command = self
            .sandboxed(options)
            .env("RALPH_LANE_SANDBOX", "{mode='off'}");
        if elsewhere::host().is_some() {
            self.set_up_host("off");
        }
        command
    }

    /// A run as users start it.
    pub(crate) fn sandboxed(&self, options: &[&str]) -> RalphCommand<'_> {
        let arguments = [
            "run",
            "--spec",
            "specs/DEMO.md",
            "--tasks-only",
            "--implementer",
            "cmd:agent",
        ];
        let host = elsewhere::host();
        let host = host.map(|host| ["--host", host]);
        if host.is_some() {
            self.set_up_host("auto");
        }
        let arguments = arguments.iter().chain(options);
        self.environment
            .command(arguments.chain(host.iter().flatten()))
    }

    /// The calls of the agent, as task and attempt.
    pub(crate) fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.environment.home().join("calls"));
        calls
            .unwrap_or_default()
            .lines()
            .map(str::to_owned)
            .collect()
    }

    pub(crate) fn prompt(&self, task: usize, attempt: usize) -> String {
        let file = self
            .environment
            .home()
            .join(format!("prompt-{task}-{attempt}"));
        fs::read_to_string(file).unwrap()
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.environment, arguments)
    }

    /// The subjects of the commits of the branch, the newest first.
    pub(crate) fn log(&self) -> Vec<String> {
        let log = self.git(&["log", "--format=%s"]);
        log.lines().map(str::to_owned).collect()
    }

    pub(crate) fn report(&self) -> Value {
        let report = ["report", "latest", "--format", "json"];
        self.environment.ralph(report).json()
    }

    /// The states of the tasks in the report, by number.
    pub(crate) fn states(&self) -> Vec<String> {
        let report = self.report();
        let tasks = report["tasks"].as_array().unwrap().iter();
        let states = tasks.map(|task| task["status"].as_str().unwrap().to_owned());
        states.collect()
    }

    /// The codes of the attempts of a task that were not accepted.
    pub(crate) fn rejected(&self, task: usize) -> Vec<String> {
        let report = self.report();
        let attempts = report["tasks"][task - 1]["attempts"].as_array();
        let attempts = attempts.map_or(&[][..], Vec::as_slice);
        let codes = attempts
            .iter()
            .map(|one| one["code"].as_str().unwrap().to_owned());
        codes.collect()
    }

    /// The folder of the only lane.
    pub(crate) fn lane(&self) -> PathBuf {
        let lanes = self.environment.home().join(".local/state/ralph/lanes");
        let of_root = fs::read_dir(lanes).unwrap().next().unwrap().unwrap();
        let of_run = fs::read_dir(of_root.path())
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        of_run.path()
    }
}

/// A unit whose task `N` wants that the file `N.txt` holds `N`, after the tasks in
/// `dependencies[N-1]`, and a user of git.
pub(crate) fn write_unit(environment: &TestEnvironment, dependencies: &[&str]) {
    environment.write(
        "specs/DEMO.md",
        "# Demo\n\n## Goal\n\nFiles with numbers.\n",
    );
    environment.write(
        "tasks/demo/IMPLEMENTATION_PLAN.md",
        "---\nspec: specs/DEMO.md\n---\n\n# Plan\n",
    );
    for (number, depends_on) in (1..).zip(dependencies) {
        let command = format!("grep -qx {number} {number}.txt");
        write_task(environment, number, depends_on, &command);
    }
    fs::write(
        environment.home().join(".gitconfig"),
        "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n",
    )
    .unwrap();
}

pub(crate) fn write_task(
    environment: &TestEnvironment,
    number: usize,
    depends_on: &str,
    command: &str,
) {
    let path = format!("tasks/demo/{number:02}-task.md");
    let text = format!(
        "---\ntask: {number}\nstatus: pending\ndepends_on: {depends_on}\nbackpressure: {command}\n---\n\n# Task {number}\n\nWrite the file.\n"
    );
    environment.write(path, text);
}

/// Makes the files of the project its only commit.
pub(crate) fn commit(environment: &TestEnvironment) {
    let is_new = !environment.root().join(".git").exists();
    if is_new {
        git(environment, &["init", "-q"]);
    }
    git(environment, &["add", "-A"]);
    let amend = if is_new { &[][..] } else { &["--amend"] };
    git(
        environment,
        &[&["commit", "-q", "-m", "Start"], amend].concat(),
    );
}

pub(crate) fn git(environment: &TestEnvironment, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(environment.root())
        .env_clear()
        .env("PATH", environment.search_path())
        .env("HOME", environment.home())
        .args(arguments)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {error}");
    String::from_utf8(output.stdout)
        .unwrap()
        .trim_end()
        .to_owned()
}

/// Everything about the user's repository but the state folder.
pub(crate) fn untouched(project: &Project) -> (Vec<String>, String, String) {
    (
        project.environment.files(".git/refs"),
        project.git(&["status", "--porcelain=v2", "--branch"]),
        project.git(&["stash", "list"]),
    )
}
