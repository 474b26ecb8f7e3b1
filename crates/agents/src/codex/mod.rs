//! The client `codex`.

mod call;
mod stream;

pub(crate) use call::call;
pub(crate) use stream::CodexEvents;

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
