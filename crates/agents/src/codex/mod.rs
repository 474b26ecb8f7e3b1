//! The client `codex`.

mod stream;

pub(crate) use stream::CodexEvents;

/// The name of the backend.
pub(crate) const NAME: &str = "codex";
