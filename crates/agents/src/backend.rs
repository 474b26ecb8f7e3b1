//! The backends by name.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use review::prompt::Receiver;
use review::schema::Dialect;
use serde::{Deserialize, Serialize};

use crate::clients::Client;
use crate::cmd::{CommandLine, CommandLineError};
use crate::grammar::{meant, members, written};
use crate::http::{self, ProfileName, ProfileNameError};
use crate::model::{Model, ModelError};
use crate::{acp, builtin, cmd};

/// The pattern of a backend as it is written, with `rest` after it.
pub(crate) fn pattern(rest: &str) -> String {
    let clients = Client::ALL.map(|client| client.row().name).join("|");
    format!("^(builtin|cmd:.+|acp:.+|http:.+|({clients})(:.+)?){rest}$")
}

/// A backend as it is written: `NAME` or `NAME:ARG`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(
    with = "String",
    extend("pattern" = pattern(""))
)]
pub enum Backend {
    /// The embedded rules.
    Builtin,
    /// A program of the user.
    Cmd(CommandLine),
    /// An agent that speaks the Agent Client Protocol.
    Acp(CommandLine),
    /// A client of a language model.
    Client {
        /// The client.
        client: Client,
        /// The model, unless the client chooses.
        model: Option<Model>,
    },
    /// A language model behind an HTTP API, by the name of its profile.
    Http(ProfileName),
}

impl Backend {
    /// Reads the one backend that a user named.
    ///
    /// # Errors
    /// [`BackendError`] says what can be written instead; [`BackendError::Several`]
    /// where commas make it a [`Chain`](crate::Chain).
    pub fn single(text: &str) -> Result<Self, BackendError> {
        match members(text)[..] {
            [only] => only.parse(),
            _ => Err(BackendError::Several),
        }
    }

    /// The backend as the configuration of `root` has it, where it was written in `folder`.
    #[must_use]
    pub fn moved(self, folder: &Path, root: &Path) -> Self {
        match self {
            Self::Cmd(line) => Self::Cmd(line.moved(folder, root)),
            Self::Acp(line) => Self::Acp(line.moved(folder, root)),
            Self::Builtin | Self::Client { .. } | Self::Http(_) => self,
        }
    }

    /// The form of its answers as a reviewer.
    pub const fn dialect(&self) -> Dialect {
        match self {
            Self::Client { client, .. } => client.dialect(),
            Self::Builtin | Self::Cmd(_) | Self::Acp(_) | Self::Http(_) => Dialect::Verdict,
        }
    }

    /// What it is to a prompt; `None` for the embedded rules, which get none.
    pub(crate) const fn receiver(&self) -> Option<Receiver> {
        match self {
            Self::Builtin => None,
            Self::Cmd(_) => Some(Receiver::Program),
            Self::Acp(_) | Self::Client { .. } => Some(Receiver::Client),
            Self::Http(_) => Some(Receiver::Service),
        }
    }

    /// Whether it keeps its sessions, so that it can be asked to go on in one.
    pub const fn keeps_sessions(&self) -> bool {
        match self {
            Self::Acp(_) | Self::Client { .. } => true,
            Self::Builtin | Self::Cmd(_) => false,
            Self::Http(_) => false,
        }
    }

    /// Whether it reads and changes files itself; one that does not answers with
    /// the changes that are to be made.
    pub fn has_tools(&self) -> bool {
        match self {
            Self::Builtin | Self::Cmd(_) | Self::Client { .. } => true,
            Self::Acp(line) => !acp::is_remote(line),
            Self::Http(_) => false,
        }
    }

    /// Whether it writes code: with tools of its own, or as edits in its answer.
    pub const fn can_implement(&self) -> bool {
        !matches!(self, Self::Builtin)
    }

    /// How messages name it.
    pub(crate) fn called(&self) -> String {
        match self {
            Self::Cmd(line) => line.program().to_owned(),
            Self::Client { client, .. } => client.to_string(),
            Self::Builtin | Self::Acp(_) | Self::Http(_) => self.to_string(),
        }
    }

