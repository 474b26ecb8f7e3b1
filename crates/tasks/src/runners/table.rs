//! The table of test runners, `data/runners.toml`, with its regular expressions.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use regex::{Captures, Regex, RegexSet};
use review_document::command::NameForm;
use serde::Deserialize;

/// The meaning of a line of a runner. If a line has several, they are handled in this
/// order; a suite's title may start a test, but means nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LineKind {
    Inside,
    Repeats,
    File,
    Other,
    Test,
    Started,
    Zero,
    Summary,
    More,
    Some,
    Package,
    Plan,
    Suite,
}

/// How special characters of a name are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Escape {
    Tap,
    Json,
}

/// A row of the table; its fields are explained there.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TestRunner {
    pub(crate) name: String,
    pub(crate) form: NameForm,
    unnamed: Option<String>,
    calls: Vec<String>,
    needs: Vec<String>,
    configured: bool,
    hides: Vec<String>,
    report: Vec<String>,
    pub(crate) standard: bool,
    pub(crate) wraps: Option<String>,
    pub(super) parts: Vec<String>,
    pub(super) joint: Option<String>,
    pub(super) repeats: bool,
    pub(super) escape: Option<Escape>,
    files: Option<String>,
    names: Option<NamesVariable>,
    pub(super) nouns: Nouns,
    lines: BTreeMap<LineKind, Vec<String>>,
}

/// A variable that makes a runner name the tests that ran.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamesVariable {
    pub(crate) variable: String,
    pub(crate) options: String,
}

/// The nouns of a list of numbers, by what they count.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Nouns {
    pub(super) passed: Vec<String>,
    pub(super) failed: Vec<String>,
    pub(super) skipped: Vec<String>,
    pub(super) other: Vec<String>,
}

impl TestRunner {
    /// Returns why it did not name all tests that ran.
    pub(crate) fn unnamed(&self) -> String {
        match &self.unnamed {
            Some(unnamed) => unnamed.clone(),
            None => format!("the names that `{}` prints are not read", self.name),
        }
    }

    /// Returns whether its names are read.
    pub(crate) const fn names_tests(&self) -> bool {
        self.unnamed.is_some()
    }

    /// Returns whether a program with these arguments is it.
    pub(crate) fn is_called(&self, program: &str, arguments: &[&str]) -> bool {
        self.calls.iter().any(|call| {
            let mut words = call.split(' ');
            words.next() == Some(program) && words.all(|word| arguments.contains(&word))
        })
    }

    /// Returns whether it may name all tests with these arguments, or in the JUnit file that
    /// they name.
    pub(crate) fn may_name(&self, arguments: &[&str]) -> bool {
        if self.report(arguments).is_some() {
            return true;
        }
        let is_set = |option: &String| match option.split_once('=') {
            Some((name, value)) => values(arguments, name).any(|set| set == value),
            None => arguments.contains(&&**option),
        };
        // An option with several values prints in several ways.
        let is_silenced = |option: &String| match option.split_once('=') {
            Some((name, _)) => {
                let hides = |value| self.hides.contains(&format!("{name}={value}"));
                is_set(option) && values(arguments, name).all(hides)
            }
            None => is_set(option),
        };
        let prints = self.names_tests() || self.wraps.is_some();
        if !prints || self.hides.iter().any(is_silenced) {
            return false;
        }
        self.configured || self.needs.is_empty() || self.needs.iter().any(is_set)
    }

    /// Returns the JUnit file that it writes with these arguments.
    pub(crate) fn report<'a>(&self, arguments: &[&'a str]) -> Option<&'a str> {
        let mut options = self.report.iter();
        options.find_map(|option| values(arguments, option).next())
    }

    /// Returns whether it has this name, or counts the tests of the runner that has.
    pub(crate) fn is_or_wraps(&self, name: &str) -> bool {
        self.name == name || self.wraps.as_deref() == Some(name)
    }

    /// Returns whether its tests are named between a first line and a summary.
    pub(super) fn runs_inside(&self) -> bool {
        self.lines.contains_key(&LineKind::Inside)
    }
}

/// Returns the values of an option: `OPTION VALUE` and `OPTION=VALUE`.
fn values<'a>(arguments: &[&'a str], option: &str) -> impl Iterator<Item = &'a str> {
    let next = arguments.iter().skip(1).map(Some).chain([None]);
    let pairs = arguments.iter().zip(next);
    pairs.filter_map(move |(argument, next)| match argument.split_once('=') {
        Some((name, value)) => (name == option).then_some(value),
        None => next.filter(|_| *argument == option).copied(),
    })
}

/// A regular expression of the table.
pub(super) struct Pattern {
    /// The index of its row.
    pub(super) row: usize,
    pub(super) kind: LineKind,
    text: String,
    regex: OnceLock<Regex>,
}

impl Pattern {
    /// Returns its parts in a line that it matches.
    #[expect(clippy::expect_used, reason = "the set of all patterns was made of it")]
    pub(super) fn parts<'l>(&self, line: &'l str) -> Option<Captures<'l>> {
        let regex = || Regex::new(&self.text).expect("it is a part of the set");
        self.regex.get_or_init(regex).captures(line)
    }
}

/// The table.
pub(super) struct Table {
    pub(super) rows: Vec<TestRunner>,
    /// By row, then by kind.
    pub(super) patterns: Vec<Pattern>,
    /// All patterns, to find those that match a line.
    pub(super) set: RegexSet,
    /// The names of tests that are files, by row.
    pub(super) files: Vec<Option<Regex>>,
}

#[derive(Deserialize)]
struct Rows {
    runner: Vec<TestRunner>,
}

#[expect(
    clippy::expect_used,
    reason = "the table is part of the program; tests read it"
)]
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    Table::parse(include_str!("../../data/runners.toml")).expect("the table of runners is valid")
});

/// Returns the table.
pub(super) fn table() -> &'static Table {
    &TABLE
}

/// Returns the rows of the table.
pub(crate) fn test_runners() -> &'static [TestRunner] {
    &TABLE.rows
}

/// Returns the variables that make runners name their tests.
pub(crate) fn names_variables() -> impl Iterator<Item = &'static NamesVariable> {
    TABLE.rows.iter().filter_map(|row| row.names.as_ref())
}

impl Table {
    fn parse(text: &str) -> Result<Self, String> {
        let rows: Rows = toml::from_str(text).map_err(|error| error.to_string())?;
        let rows = rows.runner;
        let mut patterns = Vec::new();
        let mut files = Vec::new();
        for (row, runner) in rows.iter().enumerate() {
            for (kind, texts) in &runner.lines {
                patterns.extend(texts.iter().map(|text| Pattern {
                    row,
                    kind: *kind,
                    text: text.clone(),
                    regex: OnceLock::new(),
                }));
            }
            let name = runner.files.as_deref().map(Regex::new).transpose();
            files.push(name.map_err(|error| error.to_string())?);
        }
        let texts = patterns.iter().map(|pattern| pattern.text.as_str());
        let set = RegexSet::new(texts).map_err(|error| error.to_string())?;
        Ok(Self {
            rows,
            patterns,
            set,
            files,
        })
    }
}
