//! The criteria of a review, their minimum scores, and whether scores reach
//! them.
//!
//! ```
//! use review_criteria::Criteria;
//! use review_types::{CriterionName, Score, Scores};
//!
//! let criteria = Criteria::default();
//! let scores: Scores = criteria
//!     .iter()
//!     .map(|criterion| (criterion.name().clone(), criterion.min_score()))
//!     .collect();
//! assert!(criteria.is_passing(&scores));
//! ```

mod criterion;
mod defaults;

pub use criterion::{BelowMinimum, Criteria, CriteriaError, Criterion};
pub use defaults::{criteria_names, default_criteria, get_criterion, is_passing};
