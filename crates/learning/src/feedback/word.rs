//! Enumerations of feedback.

use crate::protocol::Trigger;
use review_types::closed_list;

closed_list!(
    /// The source of feedback.
    FeedbackType {
        /// A response was malformed or rejected, or an edit was not applied.
        ValidationFailure => "validation_failure",
        /// A reviewer asked for a revision.
        ReviewRejection => "review_rejection",
        /// A score is below its minimum.
        QualityScore => "quality_score",
        /// A user corrected something.
        HumanCorrection => "human_correction",
        /// A task's command failed.
        TestFailure => "test_failure",
        /// A security issue was found.
        SecurityFinding => "security_finding",
    }
);

closed_list!(
    /// The severity, the lowest first.
    #[derive(Default)]
    Severity {
        /// A minor issue.
        Low => "low",
        /// It requires a change; also used for entries without a severity.
        #[default]
        Medium => "medium",
        /// It blocks the work.
        High => "high",
        /// It must never happen.
        Critical => "critical",
    }
);

impl FeedbackType {
    /// The trigger of the collection of this feedback.
    pub(crate) const fn trigger(self) -> Trigger {
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
    fn low_scores_have_a_trigger_with_another_name() {
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
