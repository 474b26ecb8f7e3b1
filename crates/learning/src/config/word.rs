//! Enumerations of the configuration.

use crate::feedback::Severity;
use review_types::closed_list;

closed_list!(
    /// The minimum severity of feedback that is kept.
    #[derive(Default)]
    SeverityThreshold {
        /// Any severity.
        #[default]
        All => "all",
        /// Medium, high and critical.
        MediumAndAbove => "medium_and_above",
        /// High and critical.
        HighOnly => "high_only",
    }
);

closed_list!(
    /// How feedback is grouped.
    #[derive(Default)]
    Algorithm {
        /// Leader clustering of distinct forms, then average linkage.
        #[default]
        SemanticSimilarity => "semantic_similarity",
    }
);

closed_list!(
    /// The formula for the confidence of a lesson.
    #[derive(Default)]
    ConfidenceMethod {
        /// The similarity of its feedback times the amount of it.
        #[default]
        Cohesion => "cohesion",
        /// The published formula for patterns of corrections.
        Datum => "datum",
    }
);

impl SeverityThreshold {
    /// Whether feedback of this severity is kept.
    #[must_use]
    pub fn accepts(self, severity: Severity) -> bool {
        let least = match self {
            Self::All => Severity::Low,
            Self::MediumAndAbove => Severity::Medium,
            Self::HighOnly => Severity::High,
        };
        severity >= least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn high_only_accepts_high_and_critical() {
        for (threshold, accepted) in [
            (SeverityThreshold::All, Severity::ALL),
            (SeverityThreshold::MediumAndAbove, &Severity::ALL[1..]),
            (SeverityThreshold::HighOnly, &Severity::ALL[2..]),
        ] {
            let severities = Severity::ALL.iter().copied();
            let found: Vec<_> = severities.filter(|one| threshold.accepts(*one)).collect();
            assert_eq!(found, accepted, "{threshold}");
        }
    }
}
