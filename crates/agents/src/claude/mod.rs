//! The client `claude`.

mod stream;
mod wire;

pub(crate) use stream::ClaudeEvents;

/// The name of the backend.
pub(crate) const NAME: &str = "claude";
