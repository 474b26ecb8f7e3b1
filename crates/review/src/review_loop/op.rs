//! What the review machine asks for and gets back. Hashes and counts only.

use review_criteria::BelowMinimum;
use review_types::afp::{AckDifference, DecisionCounts};
use review_types::{AgentError, BlockCode, CriterionName, FindingId, Hash, Score, Scores, Verdict};
use serde::{Deserialize, Serialize};

use crate::budget::{Allowance, Budget};
use crate::people::Heard;

/// The artifact as the machine knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseState {
    /// Its hash, statuses masked.
    pub artifact: Hash,
    /// Hash of the text of its manifest.
    pub manifest: Hash,
}

/// The malformed answer that a new try is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryOf {
    /// The field that broke the schema.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
    /// Hash of the answer.
    pub answer: Hash,
}

/// A criterion whose score is lower than in the round before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreDrop {
    /// The criterion.
    pub criterion: CriterionName,
    /// Its score in the round before.
    pub before: Score,
    /// Its score now.
    pub now: Score,
}

/// A round before, as a reviewer is told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastReview {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// Hash of its review.
    pub review: Hash,
    /// Hash of the areas with the ids that its reviewer gave them, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub areas: Option<Hash>,
    /// Hash of the decisions on its feedback, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisions: Option<Hash>,
    /// Hash of the ledger that says which of its items are not for an applier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Hash>,
}

/// A session in which a reviewer answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// The agent's own session.
    pub session: String,
    /// Number of the last request in it that was answered, from 1.
    pub iteration: u32,
}

/// What an applier decided on the feedback of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// Hash of the decisions.
    pub decisions: Hash,
    /// How many there are of each kind.
    pub counts: DecisionCounts,
}

/// An operation of the review machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewOp {
    /// Ask the reviewer once.
    Review {
        /// Number of the round, from 1.
        iteration: u32,
        /// The answer before, if it was malformed.
        retry: Option<RetryOf>,
        /// The artifact that is reviewed.
        base: Option<BaseState>,
        /// Position in the chain of the reviewer that is asked, from 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        reviewer: u32,
        /// The last rounds before, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        history: Vec<PastReview>,
        /// Hash of the ledger of findings, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ledger: Option<Hash>,
        /// What the call may consume.
        #[serde(default, skip_serializing_if = "Allowance::is_unlimited")]
        allowance: Allowance,
        /// The session to go on in; the last round before was read in it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        conversation: Option<Conversation>,
        /// Hash of what persons said, if they did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        people: Option<Hash>,
    },
    /// Look what persons said since.
    Inbox {
        /// How far it was heard.
        heard: Heard,
        /// Hash of what was heard, if anything was.
        people: Option<Hash>,
    },
    /// Join the items of a round with the findings before.
    Join {
        /// The round.
        round: PastReview,
        /// Whether its reviewer passed the artifact.
        passed: bool,
        /// The round before, with what was decided on it.
        before: Option<PastReview>,
        /// Hash of the ledger before, if there is one.
        ledger: Option<Hash>,
        /// The artifact that was reviewed.
        base: BaseState,
        /// Hash of what persons said, if they did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        people: Option<Hash>,
        /// How many of the things they said the ledger before knows.
        #[serde(default, skip_serializing_if = "is_zero")]
        noted: u32,
    },
    /// Have the applier work in the feedback of a round.
    Apply {
        /// Number of the round, from 1.
        iteration: u32,
        /// Hash of the review.
        review: Hash,
        /// Hash of the areas with the ids that its reviewer gave them, if it
        /// did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        areas: Option<Hash>,
        /// Criteria whose score is too low, which become feedback too.
        below: Vec<BelowMinimum>,
        /// The artifact that it starts from.
        base: Option<BaseState>,
        /// Criteria whose score fell, which become feedback too.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dropped: Vec<ScoreDrop>,
        /// Whether the applier was asked before and changed nothing.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unchanged: bool,
        /// The answer before, if it was malformed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry: Option<RetryOf>,
        /// Hash of the ledger that says which items are not for an applier.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ledger: Option<Hash>,
        /// What the call may consume.
        #[serde(default, skip_serializing_if = "Allowance::is_unlimited")]
        allowance: Allowance,
        /// Hash of what persons said, if they did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        people: Option<Hash>,
    },
    /// Put the artifact of an earlier round back.
    Restore {
        /// The artifact of that round.
        to: BaseState,
        /// The artifact as the machine knows it.
        base: BaseState,
        /// Hashes of the manifests of all rounds: files that are in none of
        /// them are somebody else's.
        rounds: Vec<Hash>,
    },
}

