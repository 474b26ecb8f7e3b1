//! The client `codex`.

mod call;
mod command;
mod settings;
mod stream;

use crate::client::{ClientRow, Credentials, Database};
use crate::row::{BackendRow, client};

/// The client.
pub(crate) const ROW: ClientRow = ClientRow {
    credentials: Some(CREDENTIALS),
    database: Some(Database {
        variable: "CODEX_SQLITE_HOME",
        name: "codex",
    }),
    configuration: settings::configuration,
    ..ClientRow::new(BACKEND, "0.169.0", call::call, |limits| {
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

/// What shows that a user is logged in.
const CREDENTIALS: Credentials = Credentials {
    variables: &["CODEX_API_KEY", "OPENAI_API_KEY"],
    folder: (Some("CODEX_HOME"), ".codex"),
    files: &["auth.json"],
    log_in: "run `codex login`, or set CODEX_API_KEY",
};
