//! One run: a review and then tasks, over one journal.
//!
//! [`start`] begins a run, [`resume`] goes on with one, [`replay`] tells one
//! again. Each composes the same two machines, of the crates `review` and
//! `tasks`, with executors over agents, processes and files; what is decided is
//! decided there, and what is remembered is remembered in the journal.

mod admission;
mod agents;
mod bounded;
mod compose;
mod configured;
mod consultation;
mod documents;
mod error;
mod id;
mod inbox;
mod inspect;
mod notice;
mod project;
mod prompts;
mod provide;
mod run;
mod scope;
mod settings;
mod target;

pub use compose::Raised;
pub use consultation::{Asked, Consultation, QuestionBudget, Unanswered};
pub use error::EngineError;
pub use id::time_ordered_id;
pub use inbox::say;
pub use inspect::{Inspection, inspect};
pub use notice::{Notify, is_notice_due, notify};
pub use project::Project;
pub use provide::{Provided, provide};
pub use run::{Replay, RunEnd, replay, resume, start};
pub use settings::{CallLimits, Recording, RunSettings, Stages, Target, Tracking};
pub use target::{SpecTarget, TargetError};
