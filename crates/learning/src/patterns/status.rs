//! The status of a pattern.

use review_types::closed_list;

use crate::confidence::{ConfidenceScore, Sightings};
use crate::config::ConfidenceMethod;
use crate::lesson::LessonStatus;

/// The minimum number of occurrences for a lesson.
const MIN_COUNT: u64 = 3;
/// The minimum confidence for a lesson.
const MIN_CONFIDENCE: f64 = 0.6;
/// The days without occurrences after which a pattern is stale.
pub(super) const STALE_DAYS: i64 = 180;

closed_list!(
    /// The status of a pattern: that of its lesson, where it has one.
    PatternStatus {
        /// No agent has enough of it for a lesson.
        Observed => "observed",
        /// The next analysis proposes a lesson.
        Ready => "ready",
        /// Its lesson awaits approval.
        Proposed => "proposed",
        /// Its lesson is approved but not yet in a prompt.
        Approved => "approved",
        /// Its lesson is rejected, for good.
        Rejected => "rejected",
        /// Its lesson is in a prompt.
        Applied => "applied",
    }
);

impl From<LessonStatus> for PatternStatus {
    fn from(status: LessonStatus) -> Self {
        match status {
            LessonStatus::Proposed => Self::Proposed,
            LessonStatus::Approved => Self::Approved,
            LessonStatus::Rejected => Self::Rejected,
            LessonStatus::Applied => Self::Applied,
        }
    }
}

/// The confidence in a pattern that has a name: what bears it is alike.
pub(crate) fn confidence_in(evidence: &Sightings, method: ConfidenceMethod) -> ConfidenceScore {
    evidence.confidence(1.0, method)
}

/// Whether corrections of an agent that bear one name are enough for a lesson.
pub(crate) fn is_enough(evidence: &Sightings, method: ConfidenceMethod) -> bool {
    evidence.count() >= MIN_COUNT && confidence_in(evidence, method).value >= MIN_CONFIDENCE
}

#[cfg(test)]
mod tests {
    use review_types::Timestamp;

    use super::*;
    use crate::confidence::Sighting;

    #[test]
    fn three_severe_corrections_or_five_medium_ones_are_enough() {
        for (severity, method, least) in [
            (1.0, ConfidenceMethod::Cohesion, Some(3)),
            (0.6, ConfidenceMethod::Cohesion, Some(5)),
            (0.3, ConfidenceMethod::Cohesion, Some(10)),
            (1.0, ConfidenceMethod::Datum, Some(3)),
            (0.3, ConfidenceMethod::Datum, Some(6)),
        ] {
            let is_enough = |count: &usize| {
                let mut evidence = Sightings::new(Timestamp::UNIX_EPOCH);
                for _ in 0..*count {
                    evidence.add(Sighting {
                        at: Timestamp::UNIX_EPOCH,
                        weight: 1.0,
                        severity,
                        session: None,
                        service: Some("s"),
                    });
                }
                super::is_enough(&evidence, method)
            };
            let found = (1..20).find(is_enough);
            assert_eq!(found, least, "{severity} {method}");
        }
    }
}
