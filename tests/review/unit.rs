//! The unit `spec-review` of this repository: its commands select tests, and
//! the tests that its tasks name exist.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use review_document::command::{FilterKind, Runner, Script};
use review_document::{TaskFile, Unit};

/// Returns the names of all tests of this binary.
#[expect(
    clippy::disallowed_methods,
    reason = "a test binary lists its own tests by running itself"
)]
fn tests_of_this_binary() -> BTreeSet<String> {
    let listed = Command::new(std::env::current_exe().unwrap())
        .args(["--list", "--format", "terse"])
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    listed
        .lines()
        .filter_map(|line| line.strip_suffix(": test"))
        .map(str::to_owned)
        .collect()
}

fn unit() -> Unit {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let dir = root.join("tasks/spec-review");
    let files: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let text = std::fs::read_to_string(entry.path()).unwrap();
            (format!("tasks/spec-review/{name}"), text)
        })
        .collect();
    Unit::load("spec-review".parse().unwrap(), "tasks/spec-review", files)
}

/// Returns the tests that a task's one command selects.
fn selected<'t>(task: &TaskFile, tests: &'t BTreeSet<String>) -> BTreeSet<&'t str> {
    let [command] = task.backpressure.as_slice() else {
        panic!("{}: one command", task.path);
    };
    let script = Script::parse(&command.value);
    let [invocation] = &script.invocations[..] else {
        panic!("{}: one invocation", task.path);
    };
    assert_eq!(invocation.runner, Runner::CargoTest, "{}", task.path);
    let start = "cargo test --workspace --test review ";
    assert!(command.value.starts_with(start), "{}", task.path);
    let [filter] = invocation.filters.as_slice() else {
        panic!("{}: one filter", task.path);
    };
    assert_eq!(filter.kind, FilterKind::PathContains, "{}", task.path);
    tests
        .iter()
        .filter(|name| name.contains(&*filter.text))
        .map(String::as_str)
        .collect()
}

/// Returns the tests of a task's Must Pass table.
fn promised(path: &str) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join(path)).unwrap();
    text.lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        .map(|(name, _)| name.to_owned())
        .collect()
}

#[test]
fn the_unit_has_six_tasks_without_a_fault() {
    let unit = unit();
    assert_eq!(unit.faults(), []);
    let numbers: Vec<_> = unit
        .tasks
        .iter()
        .filter_map(|task| task.number.as_ref().map(|number| number.value.get()))
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn every_command_of_the_unit_selects_every_test_that_its_task_names() {
    let tests = tests_of_this_binary();
    for task in &unit().tasks {
        let selected = selected(task, &tests);
        let promised = promised(&task.path);
        assert!(!promised.is_empty(), "{}", task.path);
        for name in &promised {
            assert!(selected.contains(name.as_str()), "{}: {name}", task.path);
        }
    }
}
