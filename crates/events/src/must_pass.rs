//! What became of the tests that a task lists.

use serde::{Deserialize, Serialize};

/// What became of the tests that a task lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MustPass {
    /// The listed tests, in the order of the task file.
    pub tests: Vec<ListedTest>,
    /// Why the results of some are not known, in words; `null` when all are.
    pub unknown_because: Option<String>,
}

/// A test that a task lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "MustPassTest"))]
pub struct ListedTest {
    /// Its name as the task lists it.
    pub name: String,
    /// What became of it.
    pub result: TestResult,
}

/// What became of a listed test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TestResult {
    /// It ran and passed.
    Passed,
    /// It ran and failed.
    Failed,
    /// It was skipped or ignored.
    Skipped,
    /// It did not run.
    NotRun,
    /// Nothing that was printed tells.
    Unknown,
}

impl MustPass {
    /// Whether it is about these tests.
    #[must_use]
    pub fn is_of(&self, names: &[String]) -> bool {
        self.tests.iter().map(|test| &test.name).eq(names)
    }

    /// How many tests have this result.
    #[must_use]
    pub fn count(&self, result: TestResult) -> usize {
        self.tests
            .iter()
            .filter(|test| test.result == result)
            .count()
    }

    /// The tests that certainly did not pass.
    pub fn missing(&self) -> impl Iterator<Item = &ListedTest> {
        self.tests.iter().filter(|test| match test.result {
            TestResult::Failed | TestResult::Skipped | TestResult::NotRun => true,
            TestResult::Passed | TestResult::Unknown => false,
        })
    }
}
