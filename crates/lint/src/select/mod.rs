//! The listed tests that a command selects.

mod enclosing;
mod go;
mod pytest;

use regex::{Regex, RegexBuilder};
use review_document::Span;
use review_document::command::{Filter, FilterKind, Invocation, Runner, RunsTests};
use review_types::excerpt;

pub(crate) use enclosing::Enclosing;

use crate::facts::{Facts, ListedTest, Step, Task};

/// The maximum number of filters of a task that are evaluated.
const MAX_FILTERS: usize = 32;

/// The maximum size of a compiled expression, in bytes.
const MAX_REGEX: usize = 1 << 20;

/// An answer, if the documents determine it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Answer {
    No,
    Unknown,
    Yes,
}

impl Answer {
    pub(crate) fn of(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }

    pub(crate) fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
            Self::Yes => Self::No,
        }
    }
}

/// The listed tests of a task and the effect of its filters.
#[derive(Debug)]
pub(crate) struct Selection<'a> {
    /// The first filter.
    first: FilterAt,
    /// The number of filters.
    pub(crate) filter_count: usize,
    /// The tests that a runner of the task can run.
    pub(crate) tests: Vec<ListedTest<'a>>,
    /// The tests that certainly no filter selects.
    pub(crate) missed: Vec<ListedTest<'a>>,
    /// The number of tests that some filter certainly selects.
    pub(crate) selected: usize,
}

/// The position of a filter: the indices of its step, command and option.
#[derive(Clone, Copy, Debug)]
struct FilterAt {
    step: usize,
    run: usize,
    filter: usize,
}

/// A filter with its command and option.
#[derive(Clone, Copy)]
struct PlacedFilter<'t, 'a> {
    step: &'t Step<'a>,
    run: &'t Invocation<'a>,
    filter: &'t Filter<'a>,
}

impl<'a> Selection<'a> {
    /// The selection of a task's filters; `None` without filters or if a command
    /// may run any test.
    pub(crate) fn of(task: &Task<'a>, facts: &Facts<'_>) -> Option<Self> {
        if may_run_any(task) {
            return None;
        }
        let filter_count = filters(task).count();
        let first = filters(task)
            .next()
            .filter(|_| filter_count <= MAX_FILTERS)?;
        let placed = filters(task).filter_map(|at| at.of(task));
        let matchers: Vec<_> = placed
            .map(|PlacedFilter { run, filter, .. }| {
                Some((run, Matcher::new(filter.kind, &filter.text)?))
            })
            .collect::<Option<_>>()?;
        let mut selection = Self {
            first,
            filter_count,
            tests: Vec::with_capacity(task.tests.len()),
            missed: Vec::new(),
            selected: 0,
        };
        let enclosing = Enclosing::of(task, facts);
        for &test in &task.tests {
            let answers = matchers.iter().filter_map(|(run, matcher)| {
                let name = run.runner.test_name(test.name)?;
                Some(matcher.selects(name, run, &enclosing))
            });
            let Some(answer) = answers.max() else {
                continue;
            };
            selection.tests.push(test);
            match answer {
                Answer::Yes => selection.selected += 1,
                Answer::No => selection.missed.push(test),
                Answer::Unknown => {}
            }
        }
        (!selection.tests.is_empty()).then_some(selection)
    }

    /// The first filter as written, and its span in the file.
    pub(crate) fn first_filter(&self, task: &Task<'_>) -> Option<(String, Span)> {
        let PlacedFilter { step, filter, .. } = self.first.of(task)?;
        let written = excerpt(filter.span.slice(step.text).unwrap_or_default(), 80);
        Some((written, step.locate(filter.span)))
    }

    /// How to change its first filter.
    pub(crate) fn suggestion(&self, filter: &str) -> String {
        format!(
            "Change `{filter}` so that it selects {}.",
            listed(&self.missed)
        )
    }
}

