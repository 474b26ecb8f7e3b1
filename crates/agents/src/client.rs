//! The clients of language models, by name.

use std::fmt;
use std::str::FromStr;

use crate::claude::{self, ClaudeEvents};
use crate::codex::{self, CodexEvents};
use crate::gemini::{self, GeminiEvents};
use crate::opencode::{self, OpencodeEvents};
use crate::outcome::ExitCodes;
use crate::stream::{Events, StreamLimits, StreamReader};

/// A program that talks to a language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Client {
    /// `opencode run --format json`.
    Opencode,
    /// `claude -p`.
    Claude,
    /// `codex exec --json`.
    Codex,
    /// `gemini -o json`.
    Gemini,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Opencode, Self::Claude, Self::Codex, Self::Gemini];

    /// The name of its backend.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Opencode => opencode::NAME,
            Self::Claude => claude::NAME,
            Self::Codex => codex::NAME,
            Self::Gemini => gemini::NAME,
        }
    }

    /// A reader of what it prints during one call.
    #[must_use]
    pub fn reader(self, limits: StreamLimits) -> StreamReader {
        let StreamLimits { text, line } = limits;
        let events: Box<dyn Events> = match self {
            Self::Opencode => Box::new(OpencodeEvents::new(text)),
            Self::Claude => Box::new(ClaudeEvents::new(text)),
            Self::Codex => Box::new(CodexEvents::new(text)),
            Self::Gemini => Box::new(GeminiEvents::new(text, line)),
        };
        StreamReader::new(events, limits)
    }

    /// What its exit codes mean beyond success and failure.
    #[must_use]
    pub const fn exit_codes(self) -> ExitCodes {
        match self {
            Self::Gemini => ExitCodes::HttpStatus,
            Self::Opencode | Self::Claude | Self::Codex => ExitCodes::Plain,
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name that no client has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no client; use opencode, claude, codex or gemini")]
pub struct ClientError(pub String);

impl FromStr for Client {
    type Err = ClientError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let client = Self::ALL.into_iter().find(|client| client.as_str() == name);
        client.ok_or_else(|| ClientError(name.to_owned()))
    }
}
