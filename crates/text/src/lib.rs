//! What a text is about, whatever words it is put in.
//!
//! Two reviewers seldom put the same issue in the same words, and one reviewer
//! seldom does so twice: numbers, paths and names change with every round.
//! [`words`] leaves out what changes, [`stems`] what differs in form alone, and a
//! [`Fingerprint`] what a [`Lexicon`] knows to be the same. [`Leaders`] finds the
//! text before that a new one repeats, and an [`Issue`] tells whether two reviewers
//! mean the same one. Where there are many texts, a
//! [`Vocabulary`] numbers their terms, and they weigh themselves.
//!
//! [`wording`] tells feedback that says something from feedback that does not.
//!
//! The crate is pure: the same text gives the same answer everywhere, and work
//! is linear in its length.

mod fingerprint;
mod issue;
mod leaders;
mod lexicon;
mod mask;
mod near;
mod quoted;
mod stem;
mod vector;
mod vocabulary;
pub mod wording;

pub use fingerprint::{Fingerprint, Term, damped};
pub use issue::{Issue, issue_key};
pub use leaders::{Leaders, SAME_ISSUE};
pub use lexicon::{Lexicon, LexiconError};
pub use mask::words;
pub use near::near_key;
pub use stem::stems;
pub use vector::Vector;
pub use vocabulary::Vocabulary;
