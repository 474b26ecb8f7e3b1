//! The client `codex`.

mod call;
mod command;
mod settings;
mod stream;

use crate::client::{ClientRow, Database};
use crate::row::{BackendRow, client};

/// The client.
pub(crate) const ROW: ClientRow = ClientRow {
    folder: Some((Some("CODEX_HOME"), ".codex")),
    database: Some(Database {
        variable: "CODEX_SQLITE_HOME",
        name: "codex",
    }),
    configuration: settings::configuration,
    ..ClientRow::new(BACKEND, call::call, |limits| {
        Box::new(stream::CodexEvents::new(limits.text))
    })
};

/// What it is like.
const BACKEND: BackendRow = BackendRow {
    variables: &[
        "CODEX_API_KEY",
        "CODEX_HOME",
        "CODEX_SQLITE_HOME",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
    ],
    ..client(
        "codex",
        "codex 0.169 or later, logged in",
        "npm install --global @openai/codex",
    )
};
