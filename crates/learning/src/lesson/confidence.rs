//! The confidence of a lesson.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use review_types::Timestamp;

use super::Lesson;
use crate::config::ConfidenceMethod;
use crate::feedback::{FeedbackEntry, FeedbackType, Severity};
use crate::patterns;

/// The number of days after which feedback weighs half as much.
const HALF_LIFE_DAYS: f64 = 45.0;
/// At this weight the evidence is almost two thirds.
const WEIGHT: f64 = 3.0;
/// Similarity up to this value is treated as chance.
const LEAST_ALIKE: f64 = 0.1;
/// From this similarity on, texts count as identical.
const ALIKE: f64 = 0.7;
/// The factor of what a lesson did while it was in a prompt.
const EFFECT: &str = "effect";
/// The effect of a lesson whose version was taken back.
const TAKEN_BACK: f64 = 0.25;

/// The confidence of a lesson and its factors.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonConfidence {
    /// The confidence, from 0 to 1.
    pub value: f64,
    /// The factors by name, each from 0 to 1.
    pub factors: BTreeMap<String, f64>,
}

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

/// Returns the confidence of a lesson from these entries at the time `at`; `likeness`
/// is their mean similarity to their medoid.
#[must_use]
pub fn confidence(
    entries: &[&FeedbackEntry],
    likeness: f64,
    method: ConfidenceMethod,
    at: Timestamp,
) -> LessonConfidence {
    match method {
        ConfidenceMethod::Cohesion => {
            let cohesion = ((likeness - LEAST_ALIKE) / (ALIKE - LEAST_ALIKE)).clamp(0.0, 1.0);
            let evidence = 1.0 - (-weight(entries, at) / WEIGHT).exp();
            let factors = [("cohesion", cohesion), ("evidence", evidence)];
            LessonConfidence {
                value: cohesion * evidence,
                factors: named(factors),
            }
        }
        ConfidenceMethod::Datum => {
            let factors = published(entries, at);
            LessonConfidence {
                value: factors.confidence(),
                factors: named([
                    ("count", factors.count),
                    ("severity", factors.severity),
                    ("recency", factors.recency),
                    ("services", factors.services),
                    ("source_quality", factors.source_quality),
                ]),
            }
        }
    }
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
        let taken_back = if self.rolled_back { TAKEN_BACK } else { 1.0 };
        taken_back * (helpful + 1.0) / (helpful + harmful + 1.0)
    }
}

fn named<const N: usize>(factors: [(&str, f64); N]) -> BTreeMap<String, f64> {
    let factors = factors.into_iter();
    factors.map(|(name, of)| (name.to_owned(), of)).collect()
}

/// The sum, over all sessions, of the highest entry weight of each.
fn weight(entries: &[&FeedbackEntry], at: Timestamp) -> f64 {
    let mut sessions: HashMap<&str, f64> = HashMap::new();
    let mut sum = 0.0;
    for entry in entries {
        let age = days(entry.timestamp, at) / HALF_LIFE_DAYS;
        let severity = entry.effective_severity().score();
        let weight = entry.feedback_type.weight() * severity * (-age).exp2();
        let session = entry.context.session.as_deref();
        let known = sessions
            .entry(session.unwrap_or(entry.id.as_str()))
            .or_default();
        if weight > *known {
            sum += weight - *known;
            *known = weight;
        }
    }
    sum
}

/// The factors of the published formula; an artifact counts as a service.
fn published(entries: &[&FeedbackEntry], at: Timestamp) -> patterns::Factors {
    let count = entries.len().max(1) as f64;
    let mean =
        |of: fn(&FeedbackEntry) -> f64| entries.iter().map(|entry| of(entry)).sum::<f64>() / count;
    let last = entries.iter().map(|entry| entry.timestamp).max();
    let artifacts: BTreeSet<&str> = entries
        .iter()
        .filter_map(|entry| entry.context.artifact_path.as_deref())
        .collect();
    patterns::Factors::new(
        entries.len() as u64,
        mean(|entry| entry.effective_severity().score()),
        last.map_or(0.0, |last| days(last, at)),
        artifacts.len(),
        mean(|entry| entry.feedback_type.weight()),
    )
}

/// The number of days between two times; 0 if the first is later.
fn days(from: Timestamp, to: Timestamp) -> f64 {
    to.since(from).as_secs_f64() / 86_400.0
}

