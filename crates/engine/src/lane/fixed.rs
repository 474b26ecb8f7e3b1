//! The files that decide whether a task is done and that its agent may not change.

use std::collections::BTreeSet;
use std::path::PathBuf;

use review_document::command::Script;
use review_store::RootPath;
use review_tasks::PlannedTask;

/// Files by which a program finds what to run.
const RECIPES: [(&str, &[&str]); 2] = [
    ("make", &["GNUmakefile", "makefile", "Makefile"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
];
const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];

/// Returns the files of the unit, and those that the commands of a task run.
pub(super) fn fixed_files<'a>(
    unit: impl Iterator<Item = &'a str>,
    task: &PlannedTask,
) -> BTreeSet<PathBuf> {
    let scripts = task.commands.iter().map(|command| Script::parse(command));
    let run = scripts.flat_map(|script| {
        script
            .commands()
            .iter()
            .flat_map(files_run_by)
            .collect::<Vec<_>>()
    });
    unit.map(PathBuf::from).chain(run).collect()
}

/// The files of the project that a simple command runs.
fn files_run_by(command: &review_document::command::SimpleCommand<'_>) -> Vec<PathBuf> {
    let Some(program) = command.program() else {
        return Vec::new();
    };
    if let Some((_, names)) = RECIPES.iter().find(|(name, _)| *name == program.name) {
        return names.iter().map(PathBuf::from).collect();
    }
    let path = if SHELLS.contains(&program.name) {
        let mut args = program.args.iter().map(|word| &*word.text);
        args.find(|arg| !arg.starts_with('-'))
    } else {
        Some(&*program.word.text).filter(|path| path.contains('/'))
    };
    let path = path.and_then(|path| RootPath::new(path).ok());
    path.map(|path| PathBuf::from(path.as_str()))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_a_command_runs_are_fixed_and_files_that_it_reads_are_not() {
        for (command, files) in [
            ("./check.sh --all", &["check.sh"][..]),
            ("bash -e scripts/check.sh a.txt", &["scripts/check.sh"]),
            ("make test", &["GNUmakefile", "Makefile", "makefile"]),
            ("timeout 60 ./a/../check.sh", &["check.sh"]),
            ("pytest -q tests/test_a.py", &[]),
            ("python3 app.py", &[]),
            ("/usr/bin/env true", &[]),
            ("../outside.sh", &[]),
        ] {
            let task: PlannedTask = PlannedTask {
                commands: vec![command.to_owned()],
                ..task()
            };
            let found = fixed_files(std::iter::empty(), &task);
            let expected: BTreeSet<_> = files.iter().map(PathBuf::from).collect();
            assert_eq!(found, expected, "{command}");
        }
    }

    fn task() -> PlannedTask {
        let files = [(
            "tasks/a/01.md",
            "---\ntask: 1\nbackpressure: make\n---\n# A\n",
        )];
        let unit = "a".parse().expect("a valid id");
        review_tasks::TaskPlan::load(unit, "tasks/a", &files).tasks()[0].clone()
    }
}
