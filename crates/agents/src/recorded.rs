//! The backends whose recorded calls can be read.

use std::fmt;
use std::str::FromStr;

use crate::backend::{Backend, BackendError};
use crate::clients::Client;
use crate::grammar::written;
use crate::http::ProfileName;

/// Who made a call that was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedBackend {
    /// A client, whatever its model.
    Client(Client),
    /// This program, over HTTP. The recording says which API it was.
    Http(ProfileName),
}

impl fmt::Display for RecordedBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(client) => write!(f, "{client}"),
            Self::Http(profile) => write!(f, "http:{profile}"),
        }
    }
}

/// A string that does not name a backend whose recorded calls can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordedBackendError {
    /// A backend whose calls say nothing by themselves.
    #[error("calls of \"{0}\" cannot be read; use {names}", names = written(|row| row.replay))]
    Unread(String),
    /// It names no backend.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// Reads `NAME` or `NAME:ARG`.
impl FromStr for RecordedBackend {
    type Err = RecordedBackendError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match Backend::single(text)? {
            Backend::Client { client, .. } => Ok(Self::Client(client)),
            Backend::Http(profile) => Ok(Self::Http(profile)),
            Backend::Builtin | Backend::Cmd(_) => {
                Err(RecordedBackendError::Unread(text.to_owned()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_of_models_can_be_read() {
        for (text, written) in [
            ("claude", "claude"),
            ("codex:gpt-5", "codex"),
            ("http:local", "http:local"),
        ] {
            let backend: RecordedBackend = text.parse().unwrap();
            assert_eq!(backend.to_string(), written);
        }
        for text in ["builtin", "cmd:cat"] {
            let error = RecordedBackendError::Unread(text.to_owned());
            assert_eq!(text.parse::<RecordedBackend>(), Err(error));
        }
    }
}
