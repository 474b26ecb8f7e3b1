//! B5.

use review_document::Span;
use review_document::command::{Runner, SimpleCommand};
use review_types::excerpt;

use crate::facts::{Facts, ListedTest, Step, Task};
use crate::rule::rule;
use crate::select::{is_test_of, listed};
use crate::sink::Sink;

rule! {
    /// Finds listed tests that no command of their task runs.
    ///
    /// ## What it does
    /// Checks tasks whose Must Pass table lists tests, and whose commands only compile,
    /// format, or query files. A command that may run tests, such as a script or a
    /// recipe, is not reported, and words in the table that are not test names are
    /// ignored.
    ///
    /// ## Why is this bad
    /// The task counts as done as soon as the code compiles, whether the tests pass,
    /// fail or do not exist.
    ///
    /// ## Example
    /// `go build ./internal/store/...`, where the table lists
    /// `TestStore_Keep`.
    ///
    /// ## Fix
    /// Run the tests: `go test ./internal/store/...`.
    TestsNotRun {
        code: "B5",
        name: "tests-not-run",
        criterion: Testability,
        severity: Warning,
        summary: "A task lists tests, but its command runs none.",
    }
}

impl TestsNotRun {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for task in facts.tasks.iter().filter(|task| !task.steps.is_empty()) {
            sink.look_at(tests(task).count());
            if runs_none(task) {
                let tests: Vec<_> = tests(task).collect();
                report(task, &tests, sink);
            }
        }
    }
}

/// Whether a task lists tests but no command runs any.
pub(super) fn runs_none(task: &Task<'_>) -> bool {
    task.steps.iter().all(Step::runs_no_tests) && tests(task).next().is_some()
}

/// The test names in the Must Pass table.
pub(super) fn tests<'a>(task: &Task<'a>) -> impl Iterator<Item = ListedTest<'a>> {
    let family = family(task);
    let tests = task.tests.iter().copied();
    tests.filter(move |test| is_test(family, test.name))
}

/// The test runner for what the task compiles.
fn family(task: &Task<'_>) -> Option<Runner> {
    let commands = task.steps.iter().flat_map(|step| step.script.commands());
    commands
        .filter_map(SimpleCommand::program)
        .find_map(|program| match program.name {
            "go" => Some(Runner::GoTest),
            "cargo" => Some(Runner::CargoTest),
            _ => None,
        })
}

/// Whether a cell names a test of the runner, or of any if the runner is unknown.
fn is_test(family: Option<Runner>, name: &str) -> bool {
    match family {
        Some(runner) => is_test_of(runner, name),
        None => {
            is_test_of(Runner::GoTest, name)
                || is_test_of(Runner::Pytest, name)
                || (name.contains("::") && is_test_of(Runner::CargoTest, name))
        }
    }
}

fn report(task: &Task<'_>, tests: &[ListedTest<'_>], sink: &mut Sink) {
    let step = &task.steps[0];
    let message = message(&excerpt(step.text, 120), tests);
    let suggestion = format!("Add a command that runs {}.", listed(tests));
    let whole = step.locate(Span::new(0, step.text.len()));
    sink.push(task.document, whole, message, suggestion);
}

fn message(command: &str, tests: &[ListedTest<'_>]) -> String {
    let names = listed(tests);
    match tests.len() {
        1 => format!("`{command}` does not run the listed test {names}."),
        count => format!("`{command}` runs none of the {count} listed tests: {names}."),
    }
}
