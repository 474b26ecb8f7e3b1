//! One run: a review and then tasks, over one journal.
//!
//! [`start`] starts a run, [`resume`] goes on with one, [`replay`] reports one
//! again. Each drives the same machine, which holds the machines of the crates
//! `review` and `tasks`, with an executor over agents, processes and files; what
//! is decided is decided there, and what is remembered is in the journal.

mod admission;
mod agents;
mod configured;
mod consultation;
pub mod doctor;
mod documents;
mod error;
mod execute;
pub mod gate;
mod id;
mod inbox;
mod inspect;
pub mod learn;
pub mod lint;
pub mod location;
mod machine;
mod notice;
mod project;
mod prompts;
mod provide;
mod run;
mod scope;
mod settings;
mod target;

pub use consultation::{Asked, Consultation, QuestionBudget, Unanswered};
pub use error::{EngineError, causes, error_chain};
pub use id::time_ordered_id;
pub use inbox::say;
pub use inspect::{Inspection, inspect};
pub use machine::Raised;
pub use notice::{Notify, is_notice_due, notify};
pub use project::Project;
pub use provide::{Provided, provide};
pub use run::{Replay, RunEnd, replay, resume, start};
pub use settings::{CallLimits, Recording, RunSettings, Stages, Target, Tracking};
pub use target::{SpecTarget, TargetError};
