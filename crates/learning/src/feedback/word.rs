//! The closed lists of words.

use crate::protocol::Trigger;
use review_types::closed_list;

closed_list!(
    /// Where feedback comes from.
    FeedbackType {
        /// An answer was malformed or sent back, or an edit was not carried out.
        ValidationFailure => "validation_failure",
        /// A reviewer asked for a revision.
        ReviewRejection => "review_rejection",
        /// A score is below its minimum.
        QualityScore => "quality_score",
        /// A person corrected something.
        HumanCorrection => "human_correction",
        /// A task's command failed.
        TestFailure => "test_failure",
        /// Something is wrong with security.
        SecurityFinding => "security_finding",
    }
);

closed_list!(
    /// How grave it is, the least first.
    #[derive(Default)]
    Severity {
        /// A small matter.
        Low => "low",
        /// It needs a change; also what says no severity.
        #[default]
        Medium => "medium",
        /// It stops the work.
        High => "high",
        /// It must never happen.
        Critical => "critical",
    }
);

impl FeedbackType {
    /// What it starts: the collection of feedback.
    #[must_use]
    pub const fn trigger(self) -> Trigger {
        match self {
            Self::ValidationFailure => Trigger::ValidationFailure,
            Self::ReviewRejection => Trigger::ReviewRejection,
            Self::QualityScore => Trigger::LowQualityScore,
            Self::HumanCorrection => Trigger::HumanCorrection,
            Self::TestFailure => Trigger::TestFailure,
            Self::SecurityFinding => Trigger::SecurityFinding,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_low_score_has_a_trigger_of_another_name() {
        let triggers = FeedbackType::ALL.iter().map(|it| it.trigger().as_str());
        let names = FeedbackType::WORDS.iter().map(|word| match *word {
            "quality_score" => "low_quality_score",
            word => word,
        });
        assert!(triggers.eq(names));
    }

    #[test]
    fn severities_are_ordered() {
        assert!(Severity::ALL.is_sorted());
        assert_eq!(Severity::default(), Severity::Medium);
    }
}
