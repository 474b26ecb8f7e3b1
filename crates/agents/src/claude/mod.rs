//! The client `claude`.

mod call;
mod stream;
mod wire;

use crate::client::{ClientRow, Pricing};
use crate::row::{BackendRow, client};

/// The client.
pub(crate) const ROW: ClientRow = ClientRow {
    folder: Some((Some("CLAUDE_CONFIG_DIR"), ".claude")),
    pricing: Pricing::Reported,
    ..ClientRow::new(BACKEND, call::call, |limits| {
        Box::new(stream::ClaudeEvents::new(limits.text))
    })
};

/// What it is like.
const BACKEND: BackendRow = BackendRow {
    variables: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_MODEL",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CONFIG_DIR",
    ],
    ..client(
        "claude",
        "claude 2.1 or later, logged in",
        "npm install --global @anthropic-ai/claude-code",
    )
};
