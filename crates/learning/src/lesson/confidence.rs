//! The confidence of a lesson.

use std::collections::BTreeMap;

use review_types::Timestamp;

use crate::confidence::{Instance, Recurrence};
use crate::corrections::{self, Source};
use crate::feedback::{FeedbackEntry, FeedbackType, Severity};

impl FeedbackType {
    /// The weight of feedback from this source, from 0 to 1.
    pub const fn weight(self) -> f64 {
        match self {
            Self::HumanCorrection => 1.0,
            Self::TestFailure => 0.8,
            Self::ReviewRejection | Self::SecurityFinding => 0.7,
            Self::ValidationFailure | Self::QualityScore => 0.5,
        }
    }
}

impl FeedbackEntry {
    /// What it adds to the recurrence of its pattern; an artifact counts as a service.
    pub(super) fn instance(&self) -> Instance<'_> {
        Instance {
            at: self.timestamp,
            weight: self.weight(),
            severity: match self.effective_severity() {
                Severity::Low => corrections::Severity::Low,
                Severity::Medium => corrections::Severity::Medium,
                Severity::High | Severity::Critical => corrections::Severity::High,
            },
            session: self.context.session.as_deref(),
            service: self.context.artifact_path.as_deref(),
        }
    }

    /// The weight of its source, from 0 to 1; of a correction, that of the correction.
    fn weight(&self) -> f64 {
        let is_implicit = self.feedback_type == FeedbackType::HumanCorrection
            && self.tags.iter().any(|tag| tag == Source::Implicit.as_str());
        match is_implicit {
            true => Source::Implicit.weight(),
            false => self.feedback_type.weight(),
        }
    }
}

/// Returns the confidence of a lesson from these entries at the time `at`.
pub(super) fn confidence(
    entries: &[&FeedbackEntry],
    at: Timestamp,
) -> (f64, BTreeMap<String, f64>) {
    let mut recurrence = Recurrence::new(at);
    for entry in entries {
        recurrence.add(entry.instance());
    }
    recurrence.confidence()
}

#[cfg(test)]
mod tests {
    use super::super::tests::entry;
    use super::*;

    #[test]
    fn an_implicit_correction_weighs_less_than_an_explicit_one() {
        let of = |tag: &str| FeedbackEntry {
            tags: vec![tag.to_owned()],
            ..entry(1, FeedbackType::HumanCorrection, "s", "i", "c")
        };
        let weight = |tag| of(tag).weight();
        assert!((weight("explicit") - 1.0).abs() < 1e-9);
        assert!((weight("implicit") - 0.8).abs() < 1e-9);
    }
}
