//! The clients of language models, and calls of them.

mod agent;
mod call;
#[cfg(test)]
pub(crate) mod calls;
mod completion;
mod login;
mod message;
mod model;
mod probe;
mod recovery;
mod schema;
mod version;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use review::ReviewRequest;
use review::schema::Dialect;
use review_store::ConfineError;

use crate::claude::{self, ClaudeEvents};
use crate::codex::{self, CodexEvents};
use crate::gemini::{self, GeminiEvents};
use crate::opencode::{self, NoConfig, OpencodeEvents};
use crate::outcome::ExitCodes;
use crate::prompts::{self, ArtifactForm, Prompt, RolePrompt, Shown};
use crate::rows::BackendRow;
use crate::stream::{Events, StreamLimits, StreamReader};
use review::events::AgentRole;

#[cfg(feature = "http")]
pub(crate) use message::what;
pub(crate) use schema::object;
#[cfg(feature = "http")]
pub(crate) use schema::review_schema;

pub use agent::ClientAgent;
pub(crate) use call::{Asked, Invocation};
pub(crate) use login::Credentials;
pub use login::Login;
pub use model::{Model, ModelError};
pub use probe::{ClientProbe, ProbeError};
pub(crate) use recovery::{KeptAnswer, Recovery};
pub use version::VersionAge;

/// The environment of this process.
type Variables = BTreeMap<OsString, OsString>;

/// The configuration of a call.
#[derive(Default)]
struct Configuration {
    /// Options that come before all arguments.
    args: Vec<String>,
    /// A variable and its value.
    variable: Option<(&'static str, String)>,
}

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

    /// What it is like, for people who choose one.
    #[must_use]
    pub const fn row(self) -> &'static BackendRow {
        match self {
            Self::Opencode => &opencode::ROW,
            Self::Claude => &claude::ROW,
            Self::Codex => &codex::ROW,
            Self::Gemini => &gemini::ROW,
        }
    }

    /// How it is called.
    fn call(self, asked: &Asked<'_>) -> Invocation {
        match self {
            Self::Opencode => opencode::call(asked),
            Self::Claude => claude::call(asked),
            Self::Codex => codex::call(asked),
            Self::Gemini => gemini::call(asked),
        }
    }

    /// The call that fails unless the agent is known which it is asked to be,
    /// where a client would pick another one without a word.
    fn definition(self, role: AgentRole) -> Option<Invocation> {
        match self {
            Self::Opencode => Some(opencode::definition(role)),
            Self::Claude | Self::Codex | Self::Gemini => None,
        }
    }

    /// How an answer is recovered that it gave and did not print, where it
    /// keeps its sessions.
    const fn recovery(self) -> Option<Recovery> {
        match self {
            Self::Opencode => Some(opencode::RECOVERY),
            Self::Claude | Self::Codex | Self::Gemini => None,
        }
    }

    /// The version that it is tested with.
    #[must_use]
    pub const fn tested_version(self) -> &'static str {
        match self {
            Self::Opencode => opencode::TESTED,
            Self::Claude => claude::TESTED,
            Self::Codex => codex::TESTED,
            Self::Gemini => gemini::TESTED,
        }
    }

    /// What shows that its user is logged in, where there is one place for that.
    const fn credentials(self) -> Option<Credentials> {
        match self {
            Self::Claude => Some(claude::CREDENTIALS),
            Self::Codex => Some(codex::CREDENTIALS),
            Self::Gemini => Some(gemini::CREDENTIALS),
            Self::Opencode => None,
        }
    }

    /// What calls in `root` need beside the user's own configuration, and in the
    /// place of some of it.
    fn configuration(self, root: &Path, env: &Variables) -> Result<Configuration, NoConfig> {
        match self {
            Self::Opencode => {
                let user = env.get(OsStr::new(opencode::CONFIG));
                let user = user.map(|text| text.to_str().ok_or(NoConfig)).transpose()?;
                Ok(Configuration {
                    variable: Some((opencode::CONFIG, opencode::config(root, user)?)),
                    ..Configuration::default()
                })
            }
            Self::Codex => Ok(Configuration {
                args: codex::overrides(root, env),
                ..Configuration::default()
            }),
            Self::Claude | Self::Gemini => Ok(Configuration::default()),
        }
    }

    /// The form of its answers as a reviewer.
    pub(crate) const fn dialect(self) -> Dialect {
        match self {
            Self::Opencode => Dialect::Afp,
            Self::Claude | Self::Codex | Self::Gemini => Dialect::Verdict,
        }
    }

    /// What it is asked as a reviewer.
    fn review_prompt(
        self,
        request: &ReviewRequest,
        artifact: Shown<'_>,
        role: &RolePrompt,
    ) -> Result<Prompt, ConfineError> {
        match self.dialect() {
            Dialect::Afp => opencode::request(request, artifact.artifact, role),
            Dialect::Verdict | Dialect::Actionable => prompts::review(request, artifact, role),
        }
    }

    /// How an artifact of so many bytes is shown to it in a role, where a prompt
    /// holds at most `max_inline` of them: it has tools that read files. A
    /// request of the Agent Feedback Protocol always has the content.
    pub(crate) const fn form(
        self,
        role: AgentRole,
        bytes: usize,
        max_inline: usize,
    ) -> ArtifactForm {
        match (role, self.dialect()) {
            (AgentRole::Reviewer, Dialect::Afp) => ArtifactForm::Full,
            _ if bytes > max_inline => ArtifactForm::Paths,
            _ => ArtifactForm::Full,
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
