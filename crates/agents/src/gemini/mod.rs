//! The client `gemini`.

mod object;
mod stream;

pub(crate) use stream::GeminiEvents;

/// The name of the backend.
pub(crate) const NAME: &str = "gemini";
