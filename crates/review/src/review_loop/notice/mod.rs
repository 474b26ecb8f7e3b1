//! The notices of the review machine.

mod event;

use std::sync::Arc;
use std::time::Duration;

use review_events::{AgentRole, AnswerRemark, BestRound, UnprovedRounds};
use review_types::{
    AckDifference, AgentError, BlockCode, FindingCounts, FindingId, Hash, ModelId, QuoteCounts,
    Usage,
};

use super::config::Subject;
use super::op::Decided;
use super::round::Round;
use crate::feedback::ExtraItems;

/// A notice of the review machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewNotice {
    /// The loop started.
    Started {
        /// The subject of the loop.
        subject: Arc<Subject>,
        /// The limit of rounds.
        max_iterations: u32,
    },
    /// A reviewer's answer was parsed.
    Iteration(Arc<Subject>, Round, Vec<AnswerRemark>),
    /// A call of a model ended.
    Called {
        /// The role of the agent.
        role: AgentRole,
        /// Number of the round.
        iteration: u32,
        /// The model that answered, if there was an answer.
        by: Option<ModelId>,
        /// Its usage, if known.
        usage: Option<Usage>,
        /// How long its step took, in milliseconds.
        took_ms: u64,
    },
    /// A call gave no answer and is retried.
    Retried {
        /// The role of the agent.
        role: AgentRole,
        /// Number of the round.
        iteration: u32,
        /// How the call ended.
        error: AgentError,
        /// The time until the retry.
        pause: Duration,
    },
    /// A reviewer gave no answer, and its fallback is called.
    Replaced {
        /// Number of the round.
        iteration: u32,
        /// How the last call ended.
        error: AgentError,
        /// The fallback.
        by: String,
    },
    /// An answer is malformed, its prompt did not arrive, or the edits in it do not fit.
    Malformed {
        /// The subject of the loop.
        subject: Arc<Subject>,
        /// Hash of the answer.
        answer: Hash,
        /// The error, rendered.
        parse_error: String,
        /// Number of the malformed answer within its round, from 1.
        retry_number: u32,
    },
    /// A reviewer gave no answer.
    ReviewerFailed {
        /// The subject of the loop.
        subject: Arc<Subject>,
        /// Number of the round.
        iteration: u32,
        /// How the call ended.
        error: AgentError,
    },
    /// Feedback goes to the applier.
    Feedback(Arc<Subject>, Round, ExtraItems),
    /// An applier decided on the feedback of a round.
    Decided {
        /// The round.
        round: Round,
        /// The extra items that it was given.
        extras: ExtraItems,
        /// Its decisions.
        decided: Decided,
    },
    /// Changes of an applier were undone because its call failed or was interrupted.
    Undone {
        /// Number of the round.
        iteration: u32,
        /// Hash of the manifest that was restored.
        base: Hash,
        /// Hash of the manifest that was found.
        found: Hash,
    },
    /// The items of a round were joined with the earlier findings.
    Findings {
        /// Number of the round.
        iteration: u32,
        /// Hash of the ledger.
        ledger: Hash,
        /// The number of findings of each kind.
        counts: FindingCounts,
        /// Findings that are raised repeatedly.
        repeated: Vec<FindingId>,
        /// The number of findings of the round that are below the fail level.
        below_fail_level: u32,
        /// The number of items that quote the artifact.
        quotes: QuoteCounts,
        /// The number of rounds that brought only new, unproved findings.
        unproved_rounds: UnprovedRounds,
    },
    /// A finding is raised repeatedly.
    RepeatedIssue {
        /// Number of the round.
        iteration: u32,
        /// Hash of the ledger.
        ledger: Hash,
        /// The finding.
        finding: FindingId,
    },
    /// A reviewer acknowledged other decisions than it was sent.
    Unacknowledged {
        /// Number of the round.
        iteration: u32,
        /// How they differ.
        difference: AckDifference,
    },
    /// Users approved the artifact.
    Approved {
        /// The subject of the loop.
        subject: Arc<Subject>,
        /// The users.
        by: String,
    },
    /// A review passed.
    Passed(Arc<Subject>, Round),
    /// The loop ended without a pass.
    Blocked {
        /// The subject of the loop.
        subject: Arc<Subject>,
        /// The reason as a stable code.
        code: BlockCode,
        /// The reason in words.
        reason: String,
        /// Every round.
        rounds: Vec<Round>,
        /// The round whose artifact is on disk, if that was determined.
        best: Option<BestRound>,
        /// How the last call of the applier ended, if that is why.
        applier_error: Option<AgentError>,
    },
}
