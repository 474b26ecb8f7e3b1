//! The reviewer's verdict, and the severity of what it finds.

use crate::closed_list;

closed_list!(
    /// The decision of a reviewer. A third value does not exist: an answer without a
    /// verdict is an error, never a `Verdict`.
    Verdict {
        /// The artifact needs no changes.
        Pass => "pass",
        /// The artifact needs the changes in the feedback.
        NeedsRevision => "needs_revision",
    }
);

closed_list!(
    /// The severity of an item, the highest first.
    Severity {
        /// It must be fixed.
        Critical => "critical",
        /// It should be fixed.
        Major => "major",
        /// It may remain.
        Minor => "minor",
        /// It is a proposal.
        Suggestion => "suggestion",
    }
);

impl Severity {
    /// Returns the severity of an item without one, by the verdict
    /// that it came with.
    #[must_use]
    pub const fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Pass => Self::Minor,
            Verdict::NeedsRevision => Self::Major,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_the_same_in_json_and_in_messages() {
        for (severity, word) in Severity::ALL.iter().zip(Severity::WORDS) {
            assert_eq!(severity.as_str(), *word);
            assert_eq!(serde_json::to_value(severity).unwrap(), *word);
            assert_eq!(word.parse(), Ok(*severity));
        }
    }

    #[test]
    fn the_highest_severity_comes_first() {
        assert!(Severity::ALL.is_sorted());
        assert_eq!(Severity::ALL[0], Severity::Critical);
    }
}
