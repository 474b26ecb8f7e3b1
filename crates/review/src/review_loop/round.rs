//! One round of the loop.

use review_types::{Hash, ModelId, Scores, Timestamp, Verdict};

use super::op::{BaseState, CheckResult, Conversation, Decided, PastReview};
use crate::progress::{Attained, Standing};

/// One round that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Its number, from 1.
    pub iteration: u32,
    /// Hash of its review.
    pub review: Hash,
    /// What the reviewer decided.
    pub verdict: Verdict,
    /// Its scores.
    pub scores: Scores,
    /// Position in the chain of the reviewer that answered, from 0.
    pub reviewer: usize,
    /// The artifact that it is about; `None` where nobody looks.
    pub artifact: Option<BaseState>,
    /// Whether its reviewer leaves the decision to a person.
    pub escalated: bool,
    /// What it is worth.
    pub(crate) standing: Standing,
    /// How many of its first items a rule or a check has confirmed.
    pub(crate) proved: u32,
    /// How much of what kept the round before from passing no longer does.
    pub(crate) closed: u32,
    /// How many of its items are below the fail level.
    pub below_fail_level: u32,
    /// What a command of the project said of it, where one is run.
    pub check: Option<CheckResult>,
    /// Who answered.
    pub by: Option<ModelId>,
    /// When the answer was read.
    pub at: Timestamp,
    /// Whether the reviewer gave its items ids, and so expects decisions on them.
    pub has_ids: bool,
    /// What was decided on its feedback, as far as that is known.
    pub decided: Option<Decided>,
    /// Hash of the ledger of findings after it, where there is one.
    pub ledger: Option<Hash>,
    /// The session to go on in, if the reviewer can be asked again in it.
    pub conversation: Option<Conversation>,
}

impl Round {
    /// Whether no check of the project failed.
    pub(super) fn passes_check(&self) -> bool {
        self.check.is_none_or(|check| check.passed)
    }

    /// The round as a later reviewer is told of it.
    pub(super) fn past(&self) -> PastReview {
        PastReview {
            iteration: self.iteration,
            review: self.review,
            decisions: self.decided.map(|decided| decided.decisions),
            ledger: self.ledger,
        }
    }

    /// What counts of it for progress.
    pub(crate) fn attained(&self) -> Attained {
        Attained {
            standing: self.standing,
            first_choice: self.reviewer == 0,
            closed: self.closed,
        }
    }
}