    /// The agent without its model.
    pub(crate) fn agent(&self) -> String {
        match self {
            Self::Client { client, .. } => client.to_string(),
            Self::Builtin | Self::Cmd(_) | Self::Acp(_) | Self::Http(_) => self.to_string(),
        }
    }

    /// The model that it is asked for, where its name holds one.
    pub(crate) fn model(&self) -> Option<&Model> {
        match self {
            Self::Client { model, .. } => model.as_ref(),
            Self::Builtin | Self::Cmd(_) | Self::Acp(_) | Self::Http(_) => None,
        }
    }

    /// The client that it is, or starts.
    pub fn client(&self) -> Option<Client> {
        match self {
            Self::Client { client, .. } => Some(*client),
            Self::Acp(line) => acp::client_of(line),
            Self::Builtin | Self::Cmd(_) | Self::Http(_) => None,
        }
    }

    /// The folders outside of a project that it writes to.
    pub fn state_folders(&self, env: &BTreeMap<OsString, OsString>) -> Vec<PathBuf> {
        match self {
            Self::Client { client, .. } => client.state_folders(env),
            Self::Acp(line) => acp::state_folders(line, env),
            Self::Builtin | Self::Cmd(_) | Self::Http(_) => Vec::new(),
        }
    }

    /// The folder in which an agent that is talked with caches what it can get again.
    pub fn cache_folder(&self, env: &BTreeMap<OsString, OsString>) -> Option<PathBuf> {
        match self {
            Self::Acp(line) => acp::cache_folder(line, env),
            Self::Builtin | Self::Cmd(_) | Self::Client { .. } | Self::Http(_) => None,
        }
    }

    /// Whether it can be asked to read files that a prompt only names.
    pub(crate) fn reads_named_files(&self) -> bool {
        matches!(self, Self::Client { .. } | Self::Acp(_)) && self.has_tools()
    }

    /// Its name, without what is asked of it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Builtin => builtin::NAME,
            Self::Cmd(_) => cmd::NAME,
            Self::Acp(_) => acp::NAME,
            Self::Client { client, .. } => client.as_str(),
            Self::Http(_) => http::NAME,
        }
    }

    /// Whether it asks a language model. A program of the user may, but only
    /// the user knows.
    pub const fn is_model(&self) -> bool {
        match self {
            Self::Builtin | Self::Cmd(_) => false,
            Self::Acp(_) | Self::Client { .. } | Self::Http(_) => true,
        }
    }
}

/// A string that is not the name of a backend of this version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// No backend has the name.
    #[error("\"{name}\" is not a backend; {}", suggestion(*nearest))]
    Unknown {
        /// The name.
        name: String,
        /// The one that was probably meant.
        nearest: Option<&'static str>,
    },
    /// Several backends where one is asked for.
    #[error("one backend is asked for, not several; only reviewers form a chain")]
    Several,
    /// The embedded rules were given an argument.
    #[error("the backend `builtin` takes no argument, got \"{0}\"")]
    Argument(String),
    /// The command is not valid.
    #[error(transparent)]
    Command(#[from] CommandLineError),
    /// The name of the model is not valid.
    #[error("{0}; write `claude` or `claude:MODEL`, and the same for other clients")]
    Model(#[from] ModelError),
    /// The profile has no name.
    #[error(transparent)]
    Profile(#[from] ProfileNameError),
}

fn suggestion(nearest: Option<&str>) -> String {
    match nearest {
        Some(name) => format!("did you mean {name}?"),
        None => format!("use {}", written(|_| true)),
    }
}

/// Reads what [`Display`](fmt::Display) writes, commas included.
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
            (acp::NAME, arg) => Ok(Self::Acp(arg.unwrap_or_default().parse()?)),
            (http::NAME, profile) => Ok(Self::Http(profile.unwrap_or_default().parse()?)),
            (name, model) => {
                let client = name.parse().map_err(|_| BackendError::Unknown {
                    name: name.to_owned(),
                    nearest: meant(name),
                })?;
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
            Self::Cmd(line) | Self::Acp(line) => write!(f, "{}:{line}", self.name()),
            Self::Client {
                client,
                model: None,
            } => write!(f, "{client}"),
            Self::Client {
                client,
                model: Some(model),
            } => write!(f, "{client}:{model}"),
            Self::Http(profile) => write!(f, "{}:{profile}", http::NAME),
        }
    }
}

