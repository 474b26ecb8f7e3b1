//! The client `opencode`.

mod call;
mod definition;
mod recovery;
mod request;
mod stream;
mod wire;

pub use definition::opencode_agents;
pub(crate) use request::request;

use review::schema::Dialect;

use crate::client::{AddedField, ClientRow, Database, Pricing};
use crate::row::{BackendRow, client};

/// The client.
pub(crate) const ROW: ClientRow = ClientRow {
    state: &[
        ("XDG_CONFIG_HOME", ".config", "opencode"),
        ("XDG_DATA_HOME", ".local/share", "opencode"),
        ("XDG_STATE_HOME", ".local/state", "opencode"),
    ],
    database: Some(Database {
        variable: "OPENCODE_DB",
        name: "opencode.db",
    }),
    configuration: call::configuration,
    definition: Some(call::definition),
    adds: Some(ADDED),
    recovery: Some(recovery::RECOVERY),
    dialect: Dialect::Afp,
    pricing: Pricing::OfChosenModel,
    ..ClientRow::new(BACKEND, call::call, |limits| {
        Box::new(stream::OpencodeEvents::new(limits.text))
    })
};

/// It names the schema in each of its files that does not.
const ADDED: AddedField = AddedField {
    files: &[
        "opencode.json",
        "opencode.jsonc",
        ".opencode/opencode.json",
        ".opencode/opencode.jsonc",
    ],
    field: "$schema",
};

/// What it is like.
const BACKEND: BackendRow = BackendRow {
    variables: &[
        "ANTHROPIC_API_KEY",
        "DEEPSEEK_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "GROQ_API_KEY",
        "MISTRAL_API_KEY",
        "OPENAI_API_KEY",
        "OPENCODE_API_KEY",
        "OPENCODE_CONFIG",
        "OPENCODE_CONFIG_DIR",
        "OPENCODE_DB",
        "OPENROUTER_API_KEY",
        "XAI_API_KEY",
    ],
    writes: &[
        ".opencode/.gitignore",
        ".opencode/bun.lock",
        ".opencode/node_modules",
        ".opencode/package-lock.json",
        ".opencode/package.json",
    ],
    ..client(
        "opencode",
        "opencode 1.18 or later, logged in",
        "npm install --global opencode-ai",
    )
};
