//! Calls that are kept, and calls that are played again.
//!
//! A recording is a folder: `run.json` with the seed of the run, `index.jsonl`
//! with a line for each call in order, and for each call its transcript
//! (`CASE.meta.json`, `CASE.stdout`, `CASE.stderr`), what it read
//! (`CASE.stdin`) and which files it changed (`CASE.tree.json`, their contents
//! in `blobs`). A call over HTTP has its response (`CASE.http.jsonl`) in place
//! of outputs and changes. Secrets are replaced in all of it.

mod error;
mod http;
mod player;
mod recorder;
mod sent;
mod tree;

use std::path::Path;

use review_flow::Seed;
use review_types::Hash;
use serde::{Deserialize, Serialize};

pub use error::RecordingError;
pub(crate) use http::{HttpPart, HttpTape};
pub use player::Player;
pub use recorder::Recorder;
pub(crate) use recorder::Tape;
pub(crate) use sent::SentRequest;

/// The version of the format.
const VERSION: u32 = 1;

/// The file that says which run it is.
const RUN_FILE: &str = "run.json";

/// The file that lists the calls.
const INDEX_FILE: &str = "index.jsonl";

/// What is done about the calls of a run.
#[derive(Debug, Default)]
pub enum Calls {
    /// Programs are called.
    #[default]
    Live,
    /// Programs are called, and each call is kept.
    Recorded(Recorder),
    /// No program is called: each call is played from a recording.
    Replayed(Player),
}

impl Calls {
    /// What went wrong with the recording. Whatever a call came to then does
    /// not count.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        match self {
            Self::Live => None,
            Self::Recorded(recorder) => recorder.fault(),
            Self::Replayed(player) => player.fault(),
        }
    }

    /// The folder that is written to in the course of a call.
    pub(crate) fn written(&self) -> Option<&Path> {
        match self {
            Self::Live | Self::Replayed(_) => None,
            Self::Recorded(recorder) => Some(recorder.path()),
        }
    }
}

/// What [`RUN_FILE`] holds.
#[derive(Debug, Serialize, Deserialize)]
struct RecordedRun {
    v: u32,
    seed: Seed,
}

/// A line of [`INDEX_FILE`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RecordedCall {
    /// Its number, from 1.
    seq: u32,
    /// The step that it was made for.
    step: String,
    /// How often that step had begun.
    #[serde(rename = "try")]
    attempt: u32,
    /// The backend that made it.
    backend: String,
    /// The name of its files.
    case: String,
    /// The key of the step: the hash of its name and of what it asks for.
    op_hash: Hash,
}

/// What a call did to a file of the project, as a line of `CASE.tree.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Change {
    /// The path, relative to the root.
    path: String,
    /// The hash of its bytes before; `None` if it was not there.
    before: Option<Hash>,
    /// The hash of its bytes afterwards; `None` if it is gone.
    after: Option<Hash>,
}
