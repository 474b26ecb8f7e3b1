//! Specs, plans and task files with byte spans, and the facts they state.
//!
//! Pure: texts and lists of paths come in, values and faults go out. Nothing
//! here opens a file, starts a program or reads a clock; nothing here decides
//! what a fault costs or whether a task runs.

pub mod command;
mod duration;
pub mod markdown;
pub mod near;
pub mod span;
pub mod yaml;

pub use duration::{DurationError, parse_duration};
pub use span::{LineIndex, Place, Position, Span, Spanned};
