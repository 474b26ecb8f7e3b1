//! C2.

use std::cell::OnceCell;
use std::collections::HashMap;

use review_document::command::{Invocation, Runner, RunsTests};
use review_types::excerpt;

use crate::Severity;
use crate::facts::{Facts, ListedTest, Task};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a listed test without an assertion, or one that two tasks list.
    ///
    /// ## What it does
    /// Checks the Must Pass tables: reports rows whose column after the test is empty,
    /// and names listed by two tasks whose commands test the same package. The latter
    /// is informational.
    ///
    /// ## Why is this bad
    /// A test that asserts nothing can have the right name. A test that two tasks list
    /// belongs to one of them: the other cannot fail because of it.
    ///
    /// ## Example
    /// `| TestMerge_Conflict | |`.
    ///
    /// ## Fix
    /// Describe what is true when the test passes: `| TestMerge_Conflict | both sides
    /// are kept |`.
    UnclearListedTest {
        code: "C2",
        name: "unclear-listed-test",
        criterion: Completeness,
        severity: Warning,
        summary: "A listed test has no assertion, or two tasks list it.",
    }
}

/// The maximum length of a test name in a message, in characters.
const MAX_NAME: usize = 120;

/// The maximum number of commands of a task whose packages are compared.
const MAX_RUNS: usize = 8;

impl UnclearListedTest {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let places_of: Vec<_> = facts.tasks.iter().map(|_| OnceCell::new()).collect();
        let places = |at: usize| places_of[at].get_or_init(|| places(&facts.tasks[at]));
        let tests = facts.tasks.iter().map(|task| task.tests.len()).sum();
        let mut first: HashMap<&str, usize> = HashMap::with_capacity(tests);
        for (at, task) in facts.tasks.iter().enumerate() {
            sink.look_at(task.tests.len());
            for test in &task.tests {
                if test.is_unexplained {
                    unexplained(task, test, sink);
                }
                let other = *first.entry(test.name).or_insert(at);
                if other != at && is_one(test.name, places(other), places(at)) {
                    repeated(task, test, &facts.tasks[other], sink);
                }
            }
        }
    }
}

/// The place in which a command looks for tests.
#[derive(PartialEq, Eq)]
struct Place<'t> {
    runner: Runner,
    folder: Option<String>,
    words: Vec<&'t str>,
}

fn places<'t>(task: &'t Task<'_>) -> Vec<Place<'t>> {
    let runs = task.steps.iter().flat_map(|step| &step.script.invocations);
    runs.filter(|run| run.runner.runs_tests() == RunsTests::Yes)
        .take(MAX_RUNS)
        .map(place)
        .collect()
}

fn place<'t>(run: &'t Invocation<'_>) -> Place<'t> {
    let words = run.packages.iter().chain(&run.paths);
    let mut words: Vec<_> = words.map(|word| &*word.text).collect();
    words.sort_unstable();
    Place {
        runner: run.runner,
        folder: run.folder.join("x"),
        words,
    }
}

/// Whether two tasks refer to one test by this name: their commands look in the same
/// place, which is not the whole project.
fn is_one(name: &str, one: &[Place<'_>], two: &[Place<'_>]) -> bool {
    let narrow =
        |place: &Place<'_>| name.contains("::") || place.words.iter().any(|word| *word != "./...");
    one.iter().any(|place| narrow(place) && two.contains(place))
}

fn unexplained(task: &Task<'_>, test: &ListedTest<'_>, sink: &mut Sink) {
    let name = excerpt(test.name, MAX_NAME);
    sink.push(
        task.document,
        test.span,
        format!("The table does not describe what `{name}` asserts."),
        format!("Describe after `{name}` what is true when it passes."),
    );
}

fn repeated(task: &Task<'_>, test: &ListedTest<'_>, other: &Task<'_>, sink: &mut Sink) {
    let (name, label) = (excerpt(test.name, MAX_NAME), other.label());
    sink.push(
        task.document,
        test.span,
        format!("`{name}` is also listed by {label}."),
        format!("List `{name}` in the task that writes it, and remove it from the other."),
    )
    .severity(Severity::Info);
}
