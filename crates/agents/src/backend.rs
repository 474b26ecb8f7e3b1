//! The backends by name.

use std::fmt;
use std::str::FromStr;

use review::events::AgentRole;
use review::schema::Dialect;

use crate::client::{Client, Model, ModelError};
use crate::cmd::{CommandLine, CommandLineError};
#[cfg(feature = "http")]
use crate::http::{self, ProfileName, ProfileNameError};
use crate::prompts::ArtifactForm;
use crate::{builtin, cmd};

/// A backend as it is written: `NAME` or `NAME:ARG`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The embedded rules.
    Builtin,
    /// A program of the user.
    Cmd(CommandLine),
    /// A client of a language model.
    Client {
        /// The client.
        client: Client,
        /// The model, unless the client chooses.
        model: Option<Model>,
    },
    /// A language model behind an HTTP API, by the name of its profile.
    #[cfg(feature = "http")]
    Http(ProfileName),
}

impl Backend {
    /// The form of its answers as a reviewer.
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        match self {
            Self::Client { client, .. } => client.dialect(),
            Self::Builtin | Self::Cmd(_) => Dialect::Verdict,
            #[cfg(feature = "http")]
            Self::Http(_) => Dialect::Verdict,
        }
    }

    /// How a prompt in a role shows it an artifact of so many bytes, where one
    /// to a client holds at most `max_inline` of them.
    #[must_use]
    pub const fn form(&self, role: AgentRole, bytes: usize, max_inline: usize) -> ArtifactForm {
        match self {
            Self::Client { client, .. } => client.form(role, bytes, max_inline),
            Self::Builtin | Self::Cmd(_) => ArtifactForm::Full,
            #[cfg(feature = "http")]
            Self::Http(_) => ArtifactForm::Full,
        }
    }

    /// Whether it keeps its sessions, so that it can be asked to go on in one.
    #[must_use]
    pub const fn keeps_sessions(&self) -> bool {
        match self {
            Self::Client { .. } => true,
            Self::Builtin | Self::Cmd(_) => false,
            #[cfg(feature = "http")]
            Self::Http(_) => false,
        }
    }

    /// Whether it asks a language model. A program of the user may, but only
    /// the user knows.
    #[must_use]
    pub const fn is_model(&self) -> bool {
        match self {
            Self::Builtin | Self::Cmd(_) => false,
            Self::Client { .. } => true,
            #[cfg(feature = "http")]
            Self::Http(_) => true,
        }
    }
}

/// A text that names no backend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// Nothing goes by that name.
    #[error("there is no backend \"{0}\"; `ralph agents list` shows them")]
    Unknown(String),
    /// The embedded rules were given an argument.
    #[error("the backend `builtin` takes no argument, got \"{0}\"")]
    Argument(String),
    /// The command is none.
    #[error(transparent)]
    Command(#[from] CommandLineError),
    /// The model of a client is none.
    #[error("{0}; write `claude` or `claude:MODEL`, likewise for other clients")]
    Model(#[from] ModelError),
    /// The profile has no name.
    #[cfg(feature = "http")]
    #[error(transparent)]
    Profile(#[from] ProfileNameError),
}

impl FromStr for Backend {
    type Err = BackendError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, arg) = match text.split_once(':') {
            Some((name, arg)) => (name, Some(arg)),
            None => (text, None),
        };
        match (name, arg) {
            (builtin::NAME, None) => Ok(Self::Builtin),
            (builtin::NAME, Some(arg)) => Err(BackendError::Argument(arg.to_owned())),
            (cmd::NAME, arg) => Ok(Self::Cmd(arg.unwrap_or_default().parse()?)),
            #[cfg(feature = "http")]
            (http::NAME, profile) => Ok(Self::Http(profile.unwrap_or_default().parse()?)),
            (name, model) => {
                let client = name.parse();
                let client = client.map_err(|_| BackendError::Unknown(name.to_owned()))?;
                let model = model.map(str::parse).transpose()?;
                Ok(Self::Client { client, model })
            }
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin => f.write_str(builtin::NAME),
            Self::Cmd(line) => write!(f, "{}:{line}", cmd::NAME),
            Self::Client {
                client,
                model: None,
            } => write!(f, "{client}"),
            Self::Client {
                client,
                model: Some(model),
            } => write!(f, "{client}:{model}"),
            #[cfg(feature = "http")]
            Self::Http(profile) => write!(f, "{}:{profile}", http::NAME),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_is_written_as_it_is_read() {
        for (text, is_model) in [
            ("builtin", false),
            ("cmd:./judge", false),
            ("cmd:judge --as 'a b' ''", false),
            ("claude", true),
            ("codex:gpt-5", true),
            ("gemini:gemini-3-pro", true),
            ("opencode:openrouter/glm:free", true),
            #[cfg(feature = "http")]
            ("http:local", true),
        ] {
            let backend: Backend = text.parse().unwrap();
            assert_eq!(backend.to_string(), text);
            assert_eq!(backend.is_model(), is_model, "{text}");
        }
    }

    #[test]
    fn a_command_is_split_into_words_without_a_shell() {
        let Backend::Cmd(line) = "cmd: sh -c 'echo $HOME | cat' a\\ b".parse().unwrap() else {
            panic!("no command");
        };
        assert_eq!(line.program(), "sh");
        assert_eq!(line.args(), ["-c", "echo $HOME | cat", "a b"]);
    }

    #[test]
    fn what_names_no_backend_says_so() {
        let no_program = "a command must name a program, such as `cmd:./reviewer.sh --fast`";
        for (text, message) in [
            (
                "acp:gemini",
                "there is no backend \"acp\"; `ralph agents list` shows them",
            ),
            (
                "builtin:x",
                "the backend `builtin` takes no argument, got \"x\"",
            ),
            (
                "claude:",
                "\"\" is not a valid name of a model; write `claude` or `claude:MODEL`, likewise for other clients",
            ),
            #[cfg(feature = "http")]
            (
                "http",
                "\"\" is no name of a profile; write `http:NAME`, where ralph.toml has a table [http.NAME]",
            ),
            ("cmd", no_program),
            ("cmd:  ", no_program),
            ("cmd:'' x", no_program),
            ("cmd:a 'b", "a quote is not closed in the command `a 'b`"),
        ] {
            assert_eq!(text.parse::<Backend>().unwrap_err().to_string(), message);
        }
    }
}
