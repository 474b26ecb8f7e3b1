//! A recorded call: NAME.meta.json, NAME.stdout and NAME.stderr.

mod meta;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use review_types::{Failure, PromptRead};
use serde::de::DeserializeOwned;

use crate::clients::Client;
use crate::ending::Ending;
use crate::outcome::{CallEnd, outcome};
use crate::stream::{Observed, StreamLimits};

pub(crate) use meta::Meta;

/// The largest file of a recording that is read.
const MAX_FILE: u64 = 256 * 1024 * 1024;

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
    /// How much of its standard input the process read, if that was counted.
    pub prompt: Option<PromptRead>,
}

/// The outcome of a recorded call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// What the client's output said.
    pub seen: Observed,
    /// Whether it is an answer.
    pub outcome: Result<(), Failure>,
    /// The HTTP status of the error that ended the call.
    pub status: Option<u16>,
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
    /// One of its files is not what it should be.
    #[error("cannot read {}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// Its meta file does not say how the call ended.
    #[error("{}: \"{ended}\" with exit {exit:?} is not a valid end of a call", path.display())]
    Ending {
        /// The file.
        path: PathBuf,
        /// The message.
        ended: String,
        /// The exit code that it says.
        exit: Option<i32>,
    },
    /// It is the recording of a program, not of a call over HTTP.
    #[error("{}.meta.json has no field `api`, so it is not a call over HTTP", case.display())]
    NoApi {
        /// The path of its files, without extension.
        case: PathBuf,
    },
}

impl Transcript {
    /// Reads the recording `case`, a path without extension.
    ///
    /// # Errors
    ///
    /// [`TranscriptError`] names the file.
    pub fn read(case: &Path) -> Result<Self, TranscriptError> {
        let (meta, ending) = read_meta(case)?;
        Ok(Self {
            ending,
            stdout: read_file(&with_extension(case, ".stdout"))?,
            stderr: read_file(&with_extension(case, ".stderr"))?,
            stdout_lines_total: meta.stdout_lines_total,
            prompt: meta.prompt,
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

/// The content of the meta file of `case`, and how the call ended.
pub(crate) fn read_meta(case: &Path) -> Result<(Meta, Ending), TranscriptError> {
    let path = with_extension(case, ".meta.json");
    let meta: Meta = parse(&path, &read_file(&path)?)?;
    let ending = meta.ending().ok_or_else(|| TranscriptError::Ending {
        path,
        ended: meta.ended.clone(),
        exit: meta.exit,
    })?;
    Ok((meta, ending))
}

/// Reads the JSON of a file of a recording.
pub(crate) fn parse<T: DeserializeOwned>(path: &Path, json: &[u8]) -> Result<T, TranscriptError> {
    serde_json::from_slice(json).map_err(|source| TranscriptError::Json {
        path: path.to_owned(),
        source,
    })
}

/// The path with more at its end; a name may hold dots of its own.
pub(crate) fn with_extension(case: &Path, extension: &str) -> PathBuf {
    let mut path = OsString::from(case);
    path.push(extension);
    path.into()
}

/// The bytes of a file of a recording.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, TranscriptError> {
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