impl TryFrom<String> for Backend {
    type Error = BackendError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::single(&text)
    }
}

impl From<Backend> for String {
    fn from(backend: Backend) -> Self {
        backend.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_is_written_as_it_is_read() {
        for (text, is_model, can_implement) in [
            ("builtin", false, false),
            ("cmd:./judge", false, true),
            ("cmd:judge --as 'a b' ''", false, true),
            ("acp:goose acp", true, true),
            ("claude", true, true),
            ("codex:gpt-5", true, true),
            ("gemini:gemini-3-pro", true, true),
            ("opencode:openrouter/glm:free", true, true),
            ("http:local", true, true),
        ] {
            let backend: Backend = text.parse().unwrap();
            assert_eq!(backend.to_string(), text);
            assert_eq!(backend.is_model(), is_model, "{text}");
            assert_eq!(backend.can_implement(), can_implement, "{text}");
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
    fn one_backend_is_read_where_one_is_asked_for() {
        for (text, written) in [
            (" builtin ", "builtin"),
            ("cmd:jq -r '.a, .b'", "cmd:jq -r '.a, .b'"),
            ("cmd:judge --also a,b", "cmd:judge --also a,b"),
            (
                "opencode:openrouter/glm:free",
                "opencode:openrouter/glm:free",
            ),
        ] {
            assert_eq!(Backend::single(text).unwrap().to_string(), written);
        }
        for text in ["builtin,", "cmd:judge a,builtin", "x,y"] {
            assert_eq!(Backend::single(text), Err(BackendError::Several), "{text}");
        }
        let literal: Backend = "cmd:judge a,builtin".parse().unwrap();
        assert_eq!(literal.to_string(), "cmd:judge a,builtin");
    }

    #[test]
    fn an_unknown_backend_is_answered_with_those_there_are() {
        let known = written(|row| row.name != "demo");
        assert_eq!(
            known,
            "builtin, cmd:PROGRAM, opencode, claude, codex, gemini, acp:COMMAND or http:PROFILE"
        );
        let known = known.split(", acp:").next().unwrap_or_default();
        for (text, start) in [
            ("gpt", "\"gpt\" is not a backend; use builtin, "),
            ("", "\"\" is not a backend; use builtin, "),
        ] {
            let message = text.parse::<Backend>().unwrap_err().to_string();
            assert!(message.starts_with(start), "{message}");
            assert!(message.contains(known), "{message}");
        }
    }

    #[test]
    fn a_backend_that_is_not_valid_is_reported_with_the_fix() {
        let no_program =
            "a command must name a program, such as `cmd:./reviewer.sh --fast` or `acp:goose acp`";
        for (text, message) in [
            (
                "bultin",
                "\"bultin\" is not a backend; did you mean builtin?",
            ),
            (
                "cloude",
                "\"cloude\" is not a backend; did you mean claude?",
            ),
            (
                "claude:--resume",
                "\"--resume\" is not a valid name of a model; write `claude` or `claude:MODEL`, and the same for other clients",
            ),
            (
                "builtin:x",
                "the backend `builtin` takes no argument, got \"x\"",
            ),
            (
                "claude:",
                "\"\" is not a valid name of a model; write `claude` or `claude:MODEL`, and the same for other clients",
            ),
            (
                "http",
                "\"\" is not a valid name of a profile; write `http:NAME`, where ralph.toml has a table [http.NAME]",
            ),
            ("cmd", no_program),
            ("acp:", no_program),
            ("cmd:  ", no_program),
            ("cmd:'' x", no_program),
            ("cmd:a 'b", "a quote is not closed in the command `a 'b`"),
        ] {
            assert_eq!(text.parse::<Backend>().unwrap_err().to_string(), message);
        }
    }
}
