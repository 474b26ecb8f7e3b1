//! The review loop: its machine, the executor over agents, and the session that it
//! produces.

mod answer;
mod builder;
mod config;
mod executor;
mod items;
mod load;
mod machine;
mod notice;
mod op;
mod retry;
mod round;
mod run;

pub use builder::ReviewLoopBuilder;
pub use config::{BelowMinimumPolicy, ChainLink, Limits, LoopConfig, Subject};
pub use executor::{LoopExecutor, LoopParts, base_state};
pub(crate) use load::tail;
pub use machine::ReviewMachine;
pub(crate) use machine::describe_below;
pub use notice::ReviewNotice;
pub use op::{
    ApplyArgs, BaseState, CheckResult, Conversation, Decided, LedgerArgs, LedgerUpdate,
    LimitReached, NewComments, PastReview, ReadComments, ReadReview, RestoreArgs, RetryOf,
    ReviewArgs, ReviewChanges, ReviewDone, ReviewOp, ReviewOut, ScoreDrop,
};
pub use retry::{FailedCalls, Recovery};
pub use round::Round;
pub use run::{LoopError, ReviewLoop, ReviewSpecsError, session_of};
