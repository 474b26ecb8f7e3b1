//! C2.

use std::cell::OnceCell;
use std::collections::HashMap;

use review_document::command::{Invocation, Runner, RunsTests};

use crate::Severity;
use crate::facts::{Facts, ListedTest, Task};
use crate::rule::rule;
use crate::sink::{Sink, excerpt};

rule! {
    /// Finds a listed test that does not say what it asserts, or that two
    /// tasks list.
    ///
    /// ## What it does
    /// Looks at the Must Pass tables: at rows that leave the column after the
    /// test empty, and at names that two tasks list whose commands test the
    /// same package. The second is only pointed out.
    ///
    /// ## Why is this bad
    /// A name alone can be met by a test that asserts nothing. A test that two
    /// tasks list belongs to one of them: the other cannot fail by it.
    ///
    /// ## Example
    /// `| TestMerge_Conflict | |`.
    ///
    /// ## Fix
    /// Say what is true when the test passes: `| TestMerge_Conflict | both
    /// sides are kept |`.
    UnclearListedTest {
        code: "C2",
        name: "unclear-listed-test",
        criterion: Completeness,
        severity: Warning,
        summary: "A listed test does not say what it asserts, or two tasks list it.",
    }
}

/// The most characters of a test's name in a message.
const MAX_NAME: usize = 120;

/// The most commands of a task whose packages are compared.
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

/// Where a command looks for tests.
#[derive(PartialEq, Eq)]
struct Place<'t> {
    runner: Runner,
    folder: Option<String>,
    words: Vec<&'t str>,
}

fn places<'t>(task: &'t Task<'_>) -> Vec<Place<'t>> {
    let runs = task.steps.iter().flat_map(|step| step.script.invocations());
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

/// Whether two tasks mean one test by this name: their commands look in the
/// same place, which is not the whole project.
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
        format!("The table does not say what `{name}` asserts."),
        format!("Write behind `{name}` what is true when it passes."),
    );
}

fn repeated(task: &Task<'_>, test: &ListedTest<'_>, other: &Task<'_>, sink: &mut Sink) {
    let (name, label) = (excerpt(test.name, MAX_NAME), other.label());
    sink.push(
        task.document,
        test.span,
        format!("`{name}` is listed by {label} as well."),
        format!("List `{name}` in the task that writes it, and remove it from the other."),
    )
    .severity(Severity::Info);
}
