//! The client `claude`.

mod call;
mod messages;
mod stream;
mod wire;

pub(crate) use call::call;
pub(crate) use stream::ClaudeEvents;

use crate::client::Credentials;
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

/// The version that it is tested with.
pub(crate) const TESTED: &str = "2.1.197";

/// What shows that somebody is logged in.
pub(crate) const CREDENTIALS: Credentials = Credentials {
    variables: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
    ],
    folder: (Some("CLAUDE_CONFIG_DIR"), ".claude"),
    files: &[".credentials.json"],
    log_in: "start `claude` and log in, or set ANTHROPIC_API_KEY",
};
