//! The client `opencode`.

mod stream;
mod wire;

pub(crate) use stream::OpencodeEvents;

/// The name of the backend.
pub(crate) const NAME: &str = "opencode";