/// A limit of the run that ended a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// Its time.
    RunTime,
    /// Its money.
    Cost,
    /// Its tokens.
    Tokens,
    /// Its calls.
    Calls,
}

impl Cut {
    /// The block code of its name.
    #[must_use]
    pub const fn block_code(self) -> BlockCode {
        match self {
            Self::RunTime => BlockCode::RunTime,
            Self::Cost => BlockCode::Cost,
            Self::Tokens => BlockCode::Tokens,
            Self::Calls => BlockCode::Calls,
        }
    }
}

/// What came of joining a round with the findings before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    /// Hash of the ledger as it is now.
    pub ledger: Hash,
    /// How many findings make the round worse.
    pub counting: u32,
    /// How many items of the round stand against a pass.
    pub blocking: u32,
    /// Findings on which reviewer and applier disagree again and again, at most
    /// 16.
    pub disputed: Vec<FindingId>,
    /// Findings that come back again and again, at most 16.
    pub repeated: Vec<FindingId>,
    /// Who waived all that the round names, at most 16; none where anything of
    /// it was not waived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waived_by: Vec<String>,
}

/// What persons said since it was looked last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct News {
    /// How far it was heard.
    pub heard: Heard,
    /// Hash of all that was heard, if anything was.
    pub people: Option<Hash>,
    /// How many things were heard in all.
    pub count: u32,
    /// Who approved the artifact.
    pub approved_by: Option<String>,
}

/// What came of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewOut {
    /// The answer was read.
    Read {
        /// What the reviewer decided.
        verdict: Verdict,
        /// Its scores.
        scores: Scores,
        /// How many items of feedback it holds.
        items: u32,
        /// Hash of the review.
        review: Hash,
        /// How many repairs the answer needed.
        repairs: u32,
        /// How many facts forbid the pass that the reviewer gave.
        #[serde(default, skip_serializing_if = "is_zero")]
        overruled: u32,
        /// Whether the reviewer leaves the decision to a person.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        escalated: bool,
        /// Hash of the areas with the ids that the reviewer gave them, if it
        /// did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        areas: Option<Hash>,
        /// How its acknowledgement differs from the decisions that it was told.
        #[serde(default, skip_serializing_if = "AckDifference::is_none")]
        acks: AckDifference,
    },
    /// The answer could not be read.
    Malformed {
        /// The field that broke the schema.
        field: String,
        /// What is wrong with it.
        message: String,
        /// Hash of the answer.
        answer: Hash,
    },
    /// The items of the round were joined with the findings before.
    Joined(Joined),
    /// It was looked what persons said.
    News(News),
    /// The feedback was applied.
    Applied {
        /// The artifact as it is now; `None` where nobody looks.
        after: Option<BaseState>,
        /// What the applier decided, as far as that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decided: Option<Decided>,
    },
    /// An earlier artifact was put back.
    Restored {
        /// The artifact as it is now; `None` where nobody looks.
        after: Option<BaseState>,
        /// Files that somebody else changed, which were left as they are.
        left: Vec<String>,
    },
    /// The call ended without an answer.
    Failed(AgentError),
    /// Somebody else changed the artifact.
    Changed {
        /// The files that differ.
        found: Vec<String>,
    },
    /// A limit of the run ended the call.
    Cut(Cut),
    /// No rule of the reviewer had anything to look at.
    NothingChecked {
        /// What would be needed.
        needs: String,
    },
    /// The applier changed files that are not the artifact's.
    Strayed {
        /// The files.
        paths: Vec<String>,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// How the loop ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewDone {
    /// A review passed.
    Passed,
    /// Persons let it pass.
    Approved {
        /// Who.
        by: String,
    },
    /// It cannot pass.
    Blocked {
        /// Why, as a closed code.
        code: BlockCode,
        /// Why, in words.
        reason: String,
    },
}

/// What may differ when an ended loop goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewChanges {
    /// The artifact, if it is another than the loop left.
    pub base: Option<BaseState>,
    /// How far what persons said reaches, if they said anything since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard: Option<Heard>,
    /// A new limit of rounds.
    pub max_iterations: Option<u32>,
    /// A new limit of calls.
    pub max_calls: Option<u32>,
    /// New limits of what calls may consume.
    #[serde(default)]
    pub budget: Budget,
}
