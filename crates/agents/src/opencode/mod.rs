//! The client `opencode`.

mod call;
mod definition;
mod recovery;
mod request;
mod stream;
mod wire;

pub(crate) use call::{CONFIG, call, config, definition};
pub(crate) use definition::NoConfig;
pub use definition::opencode_agents;
pub(crate) use recovery::RECOVERY;
pub(crate) use request::request;
pub(crate) use stream::OpencodeEvents;

use crate::rows::{BackendRow, client};

/// The name of the backend.
pub(crate) const NAME: &str = "opencode";

/// What it is like.
pub(crate) const ROW: BackendRow = BackendRow {
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
        NAME,
        "opencode 1.18 or later, logged in: npm install --global opencode-ai",
    )
};

/// The version that it is tested with.
pub(crate) const TESTED: &str = "1.18.33";
