//! B5.

use review_document::Span;
use review_document::command::{Runner, Script, SimpleCommand};

use crate::copies::in_checks;
use crate::facts::{Facts, ListedTest, Step, Task};
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::select::{is_test_of, listed};
use crate::sink::{Sink, excerpt};

use super::other_folder_checked::tests_elsewhere;

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
        fixes: [Unsafe],
        summary: "A task lists tests, but its command runs none.",
    }
}

impl TestsNotRun {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for task in facts.tasks.iter().filter(|task| !task.steps.is_empty()) {
            sink.look_at(tests(task).count());
            if runs_none(task) {
                let tests: Vec<_> = tests(task).collect();
                report(facts, task, &tests, sink);
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

fn report(facts: &Facts<'_>, task: &Task<'_>, tests: &[ListedTest<'_>], sink: &mut Sink) {
    let mut steps = task.steps.iter().enumerate();
    let found = steps.find_map(|(at, step)| Some((at, compiling(step)?)));
    let step = &task.steps[found.map_or(0, |(at, _)| at)];
    let message = message(&excerpt(step.text, 120), tests);
    let found = found.and_then(|(at, word)| {
        let new = with_test(step, word)?;
        runs_tests_of(task, at, &new).then_some((word, new))
    });
    let suggestion = match &found {
        Some((_, new)) => format!("Change the command to `{}`.", excerpt(new, 200)),
        None => format!("Add a command that runs {}.", listed(tests)),
    };
    let fix = found
        .and_then(|(word, _)| step.exact(word))
        .and_then(|span| in_checks(facts, task, Fix::one(Safety::Unsafe, span, "test")));
    let whole = step.locate(Span::new(0, step.text.len()));
    sink.push(task.document, whole, message, suggestion)
        .fix(fix);
}

fn message(command: &str, tests: &[ListedTest<'_>]) -> String {
    let names = listed(tests);
    match tests.len() {
        1 => format!("`{command}` does not run the listed test {names}."),
        count => format!("`{command}` runs none of the {count} listed tests: {names}."),
    }
}

/// The word of a step that can be replaced with `test`.
fn compiling(step: &Step<'_>) -> Option<Span> {
    step.script.commands().iter().find_map(|command| {
        let program = command.program()?;
        let (word, options) = program.args.split_first()?;
        let compiles = match program.name {
            "go" => matches!(&*word.text, "build" | "vet"),
            "cargo" => matches!(&*word.text, "build" | "b" | "check" | "c"),
            _ => false,
        };
        let names_output = options.iter().any(|option| option.text.starts_with("-o"));
        (compiles && !names_output).then_some(word.span)
    })
}

/// The step with a word replaced with `test`.
fn with_test(step: &Step<'_>, word: Span) -> Option<String> {
    let text = step.without_suffix();
    let text = text.as_deref().unwrap_or(step.text).trim_end();
    let (before, behind) = (text.get(..word.start)?, text.get(word.end..)?);
    Some(format!("{before}test{behind}"))
}

/// Whether `new` in place of a step tests the folder that a task changes.
fn runs_tests_of(task: &Task<'_>, at: usize, new: &str) -> bool {
    let new = Script::parse(new);
    let scripts = task.steps.iter().map(|step| &step.script).enumerate();
    let scripts = scripts.map(|(other, script)| if other == at { &new } else { script });
    !tests_elsewhere(task, scripts)
}
