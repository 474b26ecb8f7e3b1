//! The review loop: send an artifact to a reviewer, parse its answer defensively,
//! apply the feedback, and repeat until the artifact passes or the loop is blocked.
//!
//! For your own loop you need only this crate: implement [`Reviewer`] and
//! [`Applier`], and build a [`ReviewLoop`].
//!
//! ```
//! use review::flow::{Seed, SystemClock};
//! use review::types::{AgentError, FinalVerdict};
//! use review::{
//!     Applier, ApplyReport, ApplyRequest, ReviewAnswer, ReviewLoop, ReviewRequest, Reviewer,
//! };
//!
//! struct Model;
//!
//! #[async_trait::async_trait]
//! impl Reviewer for Model {
//!     async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
//!         let points = if request.iteration == 1 { 50 } else { 90 };
//!         Ok(ReviewAnswer::text(format!(
//!             r#"{{"verdict": "pass", "feedback": [], "score": {{"completeness": {points},
//!                 "consistency": 90, "testability": 90, "architecture": 90}}}}"#
//!         )))
//!     }
//! }
//!
//! #[async_trait::async_trait]
//! impl Applier for Model {
//!     async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
//!         assert_eq!(request.items.as_slice()[0].section(), "completeness");
//!         Ok(ApplyReport::done())
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let looped = ReviewLoop::builder(Model, Model).build()?;
//! let session = looped.run(Seed::random()?, &SystemClock).await?;
//! assert_eq!(session.final_verdict, FinalVerdict::Pass);
//! assert_eq!(session.iterations.len(), 2);
//! # Ok(())
//! # }
//! ```
//!
//! - A journal, an artifact, a check and the other parts are optional: see
//!   [`ReviewLoopBuilder`]. An interrupted run is resumed from its journal.
//! - [`machine`] has the machine of the loop for callers that drive it themselves,
//!   and [`flow`] the kernel for machines of your own.
//!
//! The crate uses no process, network or file; all of them enter through traits
//! and arguments. So do time and randomness: [`flow::SystemClock`] and
//! [`flow::Seed::random`] are those of the system.
//!
//! # Map
//!
//! `review_loop` is the loop: `machine` decides what happens next, one file a kind of
//! answer; `executor` carries it out over the traits of `agent`, `artifact`, `check`,
//! `facts` and `people`; `notice` turns what was decided into events, which go to a `sink`.
//! An answer is read by the crate `schema`, and `pass` alone says whether it counts, after
//! `delivery` (did the whole prompt arrive?) and `wording` (is an item vague?). `ledger`
//! follows findings over the rounds, with `naming` (what a reviewer's words refer to) and
//! `hunk` (what an edit changed); `decided` and `feedback` are what the applier did and
//! gets; `progress` says whether the loop gets anywhere, `budget` and `memory` what it may
//! use and remembers. `prompt` and `prompt_reviewer` are for loops without an agent crate.

mod agent;
mod artifact;
mod budget;
mod check;
mod decided;
mod delivery;
mod facts;
mod feedback;
mod hunk;
mod ledger;
mod memory;
mod naming;
mod pass;
pub mod people;
mod progress;
pub mod prompt;
mod prompt_reviewer;
mod review_loop;
mod sink;
mod wording;

pub use review_events as events;
pub use review_flow as flow;
pub use review_schema as schema;
pub use review_types as types;
pub use review_types::criteria;

pub use agent::{
    AnswerContent, Applier, ApplyReport, ApplyRequest, FollowUp, Malformed, OutOfScopeChange,
    Retry, ReviewAnswer, ReviewRequest, Reviewer,
};
pub use artifact::{Artifact, MemoryArtifact, Section, Snapshot};
pub use budget::{Allowance, Budget};
pub use check::{Check, CheckOutcome};
pub use facts::{Fact, FactFinder};
pub use review_loop::{
    LimitReached, Limits, LoopError, ReviewLoop, ReviewLoopBuilder, ReviewSpecsError, Subject,
};
pub use sink::{EventSink, MemorySink, NoSink};

/// Returns a number of things, at most the largest that is recorded.
fn count(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}

/// The settings of a loop.
pub mod config {
    pub use crate::memory::FeedbackMemory;
    pub use crate::progress::{Convergence, Keep};
    pub use crate::review_loop::{BelowMinimumPolicy, ChainLink, LoopConfig};
}

/// The machine of a loop and its executor, for callers that drive it themselves:
/// inside a machine of their own, or on another engine.
///
/// [`ReviewLoop`] does this for all other callers.
pub mod machine {
    pub use crate::budget::Consumed;
    pub use crate::delivery::Undelivered;
    pub use crate::feedback::{ExtraItems, with_minimums};
    pub use crate::ledger::{Ledger, RoundFindings};
    pub use crate::pass::PassDoubt;
    pub use crate::review_loop::{
        ApplyArgs, BaseState, CheckResult, Conversation, Decided, FailedCalls, LedgerArgs,
        LedgerUpdate, LoopExecutor, LoopParts, NewComments, PastReview, ReadComments, ReadReview,
        Recovery, RestoreArgs, RetryOf, ReviewArgs, ReviewChanges, ReviewDone, ReviewMachine,
        ReviewNotice, ReviewOp, ReviewOut, Round, ScoreDrop, base_state, session_of,
    };
    pub use crate::sink::Envelopes;
    pub use crate::wording::{EarlierReview, VagueAnswer};

    #[cfg(doc)]
    use crate::ReviewLoop;
}

/// The guide of the manual, whose code is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/library.md")]
mod guide {}
