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
        /// Groups of distinct forms around leaders.
        #[default]
        SemanticSimilarity => "semantic_similarity",
    }
);

impl SeverityThreshold {
    /// Whether feedback of this severity is kept.
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
