//! The client `codex`.

mod call;
mod settings;
mod stream;

pub(crate) use call::call;
pub(crate) use settings::overrides;
pub(crate) use stream::CodexEvents;

use crate::client::Credentials;
use crate::rows::{BackendRow, client};

/// The name of the backend.
pub(crate) const NAME: &str = "codex";

/// What it is like.
pub(crate) const ROW: BackendRow = BackendRow {
    variables: &[
        "CODEX_API_KEY",
        "CODEX_HOME",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
    ],
    ..client(
        NAME,
        "codex 0.169 or later, logged in: npm install --global @openai/codex",
    )
};

/// The version that it is tested with.
pub(crate) const TESTED: &str = "0.169.0";

/// What shows that somebody is logged in.
pub(crate) const CREDENTIALS: Credentials = Credentials {
    variables: &["CODEX_API_KEY", "OPENAI_API_KEY"],
    folder: (Some("CODEX_HOME"), ".codex"),
    files: &["auth.json"],
    log_in: "run `codex login`, or set CODEX_API_KEY",
};
