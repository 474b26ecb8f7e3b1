//! The files that decide whether a task is done and that its agent may not change.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use review_document::command::Script;
use review_document::workspace::RecipeTool;
use review_lane::Opens;
use review_lint::Glob;
use review_store::RootPath;

/// Returns the patterns of the configuration and of a task.
pub(super) fn opened(lane: &[Glob], task: &[String]) -> Vec<Glob> {
    let own = task.iter().filter_map(|pattern| match pattern.parse() {
        Ok(glob) => Some(glob),
        Err(error) => {
            tracing::warn!("a pattern of a task: {error}");
            None
        }
    });
    lane.iter().cloned().chain(own).collect()
}

/// Returns whether a pattern matches a path.
pub(super) fn is_open(patterns: &[Glob], path: &Path) -> bool {
    let path = path.to_str();
    path.is_some_and(|path| patterns.iter().any(|glob| glob.matches(path)))
}

/// Returns the files of the unit, and those that these commands of a task run, but for those
/// that it may change.
pub(super) fn fixed_files<'a>(
    unit: impl Iterator<Item = &'a str>,
    commands: &[String],
    opens: Opens<'_>,
) -> BTreeSet<PathBuf> {
    let scripts = commands.iter().map(|command| Script::parse(command));
    let run = scripts.flat_map(|script| {
        script
            .commands()
            .iter()
            .flat_map(files_run_by)
            .collect::<Vec<_>>()
    });
    let run = run.filter(|path| !opens(path));
    unit.map(PathBuf::from).chain(run).collect()
}

/// The files of the project that a simple command runs.
fn files_run_by(command: &review_document::command::SimpleCommand<'_>) -> Vec<PathBuf> {
    let Some(program) = command.program() else {
        return Vec::new();
    };
    let tool = match program.name {
        "make" => Some(RecipeTool::Make),
        "just" => Some(RecipeTool::Just),
        _ => None,
    };
    if let Some(tool) = tool {
        return tool.file_names().iter().map(PathBuf::from).collect();
    }
    let file = program.script_file();
    let path = file.and_then(|file| RootPath::new(&file.text).ok());
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
            let found = fixed_files(std::iter::empty(), &[command.to_owned()], &|_| false);
            let expected: BTreeSet<_> = files.iter().map(PathBuf::from).collect();
            assert_eq!(found, expected, "{command}");
        }
    }

    #[test]
    fn a_task_may_change_what_its_file_or_the_configuration_opens() {
        let lane = ["*.ini".parse().expect("a pattern")];
        let opened = opened(&lane, &["scripts/**".to_owned(), "[".to_owned()]);
        for (path, open) in [
            ("pytest.ini", true),
            ("a/tox.ini", true),
            ("scripts/a/check.sh", true),
            ("check.sh", false),
        ] {
            assert_eq!(is_open(&opened, Path::new(path)), open, "{path}");
        }
        let commands = ["./scripts/check.sh && ./check.sh".to_owned()];
        let unit = ["scripts/spec.md"].into_iter();
        let fixed = fixed_files(unit, &commands, &|path| is_open(&opened, path));
        let expected = ["check.sh", "scripts/spec.md"].map(PathBuf::from);
        assert_eq!(fixed, BTreeSet::from(expected));
    }
}
