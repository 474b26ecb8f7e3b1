//! Enumerations of corrections.

use review_types::closed_list;

closed_list!(
    /// The type of a correction.
    CorrectionType {
        /// The user fixed bugs, style or logic.
        CodeQuality => "code_quality",
        /// The user added what the agent had left out.
        CodeCompleteness => "code_completeness",
        /// The user rejected the approach.
        ApproachRejection => "approach_rejection",
        /// The agent did something that was not requested.
        ExpectationMismatch => "expectation_mismatch",
        /// The agent misunderstood the request.
        CommunicationGap => "communication_gap",
        /// The user prefers another way.
        PreferenceConflict => "preference_conflict",
    }
);

closed_list!(
    /// The source of a correction.
    Source {
        /// The user stated it.
        Explicit => "explicit",
        /// It follows from what the user did.
        Implicit => "implicit",
    }
);

closed_list!(
    /// The severity, the highest first.
    Severity {
        /// It stopped the work, caused errors or required much rework.
        High => "high",
        /// The user had to step in, but the work went on.
        Medium => "medium",
        /// A small change, or a matter of taste.
        Low => "low",
    }
);

closed_list!(
    /// The confidence in the name of a pattern.
    Confidence {
        /// The name was given by the user or by the agent that was corrected.
        High => "high",
        /// It is likely.
        Medium => "medium",
        /// It is a guess.
        Low => "low",
    }
);

impl Source {
    /// The weight of corrections from this source, from 0 to 1.
    pub const fn weight(self) -> f64 {
        match self {
            Self::Explicit => 1.0,
            Self::Implicit => 0.8,
        }
    }
}

impl Severity {
    /// The score of this severity, from 0 to 1.
    pub const fn score(self) -> f64 {
        match self {
            Self::High => 1.0,
            Self::Medium => 0.6,
            Self::Low => 0.3,
        }
    }

    /// The severity that corresponds to one of reviews: `blocking`, `warning` or `nit`.
    pub(crate) fn of_review(word: &str) -> Option<Self> {
        match word {
            "blocking" => Some(Self::High),
            "warning" => Some(Self::Medium),
            "nit" => Some(Self::Low),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_round_trip_and_others_are_rejected() {
        for word in CorrectionType::ALL {
            assert_eq!(word.as_str().parse(), Ok(*word));
            assert_eq!(serde_json::to_value(word).unwrap(), word.as_str());
        }
        for word in Source::ALL {
            assert_eq!(word.to_string().parse(), Ok(*word));
        }
        let error = "High".parse::<Severity>().unwrap_err().to_string();
        assert_eq!(error, "must be one of [high medium low], got: High");
    }

    #[test]
    fn fifteen_explicit_and_nine_implicit_corrections_weigh_22_2() {
        let weight = 15.0 * Source::Explicit.weight() + 9.0 * Source::Implicit.weight();
        assert!((weight - 22.2).abs() < 1e-9, "{weight}");
    }

    #[test]
    fn severities_of_reviews_have_the_scores_of_their_counterparts() {
        for (word, severity, score) in [
            ("blocking", Severity::High, 1.0),
            ("warning", Severity::Medium, 0.6),
            ("nit", Severity::Low, 0.3),
        ] {
            assert_eq!(Severity::of_review(word), Some(severity));
            assert!((severity.score() - score).abs() < f64::EPSILON);
        }
        assert_eq!(Severity::of_review("high"), None);
    }
}
