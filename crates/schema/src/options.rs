//! Options for parsing an answer.

use std::num::NonZeroU32;

use review_types::{CriterionName, FeedbackId, ReviewConfig, closed_list};

/// Options for parsing an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which deviations are repaired.
    pub mode: Mode,
    /// The criteria that must have a score, in the order in which they are checked. Without
    /// any, an answer needs no scores.
    pub criteria: Vec<CriterionName>,
    /// The random id that the prompt asked the answer to contain. If any candidate
    /// has it, only those count.
    pub review_id: Option<String>,
    /// The format of the answer.
    pub dialect: Dialect,
    /// The iteration that a response of the protocol must repeat.
    pub iteration: Option<NonZeroU32>,
    /// The findings that an item in the dialect `verdict` may name as what it raises again
    /// (`finding`): their ids become its id.
    pub findings: Vec<FeedbackId>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: Mode::Tolerant,
            criteria: ReviewConfig::default().criteria,
            review_id: None,
            dialect: Dialect::Verdict,
            iteration: None,
            findings: Vec::new(),
        }
    }
}

closed_list! {
    /// Which deviations of an answer are repaired.
    #[derive(Default)]
    Mode {
        /// Whatever can be repaired is repaired, and recorded.
        #[default]
        Tolerant => "tolerant",
        /// Only plain JSON with exact values is accepted.
        Strict => "strict",
    }
}

closed_list! {
    /// The format of an answer.
    #[derive(Default)]
    Dialect {
        /// An object with `verdict`, `score` and `feedback` at its root.
        #[default]
        Verdict => "verdict",
        /// A response of the Agent Feedback Protocol 1.2.
        Afp => "afp",
        /// An actionable-feedback document.
        Actionable => "actionable",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_tolerant_with_the_four_criteria() {
        let options = Options::default();
        let names: Vec<_> = options.criteria.iter().map(CriterionName::as_str).collect();
        assert_eq!(names, ReviewConfig::DEFAULT_CRITERIA);
        assert_eq!(
            (options.mode, options.dialect),
            (Mode::Tolerant, Dialect::Verdict)
        );
        assert_eq!(options.review_id, None);
    }

    #[test]
    fn words_are_parsed_and_others_are_refused() {
        for &mode in Mode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        for &dialect in Dialect::ALL {
            assert_eq!(dialect.to_string().parse(), Ok(dialect));
        }
        assert_eq!(
            "Strict".parse::<Mode>().unwrap_err().to_string(),
            "must be one of [tolerant strict], got: Strict",
        );
        assert_eq!(
            "json".parse::<Dialect>().unwrap_err().to_string(),
            "must be one of [verdict afp actionable], got: json",
        );
    }
}
