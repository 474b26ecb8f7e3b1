//! The client `gemini`.

mod call;
mod object;
mod stream;

pub(crate) use call::call;
pub(crate) use stream::GeminiEvents;

use crate::client::Credentials;
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

/// The version that it is tested with.
pub(crate) const TESTED: &str = "0.61.0";

/// What shows that somebody is logged in.
pub(crate) const CREDENTIALS: Credentials = Credentials {
    variables: &[
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
    ],
    folder: (None, ".gemini"),
    files: &["oauth_creds.json", ".env"],
    log_in: "start `gemini` and log in, or set GEMINI_API_KEY",
};
