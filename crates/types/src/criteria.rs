//! The criteria of a review, their minimum scores, and whether scores reach
//! them.
//!
//! ```
//! use review_types::criteria::Criteria;
//! use review_types::Scores;
//!
//! let criteria = Criteria::default();
//! let scores: Scores = criteria
//!     .iter()
//!     .map(|criterion| (criterion.name.clone(), criterion.min_score))
//!     .collect();
//! assert!(criteria.is_passing(&scores));
//! ```

use serde::{Deserialize, Serialize};

use crate::config::are_distinct;
use crate::{ConfigError, CriterionName, ReviewConfig, Score, Scores};

/// A criterion that a reviewer scores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// Its name.
    #[schemars(extend("pattern" = r"\S"))]
    pub name: CriterionName,
    /// The requirement, in one sentence without a full stop.
    pub description: String,
    /// The lowest score that meets it.
    #[serde(default = "usual_min_score")]
    pub min_score: Score,
}

/// Returns the minimum score of a criterion in a file that has none.
fn usual_min_score() -> Score {
    Score::new(70).unwrap_or(Score::MAX)
}

/// A criterion whose score is missing or too low.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BelowMinimum {
    /// The criterion.
    pub criterion: CriterionName,
    /// Its score; `None` when the reviewer gave none.
    pub score: Option<Score>,
    /// The lowest score that meets it.
    pub min_score: Score,
}

/// The criteria of a review in order: at least one, each name once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Vec<Criterion>", into = "Vec<Criterion>")]
#[schemars(with = "Vec<Criterion>", extend("minItems" = 1))]
pub struct Criteria(Vec<Criterion>);

impl Criteria {
    /// Validates a list of criteria.
    ///
    /// # Errors
    /// [`ConfigError`] when the list is empty or has a duplicate criterion.
    pub fn new(criteria: Vec<Criterion>) -> Result<Self, ConfigError> {
        are_distinct(criteria.iter().map(|criterion| &criterion.name))?;
        Ok(Self(criteria))
    }

    /// Returns the criteria in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Criterion> {
        self.0.iter()
    }

    /// Returns the names in order.
    pub fn names(&self) -> Vec<CriterionName> {
        self.iter()
            .map(|criterion| criterion.name.clone())
            .collect()
    }

    /// Returns the criterion with exactly this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Criterion> {
        self.iter()
            .find(|criterion| criterion.name.as_str() == name)
    }

    /// Returns the criteria that `scores` do not meet, in order. A missing score does not
    /// meet a criterion; scores of other criteria do not count.
    #[must_use]
    pub fn below_minimum(&self, scores: &Scores) -> Vec<BelowMinimum> {
        self.iter()
            .map(|criterion| BelowMinimum {
                criterion: criterion.name.clone(),
                score: scores.get(criterion.name.as_str()),
                min_score: criterion.min_score,
            })
            .filter(|below| below.score.is_none_or(|score| score < below.min_score))
            .collect()
    }

    /// Returns whether every criterion has a score that reaches its minimum.
    #[must_use]
    pub fn is_passing(&self, scores: &Scores) -> bool {
        self.below_minimum(scores).is_empty()
    }
}

impl TryFrom<Vec<Criterion>> for Criteria {
    type Error = ConfigError;

    fn try_from(criteria: Vec<Criterion>) -> Result<Self, Self::Error> {
        Self::new(criteria)
    }
}

impl From<Criteria> for Vec<Criterion> {
    fn from(criteria: Criteria) -> Self {
        criteria.0
    }
}

/// The requirement of each of [`ReviewConfig::DEFAULT_CRITERIA`], in the same order.
const DESCRIPTIONS: [&str; 4] = [
    "All PRD requirements have corresponding spec sections",
    "Types, interfaces, and naming are consistent throughout",
    "Backpressure commands are specific and executable",
    "Follows existing patterns in codebase",
];

/// The four default criteria in order: `completeness`, `consistency`, `testability` and
/// `architecture`, each with a minimum score of 70.
impl Default for Criteria {
    fn default() -> Self {
        let named = ReviewConfig::DEFAULT_CRITERIA.into_iter().zip(DESCRIPTIONS);
        let criteria = named.filter_map(|(name, description)| {
            Some(Criterion {
                name: CriterionName::new(name).ok()?,
                description: description.to_owned(),
                min_score: usual_min_score(),
            })
        });
        Self(criteria.collect())
    }
}
