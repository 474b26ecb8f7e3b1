//! The client `gemini`.

mod call;
mod error;
mod line;
mod stream;

use crate::client::{ClientRow, Pricing};
use crate::outcome::ExitCodes;
use crate::row::{BackendRow, client};

/// The client.
pub(crate) const ROW: ClientRow = ClientRow {
    folder: Some((None, ".gemini")),
    exit_codes: ExitCodes::HttpStatus,
    pricing: Pricing::ByName,
    ..ClientRow::new(BACKEND, call::call, |limits| {
        Box::new(stream::GeminiEvents::new(limits.text))
    })
};

/// What it is like.
const BACKEND: BackendRow = BackendRow {
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
        "gemini",
        "gemini 0.61 or later, logged in",
        "npm install --global @google/gemini-cli",
    )
};
