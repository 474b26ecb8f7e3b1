//! The client `claude`.

mod call;
mod messages;
mod stream;
mod wire;

pub(crate) use call::call;
pub(crate) use stream::ClaudeEvents;

use crate::rows::{BackendRow, client};

/// The name of the backend.
pub(crate) const NAME: &str = "claude";

/// What it is like.
pub(crate) const ROW: BackendRow = BackendRow {
    variables: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_MODEL",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CONFIG_DIR",
    ],
    ..client(
        NAME,
        "claude 2.1 or later, logged in: npm install --global @anthropic-ai/claude-code",
    )
};
