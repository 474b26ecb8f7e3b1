//! What the review machine tells.

mod event;

use std::sync::Arc;
use std::time::Duration;

use review_events::{AgentRole, BestRound, UnprovedRounds};
use review_types::{
    AckDifference, AgentError, BlockCode, FindingCounts, FindingId, Hash, ModelId, Severity, Usage,
};

use super::config::Subject;
use super::op::Decided;
use super::round::Round;
use crate::feedback::Besides;

/// What the review machine tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewNotice {
    /// The loop began.
    Started(Arc<Subject>),
    /// A reviewer's answer was read.
    Iteration(Arc<Subject>, Round),
    /// The answer needed repairs.
    Repaired {
        /// Number of the round.
        iteration: u32,
        /// How many.
        repairs: u32,
    },
    /// A call of a model ended.
    Called {
        /// Who was called.
        role: AgentRole,
        /// Number of the round.
        iteration: u32,
        /// Who answered, if anybody did.
        by: Option<ModelId>,
        /// What it consumed, if that is known.
        usage: Option<Usage>,
    },
    /// A call gave nothing and is tried again.
    Retried {
        /// Who was called.
        role: AgentRole,
        /// Number of the round.
        iteration: u32,
        /// How the call ended.
        error: AgentError,
        /// The time until then.
        pause: Duration,
    },
    /// A reviewer gave no answer, and the next of the chain is asked.
    Replaced {
        /// Number of the round.
        iteration: u32,
        /// How the last call ended.
        error: AgentError,
        /// The reviewer that is asked now.
        by: String,
    },
    /// Facts forbid the pass that the reviewer gave.
    Overruled {
        /// Number of the round.
        iteration: u32,
        /// How many.
        facts: u32,
    },
    /// A pass holds an item that its own reviewer calls grave: it is asked again,
    /// or the answer is read as a revision.
    Contradicted {
        /// Number of the round.
        iteration: u32,
        /// Position of the item, from 0.
        item: u32,
        /// What the reviewer calls it.
        severity: Severity,
        /// Whether it is asked again.
        asked_again: bool,
    },
    /// An answer could not be read, or edits in it do not fit.
    Malformed {
        /// What the loop is about.
        subject: Arc<Subject>,
        /// Hash of the answer.
        answer: Hash,
        /// Why, rendered.
        parse_error: String,
        /// Number of the malformed answer within its round, from 1.
        retry_number: u32,
    },
    /// A reviewer gave no answer.
    ReviewerFailed {
        /// What the loop is about.
        subject: Arc<Subject>,
        /// Number of the round.
        iteration: u32,
        /// How the call ended.
        error: AgentError,
    },
    /// Feedback goes to the applier.
    Feedback(Arc<Subject>, Round, Besides),
    /// An applier decided on the feedback of a round.
    Decided {
        /// The round.
        round: Round,
        /// What else it was asked for.
        besides: Besides,
        /// What it decided.
        decided: Decided,
    },
    /// What an applier left was undone, since its call failed or was cut off.
    Undone {
        /// Number of the round.
        iteration: u32,
        /// Hash of the manifest that was put back.
        base: Hash,
        /// Hash of the manifest of what was found.
        found: Hash,
    },
    /// The items of a round were joined with the findings before.
    Findings {
        /// Number of the round.
        iteration: u32,
        /// Hash of the ledger.
        ledger: Hash,
        /// How many findings there are of each kind.
        counts: FindingCounts,
        /// Findings that come back again and again.
        repeated: Vec<FindingId>,
        /// How many findings of the round are below the fail level.
        below_fail_level: u32,
        /// The rounds that brought only new findings that nothing proves, where
        /// there is a limit.
        unproved_rounds: Option<UnprovedRounds>,
    },
    /// A finding comes back again and again.
    RepeatedIssue {
        /// Number of the round.
        iteration: u32,
        /// Hash of the ledger.
        ledger: Hash,
        /// The finding.
        finding: FindingId,
    },
    /// A reviewer acknowledged other decisions than it was told.
    Unacknowledged {
        /// Number of the round.
        iteration: u32,
        /// How they differ.
        difference: AckDifference,
    },
    /// Persons let the artifact pass.
    Approved {
        /// What the loop is about.
        subject: Arc<Subject>,
        /// Who.
        by: String,
    },
    /// A review passed.
    Passed(Arc<Subject>, Round),
    /// The loop cannot pass.
    Blocked {
        /// What the loop is about.
        subject: Arc<Subject>,
        /// Why, as a closed code.
        code: BlockCode,
        /// Why, in words.
        reason: String,
        /// Every round.
        rounds: Vec<Round>,
        /// The round whose artifact is on disk, where it was looked for.
        best: Option<BestRound>,
    },
}
