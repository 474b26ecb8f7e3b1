//! The files that decide whether a task is done, or another one, and that its agent may not
//! change. A snapshot restores them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use review_document::command::{Runner, RunsTests, Script, Word};
use review_document::workspace::RecipeTool;
use review_lane::Opens;
use review_lint::Glob;
use review_store::RootPath;
use review_types::is_test_file;

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

/// Returns the files that commands run, and those with tests that they name.
pub(super) fn judging_files(commands: &[String]) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    for text in commands {
        let script = Script::parse(text);
        for (command, run) in script.commands().iter().zip(&script.invocations) {
            files.extend(files_run_by(command));
            let words = command.words.iter().filter(|word| word.is_literal());
            let mut named: Vec<_> = words.flat_map(|word| files_named_by(&word.text)).collect();
            if matches!(run.runner, Runner::CargoTest | Runner::CargoNextest) {
                named.extend(command.words.windows(2).filter_map(test_of_cargo));
            }
            let named = named.iter().filter_map(|path| run.folder.join(path));
            files.extend(named.map(PathBuf::from).filter(|path| is_test_file(path)));
        }
    }
    files
}

/// Returns whether commands, whose own `scripts` have these contents, may run a file with
/// tests: they run tests without naming files, or name a folder above it.
pub(super) fn may_run(commands: &[String], scripts: &[String], path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    let folder = path.parent().and_then(Path::to_str);
    let folder = folder.filter(|folder| !folder.is_empty());
    let mentions = |text: &String| {
        text.contains(name) || folder.is_some_and(|folder| text.contains(&format!("{folder}/")))
    };
    let runs = |text: &String| {
        let script = Script::parse(text);
        let calls = script.commands().iter().zip(&script.invocations);
        let mut calls = calls.filter(|(_, run)| run.runner.runs_tests() != RunsTests::No);
        calls.any(|(command, run)| {
            let mut words = command
                .words
                .iter()
                .filter_map(|word| run.folder.join(&word.text));
            let is_above = |word: String| !word.is_empty() && path.starts_with(&word);
            let is_recipe = matches!(
                run.runner,
                Runner::PackageScript | Runner::Make | Runner::Just
            );
            let names_none = || judging_files(std::slice::from_ref(text)).is_empty();
            words.any(is_above)
                || is_recipe
                || run.runner.runs_tests() == RunsTests::Yes && names_none()
        })
    };
    is_test_file(path) && (commands.iter().chain(scripts).any(runs) || scripts.iter().any(mentions))
}

/// The paths that a word may stand for: a path, that of a test in it, or a module of Python.
fn files_named_by(word: &str) -> Vec<String> {
    let path = word.split("::").next().unwrap_or_default();
    let mut named = vec![path.to_owned()];
    if !path.contains('/') {
        let dots = path.match_indices('.').map(|(at, _)| at);
        let modules = dots.chain([path.len()]).map(|end| &path[..end]);
        named.extend(modules.map(|module| format!("{}.py", module.replace('.', "/"))));
    }
    named
}

/// The file of a test that cargo is asked for by its name.
fn test_of_cargo(words: &[Word<'_>]) -> Option<String> {
    let [option, value] = words else { return None };
    let name = match option.text.strip_prefix("--test=") {
        None if option.text == "--test" => &*value.text,
        name => name?,
    };
    Some(format!("tests/{name}.rs"))
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
    fn files_that_a_command_runs_and_tests_that_it_names_judge_its_task() {
        for (command, files) in [
            ("sh tests/t2.sh --all", &["tests/t2.sh"][..]),
            ("./check.sh app.py", &["check.sh"]),
            (
                "pytest -q tests/test_a.py::test_b app.py",
                &["tests/test_a.py"],
            ),
            ("cd api && pytest tests/test_a.py", &["api/tests/test_a.py"]),
            ("python3 -m unittest -v tests.test_a", &["tests/test_a.py"]),
            ("cargo test --test store -- reads", &["tests/store.rs"]),
            ("cargo test --test=store -q", &["tests/store.rs"]),
            ("node --test web/a.test.mjs", &["web/a.test.mjs"]),
            ("test -f out.txt", &[]),
            ("cargo test reads", &[]),
            ("pytest $FILES", &[]),
        ] {
            let found = judging_files(&[command.to_owned()]);
            let expected: BTreeSet<_> = files.iter().map(PathBuf::from).collect();
            assert_eq!(found, expected, "{command}");
        }
    }

    #[test]
    fn a_command_that_runs_all_tests_may_run_those_of_other_tasks() {
        let other = Path::new("tests/test_b.py");
        let all = "for test in tests/test_*; do sh $test; done";
        for (command, script, expected) in [
            ("pytest", "", true),
            ("pytest -k reads", "", true),
            ("pytest tests", "", true),
            ("make test", "", true),
            ("sh all.sh", all, true),
            ("sh all.sh", "pytest -q", true),
            ("pytest tests/test_a.py", "", false),
            ("sh check.sh", "grep -q one code.txt", false),
            ("test -f code.txt", "", false),
        ] {
            let found = may_run(&[command.to_owned()], &[script.to_owned()], other);
            assert_eq!(found, expected, "{command} {script}");
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
