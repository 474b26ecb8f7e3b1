//! The confidence of a lesson.

use review_types::Timestamp;

use super::Lesson;
use crate::confidence::{ConfidenceScore, Sighting, Sightings};
use crate::config::ConfidenceMethod;
use crate::corrections::Source;
use crate::feedback::{FeedbackEntry, FeedbackType, Severity};

/// The factor of what a lesson did while it was in a prompt.
const EFFECT: &str = "effect";
/// The effect of a lesson whose version was taken back.
const TAKEN_BACK: f64 = 0.25;

impl FeedbackType {
    /// The weight of feedback from this source, from 0 to 1.
    #[must_use]
    pub const fn weight(self) -> f64 {
        match self {
            Self::HumanCorrection => 1.0,
            Self::TestFailure => 0.8,
            Self::ReviewRejection | Self::SecurityFinding => 0.7,
            Self::ValidationFailure | Self::QualityScore => 0.5,
        }
    }
}

impl Severity {
    /// The score of this severity, from 0 to 1.
    #[must_use]
    pub const fn score(self) -> f64 {
        match self {
            Self::Low => 0.3,
            Self::Medium => 0.6,
            Self::High | Self::Critical => 1.0,
        }
    }
}

impl FeedbackEntry {
    /// What it adds to the evidence of its pattern; an artifact counts as a service.
    pub(super) fn sighting(&self) -> Sighting<'_> {
        Sighting {
            at: self.timestamp,
            weight: self.weight(),
            severity: self.effective_severity().score(),
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

/// Returns the confidence of a lesson from these entries at the time `at`; `likeness`
/// is their mean similarity to their medoid.
pub(super) fn confidence(
    entries: &[&FeedbackEntry],
    likeness: f64,
    method: ConfidenceMethod,
    at: Timestamp,
) -> ConfidenceScore {
    let mut evidence = Sightings::new(at);
    for entry in entries {
        evidence.add(entry.sighting());
    }
    evidence.confidence(likeness, method)
}

impl Lesson {
    /// Returns the lesson with a confidence that counts what it did while it was in a
    /// prompt: less for one whose feedback recurred, and a quarter for one whose
    /// version was taken back.
    #[must_use]
    pub fn weighed(mut self) -> Self {
        let before = self.factors.remove(EFFECT).unwrap_or(1.0);
        let effect = self.effect();
        self.confidence = self
            .confidence
            .map(|value| (value / before * effect).min(1.0));
        if self.confidence.is_some() && effect < 1.0 {
            self.factors.insert(EFFECT.to_owned(), effect);
        }
        self
    }

    fn effect(&self) -> f64 {
        let count = |count: Option<u32>| f64::from(count.unwrap_or(0));
        let (helpful, harmful) = (count(self.helpful), count(self.harmful));
        let taken_back = if self.rolled_back_at.is_some() {
            TAKEN_BACK
        } else {
            1.0
        };
        taken_back * (helpful + 1.0) / (helpful + harmful + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::entry;
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
    fn a_lesson_loses_confidence_by_what_it_did() {
        let id = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3".parse().unwrap();
        let lesson = Lesson {
            confidence: Some(0.8),
            ..Lesson::proposed(id, "applier", "Uploads hang.".to_owned())
        };
        let of = |helpful, harmful, rolled_back: bool| {
            let lesson = Lesson {
                helpful,
                harmful,
                rolled_back_at: rolled_back.then_some(Timestamp::UNIX_EPOCH),
                ..lesson.clone()
            };
            let weighed = lesson.weighed();
            assert_eq!(weighed.clone().weighed(), weighed);
            weighed.confidence.unwrap()
        };
        for (helpful, harmful, rolled_back, expected) in [
            (None, None, false, 0.8),
            (Some(9), None, false, 0.8),
            (Some(3), Some(4), false, 0.4),
            (None, Some(3), false, 0.2),
            (None, None, true, 0.2),
            (None, Some(1), true, 0.1),
        ] {
            let found = of(helpful, harmful, rolled_back);
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
        let unknown = Lesson {
            confidence: None,
            rolled_back_at: Some(Timestamp::UNIX_EPOCH),
            ..lesson
        };
        assert_eq!(unknown.clone().weighed(), unknown);
    }
}
