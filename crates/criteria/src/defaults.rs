//! The four default criteria.

use review_types::{CriterionName, ReviewConfig, Score, Scores};

use crate::{Criteria, Criterion};

/// The lowest passing score of each default criterion.
const MIN_SCORE: i64 = 70;

/// The requirement of each of [`ReviewConfig::DEFAULT_CRITERIA`], in the same order.
const DESCRIPTIONS: [&str; 4] = [
    "All PRD requirements have corresponding spec sections",
    "Types, interfaces, and naming are consistent throughout",
    "Backpressure commands are specific and executable",
    "Follows existing patterns in codebase",
];

/// Returns the four default criteria in order: `completeness`, `consistency`,
/// `testability` and `architecture`, each with a minimum score of 70.
#[must_use]
pub fn default_criteria() -> Vec<Criterion> {
    ReviewConfig::DEFAULT_CRITERIA
        .into_iter()
        .zip(DESCRIPTIONS)
        .filter_map(|(name, description)| {
            let name = CriterionName::new(name).ok()?;
            let min_score = Score::new(MIN_SCORE).ok()?;
            Some(Criterion::new(name, description, min_score))
        })
        .collect()
}

/// Returns the default criterion with exactly this name.
#[must_use]
pub fn get_criterion(name: &str) -> Option<Criterion> {
    default_criteria()
        .into_iter()
        .find(|criterion| criterion.name().as_str() == name)
}

/// Returns the names of the default criteria in order.
#[must_use]
pub fn criteria_names() -> Vec<CriterionName> {
    Criteria::default().names()
}

/// Returns whether the scores reach the minimum of every default criterion.
#[must_use]
pub fn is_passing(scores: &Scores) -> bool {
    Criteria::default().is_passing(scores)
}

impl Default for Criteria {
    fn default() -> Self {
        Self::from_distinct(default_criteria())
    }
}
