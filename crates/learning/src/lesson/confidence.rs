//! The confidence of a lesson.

use review_types::Timestamp;

use super::Lesson;
use crate::confidence::{ConfidenceScore, Instance, Recurrence};
use crate::corrections::{self, Source};
use crate::feedback::{FeedbackEntry, FeedbackType, Severity};

/// The factor of the effect of a lesson.
const EFFECT: &str = "effect";
/// The effect of a lesson whose version was rolled back.
const ROLLED_BACK: f64 = 0.25;

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
pub(super) fn confidence(entries: &[&FeedbackEntry], at: Timestamp) -> ConfidenceScore {
    let mut recurrence = Recurrence::new(at);
    for entry in entries {
        recurrence.add(entry.instance());
    }
    recurrence.confidence()
}

impl Lesson {
    /// Returns the lesson with a quarter of its confidence if its version was rolled back.
    #[must_use]
    pub fn weighed(mut self) -> Self {
        let before = self.factors.remove(EFFECT).unwrap_or(1.0);
        let effect = match self.rolled_back_at {
            Some(_) => ROLLED_BACK,
            None => 1.0,
        };
        self.confidence = self
            .confidence
            .map(|value| (value / before * effect).min(1.0));
        if self.confidence.is_some() && effect < 1.0 {
            self.factors.insert(EFFECT.to_owned(), effect);
        }
        self
    }
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

    #[test]
    fn a_lesson_that_was_rolled_back_has_a_quarter_of_its_confidence() {
        let id = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3".parse().unwrap();
        let lesson = Lesson {
            confidence: Some(0.8),
            ..Lesson::proposed(id, "applier", "Uploads hang.".to_owned())
        };
        let back = Lesson {
            rolled_back_at: Some(Timestamp::UNIX_EPOCH),
            ..lesson.clone()
        }
        .weighed();
        assert_eq!(back.confidence, Some(0.2));
        assert_eq!(back.clone().weighed(), back);
        let again = Lesson {
            rolled_back_at: None,
            ..back
        };
        assert_eq!(again.weighed(), lesson);
    }
}