#[cfg(test)]
mod tests {
    use super::super::fixture::entry;
    use super::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_unix_ms(day * 86_400_000)
    }

    #[test]
    fn feedback_loses_weight_with_age_and_each_session_counts_once() {
        let weight =
            |entries: &[FeedbackEntry]| weight(&entries.iter().collect::<Vec<_>>(), at(90));
        let human = |number, day, session| FeedbackEntry {
            severity: Some(Severity::High),
            timestamp: at(day),
            ..entry(number, FeedbackType::HumanCorrection, session, "i", "c")
        };
        assert!((weight(&[human(1, 90, "a")]) - 1.0).abs() < 1e-9);
        assert!((weight(&[human(1, 45, "a")]) - 0.5).abs() < 1e-9);
        assert!((weight(&[human(1, 99, "a")]) - 1.0).abs() < 1e-9);
        let same = [human(1, 0, "a"), human(2, 90, "a"), human(3, 45, "a")];
        assert!((weight(&same) - 1.0).abs() < 1e-9);
        let other = [human(1, 0, "a"), human(2, 90, "b")];
        assert!((weight(&other) - 1.25).abs() < 1e-9);
        let mut alone = [human(1, 90, "a"), human(2, 90, "a")];
        for entry in &mut alone {
            entry.context.session = None;
        }
        assert!((weight(&alone) - 2.0).abs() < 1e-9);
        let medium = entry(1, FeedbackType::QualityScore, "a", "i", "c");
        let medium = FeedbackEntry {
            timestamp: at(90),
            ..medium
        };
        assert!((weight(&[medium]) - 0.3).abs() < 1e-9);
    }

    #[test]
    fn confidence_grows_with_similarity_and_number_of_entries() {
        let entries: Vec<_> = (0..5)
            .map(|number| {
                let session = format!("s{number}");
                entry(number, FeedbackType::HumanCorrection, &session, "i", "c")
            })
            .collect();
        let entries: Vec<_> = entries.iter().collect();
        let of = |likeness| {
            confidence(
                &entries,
                likeness,
                ConfidenceMethod::Cohesion,
                Timestamp::UNIX_EPOCH,
            )
        };
        // Five times .6 is the weight for which the evidence is 1 - 1/e.
        let evidence = 1.0 - (-1.0_f64).exp();
        for (likeness, cohesion) in [(0.1, 0.0), (0.05, 0.0), (0.4, 0.5), (0.7, 1.0), (0.9, 1.0)] {
            let found = of(likeness);
            assert!(
                (found.factors["cohesion"] - cohesion).abs() < 1e-9,
                "{likeness}"
            );
            assert!((found.factors["evidence"] - evidence).abs() < 1e-9);
            assert!((found.value - cohesion * evidence).abs() < 1e-9);
        }
        let none = confidence(&[], 1.0, ConfidenceMethod::Cohesion, Timestamp::UNIX_EPOCH);
        assert!(none.value.abs() < 1e-9);
    }

    #[test]
    fn a_lesson_loses_confidence_by_what_it_did() {
        let id = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3".parse().unwrap();
        let lesson = Lesson {
            confidence: Some(0.8),
            ..Lesson::proposed(id, "applier", "Uploads hang.".to_owned())
        };
        let of = |helpful, harmful, rolled_back| {
            let lesson = Lesson {
                helpful,
                harmful,
                rolled_back,
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
            rolled_back: true,
            ..lesson
        };
        assert_eq!(unknown.clone().weighed(), unknown);
    }

    #[test]
    fn the_published_formula_can_be_selected() {
        let entries: Vec<_> = (0..5)
            .map(|number| {
                let mut entry = entry(number, FeedbackType::ReviewRejection, "s", "i", "c");
                entry.context.artifact_path = Some(format!("specs/{}.md", number % 2));
                entry.timestamp = at(i64::from(number));
                entry
            })
            .collect();
        let entries: Vec<_> = entries.iter().collect();
        let found = confidence(&entries, 0.0, ConfidenceMethod::Datum, at(49));
        let factors = [0.5, 0.6, 0.5, 2.0 / 3.0, 0.7];
        let names = ["count", "severity", "recency", "services", "source_quality"];
        for (name, expected) in names.into_iter().zip(factors) {
            assert!((found.factors[name] - expected).abs() < 1e-9, "{name}");
        }
        let value = 0.175 + 0.15 + 0.075 + 0.2 / 3.0 + 0.105;
        assert!((found.value - value).abs() < 1e-9, "{}", found.value);
    }
}
