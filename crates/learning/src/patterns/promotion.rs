//! The promotion of patterns to lessons.

use review_types::closed_list;

/// The minimum number of occurrences for a promotion.
pub const MIN_COUNT: u64 = 3;
/// The minimum confidence for a promotion.
pub const MIN_CONFIDENCE: f64 = 0.6;
/// The confidence from which no draft is needed.
const DIRECT_CONFIDENCE: f64 = 0.9;
/// A promoted pattern with less confidence and without recent occurrences is demoted.
const DEMOTED_CONFIDENCE: f64 = 0.3;
/// The days without occurrences after which a promoted pattern can be demoted.
const DEMOTED_DAYS: i64 = 90;
/// The days without occurrences after which a pattern is stale.
pub(super) const STALE_DAYS: i64 = 180;

closed_list!(
    /// The promotion state of a pattern.
    PromotionState {
        /// Its confidence or its count is too low.
        Observed => "observed",
        /// It can become a lesson after a review by a user.
        Draft => "draft",
        /// It can become a lesson without a review.
        Direct => "direct",
        /// It was promoted.
        Promoted => "promoted",
        /// It was promoted and should be demoted.
        Demoted => "demoted",
    }
);

impl PromotionState {
    /// The state of a pattern that was seen `count` times, last `days` ago.
    #[must_use]
    pub fn new(count: u64, confidence: f64, days: i64, agents: usize, promoted: bool) -> Self {
        if promoted {
            let is_faint = days >= DEMOTED_DAYS && confidence < DEMOTED_CONFIDENCE;
            return if is_faint {
                Self::Demoted
            } else {
                Self::Promoted
            };
        }
        if count < MIN_COUNT || confidence < MIN_CONFIDENCE || agents == 0 {
            Self::Observed
        } else if confidence > DIRECT_CONFIDENCE {
            Self::Direct
        } else {
            Self::Draft
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotion_depends_on_count_confidence_and_agents() {
        for (count, confidence, agents, state) in [
            (2, 0.95, 1, PromotionState::Observed),
            (3, 0.59, 1, PromotionState::Observed),
            (3, 0.95, 0, PromotionState::Observed),
            (3, 0.6, 1, PromotionState::Draft),
            (9, 0.9, 1, PromotionState::Draft),
            (9, 0.91, 1, PromotionState::Direct),
        ] {
            let found = PromotionState::new(count, confidence, 0, agents, false);
            assert_eq!(found, state, "{count} {confidence} {agents}");
        }
    }

    #[test]
    fn a_promoted_pattern_is_demoted_when_it_is_old_and_uncertain() {
        for (confidence, days, state) in [
            (0.29, 90, PromotionState::Demoted),
            (0.3, 90, PromotionState::Promoted),
            (0.29, 89, PromotionState::Promoted),
            (0.95, 0, PromotionState::Promoted),
        ] {
            let found = PromotionState::new(1, confidence, days, 0, true);
            assert_eq!(found, state, "{confidence} {days}");
        }
    }
}
