//! The review loop: send an artifact to a reviewer, read its answer without
//! being fooled, apply the feedback, repeat until it passes or cannot.
//!
//! A custom loop needs this crate alone: implement [`Reviewer`] and
//! [`Applier`], and run a [`ReviewLoop`]. A run that must survive a crash
//! drives a [`ReviewMachine`](machine::ReviewMachine) over a journal of its own
//! with [`flow::drive`].
//!
//! The crate touches no process, network, file, clock or random source; all of
//! them enter through traits and arguments.

mod agent;
mod artifact;
mod budget;
mod check;
mod decided;
mod edits;
mod facts;
mod feedback;
mod hunk;
mod ledger;
mod memory;
mod naming;
pub mod people;
mod progress;
pub mod prompt;
mod prompt_reviewer;
mod review_loop;
mod sink;

pub use review_criteria as criteria;
pub use review_events as events;
pub use review_flow as flow;
pub use review_schema as schema;
pub use review_types as types;

pub use agent::{
    AnswerContent, Applier, ApplyReport, ApplyRequest, FollowUp, Malformed, Retry, ReviewAnswer,
    ReviewRequest, Reviewer, Stray,
};
pub use artifact::{Artifact, MemoryArtifact, Section, Snapshot};
pub use budget::{Allowance, Budget};
pub use check::{Check, Checking};
pub use facts::{Fact, FactFinder};
pub use review_loop::{
    Cut, Limits, LoopError, ReviewLoop, ReviewLoopBuilder, ReviewSpecsError, Subject,
};
pub use sink::{EventSink, MemorySink, NoSink};

/// Everything that can be set for a loop.
pub mod config {
    pub use crate::memory::FeedbackMemory;
    pub use crate::progress::{Convergence, Keep};
    pub use crate::review_loop::{
        BelowFailLevel, BelowMinimumPolicy, ChainLink, LoopConfig, RequireScores,
    };
}

/// The machine of a loop and its executor, for those who drive it themselves:
/// inside a machine of their own, or on another engine.
///
/// A [`ReviewLoop`] does this for everyone else.
pub mod machine {
    pub use crate::edits::Edit;
    pub use crate::feedback::{Besides, with_minimums};
    pub use crate::ledger::Ledger;
    pub use crate::review_loop::{
        BaseState, CheckResult, Contradiction, Conversation, Decided, Joined, LoopExecutor, News,
        PastReview, ReadReview, RetryOf, ReviewChanges, ReviewDone, ReviewMachine, ReviewNotice,
        ReviewOp, ReviewOut, Round, ScoreDrop, ToApply, ToHear, ToJoin, ToRestore, ToReview,
        base_state, session_of,
    };
    pub use crate::sink::Envelopes;

    #[cfg(doc)]
    use crate::ReviewLoop;
}
