//! The client `gemini`.

mod call;
mod object;
mod stream;

pub(crate) use call::call;
pub(crate) use stream::GeminiEvents;

use crate::rows::{BackendRow, client};

/// The name of the backend.
pub(crate) const NAME: &str = "gemini";

/// What it is like.
pub(crate) const ROW: BackendRow = BackendRow {
    variables: &[
        "GEMINI_API_KEY",
        "GEMINI_MODEL",
        "GOOGLE_API_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_CLOUD_LOCATION",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_GENAI_USE_VERTEXAI",
    ],
    ..client(
        NAME,
        "gemini 0.61 or later, logged in: npm install --global @google/gemini-cli",
    )
};
