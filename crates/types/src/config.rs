//! Configuration of the loop.

use serde::{Deserialize, Serialize};

use crate::CriterionName;

/// The configuration of a review loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReviewConfig {
    /// Maximum number of rounds before the loop ends blocked. At least 1; default 3.
    #[serde(alias = "MaxIterations")]
    pub max_iterations: u32,
    /// Names of the criteria that every answer must score, in order.
    #[serde(alias = "Criteria")]
    pub criteria: Vec<CriterionName>,
    /// The number of retries after a malformed answer within a round; default 1.
    #[serde(alias = "RetryOnMalformed")]
    pub retry_on_malformed: u32,
}

/// An invalid configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// No round is allowed.
    #[error("max_iterations must be at least 1, got 0")]
    NoIterations,
    /// There are no criteria.
    #[error("criteria must name at least one criterion")]
    NoCriteria,
    /// A criterion occurs twice.
    #[error("duplicate criterion \"{0}\"")]
    CriterionTwice(CriterionName),
}

impl ReviewConfig {
    /// The names of the default criteria, in order.
    pub const DEFAULT_CRITERIA: [&'static str; 4] =
        ["completeness", "consistency", "testability", "architecture"];

    /// Checks the rules that the types do not enforce.
    ///
    /// # Errors
    /// The first rule that is violated.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if self.max_iterations == 0 {
            return Err(ConfigError::NoIterations);
        }
        are_distinct(&self.criteria)
    }
}

/// Checks that there are criteria, each once.
pub(crate) fn are_distinct<'n>(
    criteria: impl IntoIterator<Item = &'n CriterionName>,
) -> Result<(), ConfigError> {
    let mut known = Vec::new();
    for name in criteria {
        if known.contains(&name) {
            return Err(ConfigError::CriterionTwice(name.clone()));
        }
        known.push(name);
    }
    match known.is_empty() {
        true => Err(ConfigError::NoCriteria),
        false => Ok(()),
    }
}

impl Default for ReviewConfig {
    fn default() -> Self {
        Self {
            max_iterations: 3,
            criteria: Self::DEFAULT_CRITERIA
                .into_iter()
                .filter_map(|name| CriterionName::new(name).ok())
                .collect(),
            retry_on_malformed: 1,
        }
    }
}
