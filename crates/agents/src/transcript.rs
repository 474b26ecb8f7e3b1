//! A recorded call: NAME.meta.json, NAME.stdout and NAME.stderr.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use review_document::parse_duration;
use review_types::{Failure, LimitKind};
use serde::Deserialize;

use crate::client::Client;
use crate::ending::Ending;
use crate::outcome::{CallEnd, outcome};
use crate::stream::{Observed, StreamLimits};

/// The largest file of a recording that is read.
const MAX_FILE: u64 = 256 * 1024 * 1024;

/// The signals by which calls are ended, with their numbers on Linux.
const SIGNALS: [(&str, i32); 5] = [
    ("SIGHUP", 1),
    ("SIGINT", 2),
    ("SIGQUIT", 3),
    ("SIGKILL", 9),
    ("SIGTERM", 15),
];

/// A call as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// How the process ended.
    pub ending: Ending,
    /// What was recorded of standard output.
    pub stdout: Vec<u8>,
    /// What was recorded of standard error.
    pub stderr: Vec<u8>,
    /// The lines that standard output had, when not all were recorded.
    pub stdout_lines_total: Option<u64>,
}

/// What a recorded call comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// What the client's output said.
    pub seen: Observed,
    /// Whether it is an answer.
    pub outcome: Result<(), Failure>,
    /// The HTTP status of the error that ended the call.
    pub status: Option<u16>,
}

/// The keys of the meta file that say how a call ended.
#[derive(Deserialize)]
struct Meta {
    #[serde(default)]
    argv: Vec<String>,
    exit: Option<i32>,
    ended: String,
    stdout_lines_total: Option<u64>,
}

/// A recording that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    /// One of its files cannot be read.
    #[error("cannot read {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its meta file is not what it should be.
    #[error("cannot read {}", path.display())]
    Meta {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// Its meta file does not say how the call ended.
    #[error("{}: \"{ended}\" with exit {exit:?} is no end of a call", path.display())]
    Ending {
        /// The file.
        path: PathBuf,
        /// What it says.
        ended: String,
        /// The exit code that it says.
        exit: Option<i32>,
    },
}

impl Transcript {
    /// Reads the recording `case`, a path without extension.
    ///
    /// # Errors
    ///
    /// [`TranscriptError`] names the file.
    pub fn read(case: &Path) -> Result<Self, TranscriptError> {
        let path = with_extension(case, ".meta.json");
        let meta = serde_json::from_slice(&file(&path)?);
        let meta: Meta = meta.map_err(|source| TranscriptError::Meta {
            path: path.clone(),
            source,
        })?;
        let ending = ending(&meta).ok_or_else(|| TranscriptError::Ending {
            path,
            ended: meta.ended.clone(),
            exit: meta.exit,
        })?;
        Ok(Self {
            ending,
            stdout: file(&with_extension(case, ".stdout"))?,
            stderr: file(&with_extension(case, ".stderr"))?,
            stdout_lines_total: meta.stdout_lines_total,
        })
    }

    /// Reads it as a call of `client`.
    #[must_use]
    pub fn replay(&self, client: Client, limits: StreamLimits) -> Replayed {
        let mut reader = client.reader(limits);
        reader.stdout(&self.stdout);
        reader.stderr(&self.stderr);
        let seen = reader.finish();
        let call = CallEnd {
            ending: &self.ending,
            seen: &seen,
            exits: client.exit_codes(),
            changed: &[],
            at: None,
            cut_recording: self.stdout_lines_total.is_some(),
        };
        let (outcome, status) = (outcome(&call), call.status());
        Replayed {
            seen,
            outcome,
            status,
        }
    }
}

/// The path with more at its end; a name may hold dots of its own.
fn with_extension(case: &Path, extension: &str) -> PathBuf {
    let mut path = OsString::from(case);
    path.push(extension);
    path.into()
}

fn file(path: &Path) -> Result<Vec<u8>, TranscriptError> {
    let failed = |source| TranscriptError::File {
        path: path.to_owned(),
        source,
    };
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > MAX_FILE {
        return Err(failed(io::ErrorKind::FileTooLarge.into()));
    }
    std::fs::read(path).map_err(failed)
}

/// Reads `exit`, `limit 60s: killed`, `limit idle 60s: killed`, `sent SIGINT
/// after 1.9s` or `not started`.
fn ending(meta: &Meta) -> Option<Ending> {
    if meta.ended == "not started" {
        let program = meta.argv.first().cloned().unwrap_or_default();
        return Some(Ending::NotStarted(program));
    }
    if let Some(rest) = meta.ended.strip_prefix("limit ") {
        let (limit, rest) = match rest.strip_prefix("idle ") {
            Some(rest) => (LimitKind::Idle, rest),
            None => (LimitKind::Wall, rest),
        };
        let after = duration(rest.split(':').next().unwrap_or_default());
        return Some(Ending::Limit { limit, after });
    }
    if let Some(rest) = meta.ended.strip_prefix("sent ") {
        let name = rest.split(' ').next().unwrap_or_default();
        let signal = SIGNALS.iter().find(|(signal, _)| *signal == name)?;
        return Some(Ending::Signalled(signal.1));
    }
    match (meta.ended.as_str(), meta.exit?) {
        ("exit", signal @ ..0) => Some(Ending::Signalled(-signal)),
        ("exit", code) => Some(Ending::Exited(code)),
        _ => None,
    }
}

/// A length in seconds with a fraction, or as the configuration takes it; a
/// limit is a limit even when its length is not readable.
fn duration(text: &str) -> Duration {
    let seconds = text.strip_suffix('s').and_then(|text| text.parse().ok());
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .or_else(|| parse_duration(text).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_limit_is_read_in_all_its_forms() {
        for (text, expected) in [
            ("60s", 60_000),
            ("1.5s", 1_500),
            ("5m", 300_000),
            ("1h30m", 5_400_000),
            ("-1s", 0),
            ("soon", 0),
        ] {
            assert_eq!(duration(text), Duration::from_millis(expected), "{text}");
        }
    }
}
