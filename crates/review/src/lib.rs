//! The review loop: send an artifact to a reviewer, read its answer without
//! being fooled, apply the feedback, repeat until it passes or cannot.
//!
//! A custom loop needs this crate alone: implement [`Reviewer`] and
//! [`Applier`], and run a [`ReviewLoop`]. A run that must survive a crash
//! drives a [`ReviewMachine`] over a journal of its own with [`flow::drive`].
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
mod people;
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
    ReviewRequest, Reviewer, Stray, TaskInvoker,
};
pub use artifact::{Artifact, MemoryArtifact, Section, Snapshot};
pub use budget::{Allowance, Budget};
pub use check::{Check, Checking};
pub use edits::Edit;
pub use facts::{Fact, FactFinder};
pub use feedback::{ApplyFeedbackError, Besides, FeedbackApplier, with_minimums};
pub use ledger::{Ledger, Settlement};
pub use memory::FeedbackMemory;
pub use people::{Heard, Inbox, Said};
pub use progress::{Convergence, Keep};
pub use prompt_reviewer::PromptReviewer;
pub use review_loop::{
    BaseState, BelowFailLevel, BelowMinimumPolicy, ChainLink, CheckResult, Contradiction,
    Conversation, Cut, Decided, Joined, LoopConfig, LoopError, LoopExecutor, News, PastReview,
    ReadReview, RequireScores, RetryOf, ReviewChanges, ReviewDone, ReviewLoop, ReviewMachine,
    ReviewNotice, ReviewOp, ReviewOut, ReviewSpecsError, Round, ScoreDrop, Subject, ToApply,
    ToHear, ToJoin, ToRestore, ToReview, base_state, session_of,
};
pub use sink::{Envelopes, EventSink, MemorySink, NoSink};
