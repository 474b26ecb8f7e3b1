//! Differences from a base by which work could pass that did not before.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{UnknownWord, closed_list};

closed_list!(
    /// A difference from the base by which work could pass that did not before.
    ChangeCode {
        /// A minimum score, or the level that blocks, is lower.
        ThresholdLowered => "threshold_lowered",
        /// The reviewer, its model or a file that it runs is another.
        ReviewerChanged => "reviewer_changed",
        /// The check before a review, or a file that it runs, is another.
        CheckChanged => "check_changed",
        /// A rule of the embedded reviewer is off, or counts less.
        RuleDisabled => "rule_disabled",
        /// The command of a task is another, or cannot fail.
        CommandChanged => "command_changed",
        /// A task lists a test no longer.
        ListedTestRemoved => "listed_test_removed",
        /// A task is gone.
        TaskRemoved => "task_removed",
        /// A task that was complete claims so no longer.
        ClaimWithdrawn => "claim_withdrawn",
        /// The command of a task fails with the tests as they were.
        TestFailsAsItWas => "test_fails_as_it_was",
        /// Tests that ran with the tests as they were do not run.
        TestsGone => "tests_gone",
        /// Tests that ran with the tests as they were are skipped.
        TestsSkipped => "tests_skipped",
        /// What configures a test runner is another.
        RunnerChanged => "runner_changed",
        /// CI, configuration or a script that a command runs is another.
        GateDefinitionChanged => "gate_definition_changed",
        /// The commands could not be run with the tests as they were.
        BaseNotRun => "base_not_run",
    }
);

/// The name of a difference that may pass: `CODE:SUBJECT`, such as
/// `listed_test_removed:auth/3`.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^[a-z_]+:.+$"))]
pub struct AllowedChange {
    code: ChangeCode,
    subject: String,
}

impl AllowedChange {
    /// Returns the name of the difference `code` of `subject`.
    #[must_use]
    pub fn new(code: ChangeCode, subject: impl Into<String>) -> Self {
        Self {
            code,
            subject: subject.into(),
        }
    }
}

impl fmt::Display for AllowedChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.code, self.subject)
    }
}

impl FromStr for AllowedChange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once(':');
        let (code, subject) = parts
            .filter(|(_, subject)| !subject.is_empty())
            .ok_or("must be CODE:SUBJECT, such as listed_test_removed:auth/3")?;
        let code = code.parse();
        let code = code.map_err(|unknown: UnknownWord| format!("the code {unknown}"))?;
        Ok(Self::new(code, subject))
    }
}

impl TryFrom<String> for AllowedChange {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<AllowedChange> for String {
    fn from(change: AllowedChange) -> Self {
        change.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_difference_is_a_code_and_a_subject() {
        let name: AllowedChange = "tests_gone:web/3".parse().unwrap();
        assert_eq!(name, AllowedChange::new(ChangeCode::TestsGone, "web/3"));
        assert_eq!(name.to_string(), "tests_gone:web/3");
        for (text, message) in [
            (
                "tests_gone",
                "must be CODE:SUBJECT, such as listed_test_removed:auth/3",
            ),
            (
                "tests_gone:",
                "must be CODE:SUBJECT, such as listed_test_removed:auth/3",
            ),
        ] {
            let error = text.parse::<AllowedChange>().unwrap_err();
            assert_eq!(error.to_string(), message, "{text}");
        }
        let error = "test_gone:a".parse::<AllowedChange>().unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("the code must be one of [threshold_lowered")
        );
    }
}