/// The first few names of some tests.
pub(crate) fn listed(tests: &[ListedTest<'_>]) -> String {
    const SHOWN: usize = 5;
    let names = tests.iter();
    review_types::listed(
        names.map(|test| format!("`{}`", excerpt(test.name, 80))),
        SHOWN,
    )
}

impl FilterAt {
    fn of<'t, 'a>(self, task: &'t Task<'a>) -> Option<PlacedFilter<'t, 'a>> {
        let step = task.steps.get(self.step)?;
        let run = step.script.invocations.get(self.run)?;
        let filter = run.filters.get(self.filter)?;
        Some(PlacedFilter { step, run, filter })
    }
}

/// Whether a command of a task may run tests without a filter that is understood.
fn may_run_any(task: &Task<'_>) -> bool {
    let mut runs = task.steps.iter().flat_map(|step| &step.script.invocations);
    runs.any(|run| match run.runner.runs_tests() {
        RunsTests::Yes => run.filters.is_empty() || run.opaque,
        RunsTests::Perhaps => run.runner != Runner::Other,
        RunsTests::No => false,
    })
}

/// The filters of the test commands of a task.
fn filters(task: &Task<'_>) -> impl Iterator<Item = FilterAt> {
    let steps = task.steps.iter().enumerate();
    steps.flat_map(|(step, commands)| {
        let runs = commands.script.invocations.iter().enumerate();
        let runs = runs.filter(|(_, run)| run.runner.runs_tests() == RunsTests::Yes);
        runs.flat_map(move |(run, command)| {
            let filters = 0..command.filters.len();
            filters.map(move |filter| FilterAt { step, run, filter })
        })
    })
}

/// A parsed filter.
pub(crate) enum Matcher<'t> {
    Go(go::Pattern),
    Contains(&'t str),
    Is(&'t str),
    Pytest(pytest::Expression),
    Title(Regex),
}

impl<'t> Matcher<'t> {
    /// Parses the content of a filter; `None` if it cannot be parsed.
    pub(crate) fn new(kind: FilterKind, text: &'t str) -> Option<Self> {
        Some(match kind {
            FilterKind::GoRun => Self::Go(go::Pattern::new(text)?),
            FilterKind::PathContains | FilterKind::TitleContains => Self::Contains(text),
            FilterKind::PathIs => Self::Is(text),
            FilterKind::PytestExpression => Self::Pytest(pytest::Expression::new(text)?),
            FilterKind::TitleMatches => Self::Title(regex(text)?),
        })
    }

    /// Whether it selects the test of this name. If a runner also matches the names of
    /// modules, files or suites around a test, the names in the documents count as
    /// possible.
    fn selects(&self, name: &str, run: &Invocation<'_>, enclosing: &Enclosing<'_, '_>) -> Answer {
        let around = |text: &str, test: &dyn Fn(&str) -> bool| {
            enclosing.may_hold(run.runner, name, text, test)
        };
        let own = self.selects_own(name);
        let possible = own == Answer::No
            && match self {
                Self::Go(_) => false,
                Self::Contains(text) => around(text, &|word| {
                    let mut parts = text.split("::").filter(|part| !part.is_empty());
                    parts.any(|part| word.contains(part))
                }),
                Self::Is(text) => !name.contains("::") && text.rsplit("::").next() == Some(name),
                Self::Title(regex) => around(regex.as_str(), &|word| regex.is_match(word)),
                Self::Pytest(expression) => {
                    return expression.selects(name, &mut |word| {
                        let word = word.to_lowercase();
                        around(&word, &|other| other.to_lowercase().contains(&word))
                    });
                }
            };
        if possible { Answer::Unknown } else { own }
    }
}

impl Matcher<'_> {
    /// Whether it selects a test by its own name alone.
    fn selects_own(&self, name: &str) -> Answer {
        match self {
            Self::Go(pattern) => Answer::of(pattern.selects(name)),
            Self::Contains(text) => Answer::of(name.contains(text)),
            Self::Is(text) => Answer::of(name == *text),
            Self::Pytest(expression) => expression.selects(name, &mut |_| false),
            Self::Title(regex) => Answer::of(regex.is_match(name)),
        }
    }
}

/// Whether a cell names a test that `runner` can run.
pub(crate) fn is_test_of(runner: Runner, cell: &str) -> bool {
    runner.test_name(cell).is_some()
}

/// Compiles an expression of limited size.
pub(crate) fn regex(text: &str) -> Option<Regex> {
    RegexBuilder::new(text).size_limit(MAX_REGEX).build().ok()
}

#[cfg(test)]
mod tests;
