//! User corrections, feedback from runs, and the lessons that follow from them.
//!
//! [`corrections`] reads the file in which agents and people record corrections of an
//! agent's work. [`patterns`] groups what recurs, and [`cluster`] groups feedback about
//! the same topic. The objects of the agent learning schema are [`config`],
//! [`feedback`], [`lesson`] and [`prompt`], and its step sequences are [`protocol`];
//! [`object`] reads them. [`measure`] compares versions of a prompt. Nothing in this
//! crate prints or reads the clock: the current time is an argument.

mod agent_name;
pub mod capture;
pub mod cluster;
pub mod collection;
pub mod confidence;
pub mod config;
pub mod corrections;
pub mod feedback;
mod format;
mod id;
pub mod lesson;
pub mod measure;
pub mod object;
mod objection;
pub mod patterns;
pub mod prompt;
pub mod protocol;

pub use agent_name::AgentName;
pub use format::Format;
pub use id::{Id, InvalidUuid};
pub use review_types::diagnostic;
