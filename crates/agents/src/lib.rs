//! Reviewers and appliers: the embedded rules, and any program of the user.
//!
//! Each backend turns whatever can happen to a call into an answer or into one
//! of the closed list of outcomes, [`review_types::Failure`]. Whether an answer
//! is any good is not judged here, nor is anything tried twice.

mod backend;
mod builtin;
mod call;
mod chain;
mod cmd;
mod context;
mod no_answer;
mod prompts;

pub use backend::{Backend, BackendError};
pub use builtin::BuiltinAgent;
pub use chain::{Chain, ChainReviewer};
pub use cmd::{CmdAgent, CommandLine, CommandLineError};
pub use context::{AgentContext, Interruption};
