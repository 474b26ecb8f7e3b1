//! What corrections weigh.

use super::{Correction, Severity, Source};

impl Source {
    /// The weight of what comes from this source, from 0 to 1.
    #[must_use]
    pub const fn weight(self) -> f64 {
        match self {
            Self::Explicit => 1.0,
            Self::Implicit => 0.8,
        }
    }
}

impl Severity {
    /// The score of what is that severe, from 0 to 1.
    #[must_use]
    pub const fn score(self) -> f64 {
        match self {
            Self::High => 1.0,
            Self::Medium => 0.6,
            Self::Low => 0.3,
        }
    }

    /// The severity that a word of reviews stands for: `blocking`, `warning` or
    /// `nit`.
    #[must_use]
    pub fn of_review(word: &str) -> Option<Self> {
        match word {
            "blocking" => Some(Self::High),
            "warning" => Some(Self::Medium),
            "nit" => Some(Self::Low),
            _ => None,
        }
    }
}

impl Correction {
    /// How severe it is; without a word of its own it is medium.
    #[must_use]
    pub fn effective_severity(&self) -> Severity {
        self.severity.unwrap_or(Severity::Medium)
    }

    /// The weight of its source times the score of its severity, from 0 to 1.
    #[must_use]
    pub fn impact(&self) -> f64 {
        self.source.weight() * self.effective_severity().score()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifteen_explicit_and_nine_implicit_corrections_weigh_22_2() {
        let weight = 15.0 * Source::Explicit.weight() + 9.0 * Source::Implicit.weight();
        assert!((weight - 22.2).abs() < 1e-9, "{weight}");
    }

    #[test]
    fn the_severities_of_reviews_score_as_those_of_corrections() {
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
