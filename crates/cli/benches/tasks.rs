//! What a task costs over a shell that runs the same command as often, and the memory of
//! a run: `cargo bench -p ralph-review --bench tasks`. Each task is synced to the disk;
//! with `TMPDIR=/dev/shm` the figures are without the work of its file system.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench writes files, starts programs, prints what they cost"
)]

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use review_test_support::measure::{
    Program, least_of_programs, milliseconds, peak_memory_of_children, ralph, report,
};
use tempfile::TempDir;

const FEW: u32 = 1_000;
const MANY: u32 = 10_000;
const RUNS: usize = 3;
const MEGABYTE: f64 = 1e6;

/// Which tasks wait for which.
#[derive(Clone, Copy)]
enum Shape {
    /// None waits for another.
    Wide,
    /// Each waits for the previous one.
    Deep,
}

/// A project with tasks whose command does nothing.
struct Project {
    folder: TempDir,
    shape: Shape,
    tasks: u32,
}

impl Project {
    fn new(shape: Shape, tasks: u32) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(folder.path().join("tasks/big")).expect("a folder for the unit");
        fs::create_dir(folder.path().join("specs")).expect("a folder for the spec");
        let spec = "# Big\n\n## Goal\n\nTasks.\n";
        fs::write(folder.path().join("specs/BIG.md"), spec).expect("the spec");
        Self {
            folder,
            shape,
            tasks,
        }
    }

    /// Makes all tasks pending, without a record of an earlier run.
    fn reset(&self) {
        // It is not there before the first run.
        drop(fs::remove_dir_all(self.folder.path().join(".ralph-review")));
        for number in 1..=self.tasks {
            let mut text =
                format!("---\ntask: {number}\nstatus: pending\nbackpressure: \"true\"\n");
            if let (Shape::Deep, 2..) = (self.shape, number) {
                // Writing to a String cannot fail.
                let _ = writeln!(text, "depends_on: [{}]", number - 1);
            }
            let file = format!("tasks/big/{number:06}-task.md");
            let text = format!("{text}---\n\n# Task {number}\n");
            fs::write(self.folder.path().join(file), text).expect("a task");
        }
    }

    fn run(&self) -> Command {
        let mut command = ralph(env!("CARGO_BIN_EXE_ralph"), self.folder.path());
        command.args(["run", "--spec", "specs/BIG.md", "--tasks-only"]);
        command
    }

    fn shell(&self) -> Command {
        let mut command = Command::new("bash");
        let script = "left=$1; while [ $left -gt 0 ]; do bash -c true; left=$((left - 1)); done";
        command.args(["-c", script, "shell", &self.tasks.to_string()]);
        command
    }
}

fn main() {
    for (name, shape) in [("wide", Shape::Wide), ("deep", Shape::Deep)] {
        for tasks in [FEW, MANY] {
            let project = Project::new(shape, tasks);
            let reset = || project.reset();
            let side = |prepare, command| Program {
                prepare,
                command,
                status: 0,
            };
            let costs = least_of_programs(
                RUNS,
                [
                    side(&reset, &|| project.run()),
                    side(&|| {}, &|| project.shell()),
                ],
            );
            let [ours, shell] = costs.map(|cost| milliseconds(cost) / f64::from(tasks));
            println!("{tasks} tasks, {name}: {ours:.3} ms a task, by the shell {shell:.3} ms");
            let what = format!("tasks, {tasks} {name}, one over the shell's");
            report(&what, ours - shell, 1.0, "ms");
            let memory = u32::try_from(peak_memory_of_children() / 1_000).unwrap_or(u32::MAX);
            let what = format!("tasks, memory up to {tasks} {name}");
            report(&what, f64::from(memory) * 1e3 / MEGABYTE, 200.0, "MB");
        }
    }
}
