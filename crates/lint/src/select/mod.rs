//! Which of the listed tests a command selects.

mod enclosing;
mod go;
mod name;
mod proposal;
mod pytest;
mod widen;

use regex::{Regex, RegexBuilder};
use review_document::command::{Filter, FilterKind, Invocation, Runner, RunsTests};

pub(crate) use enclosing::Enclosing;
pub(crate) use proposal::{Proposal, listed};

use crate::facts::{Facts, ListedTest, Step, Task};

/// The most filters of a task that are tried.
const MAX_FILTERS: usize = 32;

/// The size of a compiled expression, in bytes.
const MAX_REGEX: usize = 1 << 20;

/// Whether something is so, as far as the documents tell.
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

/// The listed tests of a task, and what its filters do to them.
#[derive(Debug)]
pub(crate) struct Selection<'a> {
    /// The filters, at least one.
    filters: Vec<FilterAt>,
    /// The tests that a runner of the task can run at all.
    pub(crate) tests: Vec<ListedTest<'a>>,
    /// Those that certainly no filter selects.
    pub(crate) missed: Vec<ListedTest<'a>>,
    /// How many tests some filter certainly selects.
    pub(crate) selected: usize,
}

/// Where a filter stands: the indices of its step, command and option.
#[derive(Clone, Copy, Debug)]
struct FilterAt {
    step: usize,
    run: usize,
    filter: usize,
}

/// A filter with what it belongs to.
#[derive(Clone, Copy)]
struct PlacedFilter<'t, 'a> {
    step: &'t Step<'a>,
    run: &'t Invocation<'a>,
    filter: &'t Filter<'a>,
}

impl<'a> Selection<'a> {
    /// How many filters there are.
    pub(crate) fn filter_count(&self) -> usize {
        self.filters.len()
    }

    /// What the filters of a task select; `None` when there is no filter or
    /// when a command may run any test.
    pub(crate) fn of(task: &Task<'a>, facts: &Facts<'_>) -> Option<Self> {
        let filters = test_filters(task)?;
        if filters.len() > MAX_FILTERS {
            return None;
        }
        let placed = filters.iter().filter_map(|at| at.of(task));
        let matchers: Vec<_> = placed
            .map(|placed| Some((placed.run, Matcher::new(placed.filter)?)))
            .collect::<Option<_>>()?;
        let mut selection = Self {
            filters,
            tests: Vec::new(),
            missed: Vec::new(),
            selected: 0,
        };
        let enclosing = Enclosing::of(task, facts);
        for &test in &task.tests {
            let answers = matchers.iter().filter_map(|(run, matcher)| {
                let name = name::of_test(run.runner, test.name)?;
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
}

impl FilterAt {
    fn of<'t, 'a>(self, task: &'t Task<'a>) -> Option<PlacedFilter<'t, 'a>> {
        let step = task.steps.get(self.step)?;
        let run = step.script.invocations().get(self.run)?;
        let filter = run.filters.get(self.filter)?;
        Some(PlacedFilter { step, run, filter })
    }
}

/// The filters by which the commands of a task run tests; `None` when one runs
/// tests without a filter that is understood, or when none runs any.
fn test_filters(task: &Task<'_>) -> Option<Vec<FilterAt>> {
    let mut found = Vec::new();
    for (step, commands) in task.steps.iter().enumerate() {
        for (run, command) in commands.script.invocations().iter().enumerate() {
            match command.runner.runs_tests() {
                RunsTests::Yes if command.filters.is_empty() || command.opaque => return None,
                RunsTests::Yes => {
                    let filters = 0..command.filters.len();
                    found.extend(filters.map(|filter| FilterAt { step, run, filter }));
                }
                RunsTests::Perhaps if command.runner != Runner::Other => return None,
                RunsTests::Perhaps | RunsTests::No => {}
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// A filter, ready to be asked.
pub(crate) enum Matcher {
    Go(go::Pattern),
    Contains(String),
    Is(String),
    Pytest(pytest::Expression),
    Title(Regex),
}

impl Matcher {
    /// Reads a filter; `None` when it cannot be understood.
    pub(crate) fn new(filter: &Filter<'_>) -> Option<Self> {
        let text = &filter.text;
        Some(match filter.kind {
            FilterKind::GoRun => Self::Go(go::Pattern::new(text)?),
            FilterKind::PathContains | FilterKind::TitleContains => {
                Self::Contains(text.to_string())
            }
            FilterKind::PathIs => Self::Is(text.to_string()),
            FilterKind::PytestExpression => Self::Pytest(pytest::Expression::new(text)?),
            FilterKind::TitleMatches => Self::Title(regex(text)?),
        })
    }

    /// Whether it selects the test of this name. Where a runner also looks at
    /// the names of modules, files or suites around a test, those that the
    /// documents tell of count as possible.
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

impl Matcher {
    /// Whether it selects a test by the test's own name alone.
    fn selects_own(&self, name: &str) -> Answer {
        match self {
            Self::Go(pattern) => Answer::of(pattern.selects(name)),
            Self::Contains(text) => Answer::of(name.contains(text)),
            Self::Is(text) => Answer::of(name == text),
            Self::Pytest(expression) => expression.selects(name, &mut |_| false),
            Self::Title(regex) => Answer::of(regex.is_match(name)),
        }
    }
}

/// Whether a cell names a test that `runner` knows.
pub(crate) fn is_test_of(runner: Runner, cell: &str) -> bool {
    name::of_test(runner, cell).is_some()
}

/// An expression of bounded size.
pub(crate) fn regex(text: &str) -> Option<Regex> {
    RegexBuilder::new(text).size_limit(MAX_REGEX).build().ok()
}

#[cfg(test)]
mod tests;
