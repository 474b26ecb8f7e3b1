//! The results of the tests that a task lists.

use review_types::closed_list;
use serde::{Deserialize, Serialize};

/// The results of the tests that a task lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MustPass {
    /// The listed tests, in the order of the task file.
    pub tests: Vec<ListedTest>,
    /// Why the results of some are unknown; `null` when all are known.
    pub unknown_because: Option<String>,
}

/// A test that a task lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "MustPassTest")]
pub struct ListedTest {
    /// Its name as the task lists it.
    pub name: String,
    /// Its result.
    pub result: TestResult,
}

closed_list!(
    /// The result of a listed test.
    TestResult {
        /// It ran and passed.
        Passed => "passed",
        /// It ran and failed.
        Failed => "failed",
        /// It was skipped or ignored.
        Skipped => "skipped",
        /// It did not run.
        NotRun => "not_run",
        /// The output does not show its result.
        Unknown => "unknown",
    }
);

impl MustPass {
    /// Returns whether it is about these tests.
    #[must_use]
    pub fn is_of(&self, names: &[String]) -> bool {
        self.tests.iter().map(|test| &test.name).eq(names)
    }

    /// Returns the number of tests with this result.
    #[must_use]
    pub fn count(&self, result: TestResult) -> usize {
        self.tests
            .iter()
            .filter(|test| test.result == result)
            .count()
    }

    /// Returns the tests that certainly did not pass.
    pub fn missing(&self) -> impl Iterator<Item = &ListedTest> {
        self.tests.iter().filter(|test| match test.result {
            TestResult::Failed | TestResult::Skipped | TestResult::NotRun => true,
            TestResult::Passed | TestResult::Unknown => false,
        })
    }
}
