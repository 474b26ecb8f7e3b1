//! The tests that a command ran, beside those that it ran before a change.

use std::fmt;

use review::events::{MustPass, TestResult};
use review_types::{Hash, plural};
use serde::{Deserialize, Serialize};

use crate::runners::TestNames;

/// Maximum number of tests that are named.
const NAMED: usize = 20;

/// Maximum number of characters of a name.
const MAX_NAME: usize = 200;

/// The tests that a command ran, beside those that it ran before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RanTests {
    /// Hash of the names that are known of the command.
    pub names: Hash,
    /// The number of tests that are known of it from before.
    pub known: u64,
    /// Whether the run named all tests that it ran.
    pub is_named: bool,
    /// The tests that are gone.
    pub gone: SomeTests,
    /// The tests that ran before and are skipped now.
    pub skipped: SomeTests,
    /// The tests that pass and were not there before.
    pub new: SomeTests,
    /// The tests that fail, if all of them are named and failed before.
    pub inherited: Option<SomeTests>,
    /// Whether the task lists tests, and one of them ran or was skipped.
    pub lists_ran: bool,
    /// Whether the task lists tests, and all of them passed, whatever the command says.
    pub lists_pass: bool,
}

/// A number of tests, with the names of the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SomeTests {
    /// The number.
    pub count: u64,
    /// The first names, if there are any.
    pub first: Vec<String>,
}

impl RanTests {
    /// Returns the tests of a run, beside those that are known of its command.
    pub(crate) fn of(
        (known, run): (&TestNames, &TestNames),
        names: Hash,
        listed: Option<&MustPass>,
    ) -> Self {
        let results = || {
            let tests = listed.iter().flat_map(|listed| &listed.tests);
            tests.map(|test| test.result)
        };
        let ran = [TestResult::Passed, TestResult::Failed, TestResult::Skipped];
        let changes = known.changes_to(run);
        let inherited = changes.inherits.then(|| SomeTests::of(changes.failed));
        let mut gone = SomeTests::of(changes.gone);
        gone.count = gone.count.max(changes.fewer);
        Self {
            names,
            known: known.count(),
            is_named: run.is_whole(),
            gone,
            skipped: SomeTests::of(changes.skipped),
            new: SomeTests::of(changes.new),
            inherited,
            lists_ran: results().any(|result| ran.contains(&result)),
            lists_pass: listed.is_some() && results().all(|result| result == TestResult::Passed),
        }
    }
}

impl SomeTests {
    fn of(names: Vec<String>) -> Self {
        let count = u64::try_from(names.len()).unwrap_or(u64::MAX);
        let names = names.into_iter().take(NAMED);
        let first = names.map(|name| name.chars().take(MAX_NAME).collect());
        Self {
            count,
            first: first.collect(),
        }
    }

    /// Returns whether it is empty.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns how many they are of all that are known, as `2 of 25 tests`.
    pub(crate) fn of_known(&self, known: u64) -> String {
        match known.checked_sub(self.count) {
            Some(_) => format!("{} of {}", self.count, counted(known)),
            None => counted(self.count),
        }
    }
}

fn counted(count: u64) -> String {
    plural(
        usize::try_from(count).unwrap_or(usize::MAX),
        "test",
        "tests",
    )
}

/// Writes the first name and the number of the others.
impl fmt::Display for SomeTests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.first.first(), self.count.saturating_sub(1)) {
            (None, _) => f.write_str(&counted(self.count)),
            (Some(name), 0) => f.write_str(name),
            (Some(name), more) => write!(f, "{name} and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(count: usize) -> SomeTests {
        SomeTests::of((1..=count).map(|number| format!("t{number}")).collect())
    }

    #[test]
    fn the_first_of_some_tests_is_named_and_the_others_are_counted() {
        assert_eq!(some(1).to_string(), "t1");
        assert_eq!(some(23).to_string(), "t1 and 22 more");
        assert_eq!(some(23).first.len(), NAMED);
        assert_eq!(some(2).of_known(25), "2 of 25 tests");
        assert_eq!(some(2).of_known(0), "2 tests");
        let unnamed = SomeTests {
            count: 2,
            first: Vec::new(),
        };
        assert_eq!(unnamed.to_string(), "2 tests");
        assert!(!unnamed.is_empty() && some(0).is_empty());
    }
}
