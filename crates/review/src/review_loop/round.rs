//! One round of the loop.

use review_types::{Hash, ModelId, PromptRead, Score, Scores, Timestamp, Verdict};

use super::op::{BaseState, CheckResult, Conversation, Decided, PastReview};
use crate::progress::{Rank, RoundProgress};

/// A round whose answer was parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Its number, from 1.
    pub iteration: u32,
    /// Hash of its review.
    pub review: Hash,
    /// The verdict of the reviewer.
    pub verdict: Verdict,
    /// Its scores.
    pub scores: Scores,
    /// The overall score of its document, if it is in one.
    pub overall: Option<Score>,
    /// Position in the chain of the reviewer that answered, from 0.
    pub reviewer: usize,
    /// The artifact that was reviewed; `None` if it is not tracked.
    pub artifact: Option<BaseState>,
    /// Whether its reviewer leaves the decision to a human.
    pub escalated: bool,
    /// Its rank.
    pub(crate) rank: Rank,
    /// The number of leading items that are facts.
    pub(crate) proved: u32,
    /// The number of findings that blocked the previous round and no longer do.
    pub(crate) closed: u32,
    /// The number of items below the fail level.
    pub below_fail_level: u32,
    /// How much of its prompt the reviewer read, where it left a part unread.
    pub left_unread: Option<PromptRead>,
    /// The result of the check of the project, where there is one.
    pub check: Option<CheckResult>,
    /// The model that answered.
    pub by: Option<ModelId>,
    /// Hash of the actionable-feedback document that contained the review, if it was
    /// in one.
    pub document: Option<Hash>,
    /// When the answer was parsed.
    pub at: Timestamp,
    /// Whether the reviewer gave its items ids, and so expects decisions on them.
    pub has_ids: bool,
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
    /// Returns whether no check of the project failed.
    pub(super) fn passes_check(&self) -> bool {
        self.check.is_none_or(|check| check.passed)
    }

    /// Returns the round as the history of a later request shows it.
    pub(super) fn past(&self) -> PastReview {
        PastReview {
            iteration: self.iteration,
            review: self.review,
            decisions: self.decided.map(|decided| decided.decisions),
            ledger: self.ledger,
        }
    }

    /// Returns what counts of the round for progress.
    pub(crate) fn attained(&self) -> RoundProgress {
        RoundProgress {
            rank: self.rank,
            first_choice: self.reviewer == 0,
            closed: self.closed,
        }
    }
}
