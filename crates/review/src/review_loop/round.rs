//! One round of the loop.

use review_types::{Hash, ModelId, Timestamp};

use super::op::{BaseState, Conversation, Decided, PastReview, ReadReview};
use crate::progress::RoundProgress;

/// A round whose answer was parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Its number, from 1.
    pub iteration: u32,
    /// Its answer as it was parsed.
    pub read: ReadReview,
    /// Position in the chain of the reviewer that answered, from 0.
    pub reviewer: usize,
    /// The artifact that was reviewed; `None` if it is not tracked.
    pub artifact: Option<BaseState>,
    /// What counts of it for progress.
    pub(crate) progress: RoundProgress,
    /// The model that answered.
    pub by: Option<ModelId>,
    /// When the answer was parsed.
    pub at: Timestamp,
    /// The decisions on its feedback, where they are known.
    pub decided: Option<Decided>,
    /// Whether each of its items was decided on in an earlier round.
    pub settled: bool,
    /// Hash of the ledger of findings after the round, where there is one.
    pub ledger: Option<Hash>,
    /// The session to continue, if the reviewer keeps it.
    pub conversation: Option<Conversation>,
}

impl Round {
    /// Returns the round as the history of a later request shows it.
    pub(super) fn past(&self) -> PastReview {
        PastReview {
            iteration: self.iteration,
            review: self.read.review,
            decisions: self.decided.map(|decided| decided.decisions),
            ledger: self.ledger,
        }
    }
}
