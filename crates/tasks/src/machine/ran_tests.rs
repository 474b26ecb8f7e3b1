//! The tests that a command ran, beside those that it ran before a change.

use std::fmt;

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
    /// The tests that are gone.
    pub gone: SomeTests,
    /// The tests that ran before and are skipped now.
    pub skipped: SomeTests,
    /// The tests that pass and were not there before.
    pub new: SomeTests,
    /// The tests that fail, if all of them are named and failed before.
    pub inherited: Option<Inheritance>,
}

/// Failures that were there before a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inheritance {
    /// The tests that fail, as before.
    pub failed: SomeTests,
    /// Whether the task lists tests, and all of them pass.
    pub lists_pass: bool,
    /// Whether a test passes that failed before or was not there.
    pub progresses: bool,
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
    #[must_use]
    pub fn of(known: &TestNames, run: &TestNames, names: Hash, lists_pass: bool) -> Self {
        let changes = known.changes_to(run);
        let inherited = changes.inherits.then(|| Inheritance {
            failed: SomeTests::of(changes.failed),
            lists_pass,
            progresses: changes.progresses,
        });
        let mut gone = SomeTests::of(changes.gone);
        gone.count = gone.count.max(changes.fewer);
        Self {
            names,
            gone,
            skipped: SomeTests::of(changes.skipped),
            new: SomeTests::of(changes.new),
            inherited,
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
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl fmt::Display for SomeTests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = u64::try_from(self.first.len()).unwrap_or(u64::MAX);
        let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        f.write_str(&self.first.join(", "))?;
        match (self.first.len(), self.count.saturating_sub(named)) {
            (0, _) => f.write_str(&plural(count(self.count), "test", "tests")),
            (_, 0) => Ok(()),
            (_, more) => write!(f, " and {more} more"),
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
    fn some_tests_are_named_and_the_others_counted() {
        assert_eq!(some(2).to_string(), "t1, t2");
        assert!(some(23).to_string().ends_with("t20 and 3 more"));
        let unnamed = SomeTests {
            count: 2,
            first: Vec::new(),
        };
        assert_eq!(unnamed.to_string(), "2 tests");
        assert!(!unnamed.is_empty() && some(0).is_empty());
    }
}
