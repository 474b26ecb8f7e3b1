//! The client `claude`.

mod stream;

pub(crate) use stream::ClaudeEvents;

/// The name of the backend.
pub(crate) const NAME: &str = "claude";
