//! The confidence of a pattern.

use serde::Serialize;

/// The number of occurrences at which the count factor is complete.
const FULL_COUNT: f64 = 10.0;
/// The number of days without occurrences after which recency is zero.
const SILENT_DAYS: f64 = 90.0;
/// The number of services at which the spread factor is complete.
const FULL_SERVICES: f64 = 3.0;

/// The factors of a pattern's confidence, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Factors {
    /// The number of occurrences; ten are enough. Weight .35.
    pub count: f64,
    /// The mean score of their severities. Weight .25.
    pub severity: f64,
    /// How recently it was seen; zero after 90 days. Weight .15.
    pub recency: f64,
    /// The number of services in which it was seen; three are enough. Weight .10.
    pub services: f64,
    /// The mean weight of its sources. Weight .15.
    pub source_quality: f64,
}

impl Factors {
    /// The factors of a pattern that was seen `count` times, last `days` ago, in
    /// `services` services.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a count above ten makes no difference"
    )]
    pub fn new(count: u64, severity: f64, days: f64, services: usize, source_quality: f64) -> Self {
        Self {
            count: (count as f64 / FULL_COUNT).min(1.0),
            severity,
            recency: (1.0 - days / SILENT_DAYS).clamp(0.0, 1.0),
            services: (services as f64 / FULL_SERVICES).min(1.0),
            source_quality,
        }
    }

    /// The confidence, from 0 to 1: the weighted sum of the factors.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        0.35 * self.count
            + 0.25 * self.severity
            + 0.15 * self.recency
            + 0.10 * self.services
            + 0.15 * self.source_quality
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corrections::Severity;
    use crate::patterns::{MIN_CONFIDENCE, Origin};

    #[test]
    fn the_weights_sum_to_one() {
        let all = Factors::new(10, 1.0, 0.0, 3, 1.0);
        assert!((all.confidence() - 1.0).abs() < 1e-9);
        assert_eq!(Factors::new(1_000, 1.0, -5.0, 99, 1.0), all);
        let none = Factors::new(0, 0.0, 90.0, 0, 0.0);
        assert!(none.confidence().abs() < 1e-9);
        let later = Factors::new(5, 0.5, 45.0, 1, 0.5);
        let expected = 0.175 + 0.125 + 0.075 + 0.1 / 3.0 + 0.075;
        assert!((later.confidence() - expected).abs() < 1e-9);
        assert!(Factors::new(0, 0.0, 400.0, 0, 0.0).recency.abs() < 1e-9);
    }

    #[test]
    fn the_number_of_occurrences_for_a_promotion_depends_on_their_source() {
        for (severity, origin, least) in [
            (Severity::High, Origin::Explicit, 1),
            (Severity::Low, Origin::Explicit, 6),
            (Severity::Low, Origin::ReviewNit, 9),
        ] {
            let is_enough = |count: &u64| {
                let factors = Factors::new(*count, severity.score(), 0.0, 1, origin.weight());
                factors.confidence() >= MIN_CONFIDENCE
            };
            assert_eq!(
                (1..20).find(is_enough),
                Some(least),
                "{severity} {origin:?}"
            );
        }
    }
}
