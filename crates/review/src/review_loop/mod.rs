//! The review loop: its machine, the executor over agents, and the session it
//! leaves.

mod executor;
mod machine;
mod notice;
mod op;
mod run;
mod session;

pub use executor::{LoopExecutor, base_state};
pub(crate) use machine::describe_below;
pub use machine::{BelowMinimumPolicy, LoopConfig, ReviewMachine, Subject};
pub use notice::{ReviewNotice, Round};
pub use op::{BaseState, Cut, RetryOf, ReviewChanges, ReviewDone, ReviewOp, ReviewOut};
pub use run::{LoopError, ReviewLoop, ReviewSpecsError};
pub use session::session_of;
