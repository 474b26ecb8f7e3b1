//! The topic of a string, independent of its wording.
//!
//! Two reviewers seldom word an issue identically, and one reviewer seldom does so
//! twice: numbers, paths and names change with every round. [`words`] removes what
//! changes, [`stems`] unifies forms of a word, and a [`Fingerprint`] unifies the
//! synonyms of a lexicon. [`Leaders`] finds the earlier text that a new one
//! repeats, and an [`Issue`] decides whether two reviewers may mean the same one. For large
//! collections, a [`Vocabulary`] numbers their terms, which are then weighted by
//! frequency.
//!
//! A [`QuoteIndex`] finds where a quote occurs.
//!
//! [`wording`] distinguishes specific from vague feedback.
//!
//! The crate is pure: the same text gives the same result on every machine, and the
//! work is linear in its length.

mod fingerprint;
mod issue;
mod leaders;
mod lexicon;
mod mask;
pub mod near;
mod quote;
mod quoted;
mod stem;
mod vector;
mod vocabulary;
pub mod wording;

pub use fingerprint::{Fingerprint, Term, damped};
pub use issue::{Issue, issue_key};
pub use leaders::{Leaders, SAME_ISSUE};
pub use mask::words;
pub use quote::{QuoteIndex, QuoteMatch, QuotePlace};
pub use stem::stems;
pub use vector::Vector;
pub use vocabulary::Vocabulary;
