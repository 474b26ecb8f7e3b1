//! Scores from 0 to 100, one per criterion.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::CriterionName;

/// A score from 0 to 100 inclusive.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(try_from = "i64", into = "i64")]
#[schemars(extend("minimum" = 0, "maximum" = 100))]
pub struct Score(u8);

impl Score {
    /// The highest score.
    pub const MAX: Self = Self(100);

    /// Checks that `value` is between 0 and 100.
    ///
    /// # Errors
    /// [`ScoreRange`] when it is not.
    pub fn new(value: i64) -> Result<Self, ScoreRange> {
        match u8::try_from(value) {
            Ok(value) if value <= 100 => Ok(Self(value)),
            _ => Err(ScoreRange(value)),
        }
    }

    /// Returns the number itself.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TryFrom<i64> for Score {
    type Error = ScoreRange;

    fn try_from(value: i64) -> Result<Self, Self::Error> {
        Self::new(value)
    }
}

impl From<Score> for i64 {
    fn from(score: Score) -> Self {
        Self::from(score.0)
    }
}

/// A number outside 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be between 0 and 100 (0-100), got {0}")]
pub struct ScoreRange(pub i64);

/// Points that a score lost, and what cost them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Deduction {
    /// The criterion.
    pub criterion: CriterionName,
    /// The number of points.
    pub points: u8,
    /// What cost them.
    pub cause: DeductionCause,
}

/// What costs points of a score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeductionCause {
    /// The findings of a rule.
    Rule {
        /// The code of the rule, such as `G3`.
        code: String,
        /// The file of the first finding, relative to the root; where files of
        /// several roots were checked, seen from the current folder.
        path: String,
        /// The line of the first finding, from 1.
        line: u32,
        /// The number of findings.
        findings: u32,
    },
    /// The highest score that the reviewer gives for this criterion.
    Cap,
}

/// The scores of one review by criterion, including extra criteria.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Scores(BTreeMap<CriterionName, Score>);

impl Scores {
    /// Returns the score of one criterion, if the reviewer gave it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Score> {
        self.0.get(name).copied()
    }

    /// Sets the score of one criterion and returns the one it replaces.
    pub fn insert(&mut self, name: CriterionName, score: Score) -> Option<Score> {
        self.0.insert(name, score)
    }

    /// Returns all scores, ordered by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&CriterionName, Score)> {
        self.0.iter().map(|(name, score)| (name, *score))
    }

    /// Returns the number of criteria with a score.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether no criterion has a score.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(CriterionName, Score)> for Scores {
    fn from_iter<I: IntoIterator<Item = (CriterionName, Score)>>(scores: I) -> Self {
        Self(scores.into_iter().collect())
    }
}
