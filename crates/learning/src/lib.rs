//! What users corrected, what runs found, and what follows from it.
//!
//! [`corrections`] reads the file in which agents and people note what a user
//! changed of an agent's work; [`patterns`] groups what comes again, and
//! [`cluster`] what is about the same, in whatever words. The objects of the
//! agent learning schema are [`config`], [`feedback`], [`lesson`] and
//! [`prompt`], its sequences of steps [`protocol`]; [`object`] says how they are
//! read. [`measure`] says what a version of a prompt is worth. Nothing here
//! prints or reads the time: the moment at which something is looked at is an
//! argument.

pub mod capture;
pub mod cluster;
pub mod collection;
pub mod config;
pub mod corrections;
pub mod feedback;
mod format;
mod id;
pub mod lesson;
pub mod measure;
pub mod object;
pub mod patterns;
pub mod prompt;
pub mod protocol;

pub use format::Format;
pub use id::{Id, NotUuid};
pub use review_types::diagnostic;
