//! A recording that cannot be written or played.

use std::path::PathBuf;

use review_store::{ConfineError, FileError};

use crate::transcript::TranscriptError;

/// A recording that cannot be written or played.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file of the project cannot be used.
    #[error(transparent)]
    Project(#[from] ConfineError),
    /// A file of a recorded call cannot be read.
    #[error("the recording cannot be read: {}", with_cause(.0))]
    Transcript(#[from] TranscriptError),
    /// A file of the recording is not what it should be.
    #[error("{} is not a valid part of a recording: {message}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// There are fewer calls than the run makes.
    #[error("step {step} was not recorded: the recording ends before it")]
    Missing {
        /// The step.
        step: String,
    },
    /// The calls come in another order.
    #[error("step {step} was not recorded: the recording goes on with {recorded}")]
    OtherStep {
        /// The step.
        step: String,
        /// The step that was recorded at this place.
        recorded: String,
    },
    /// A step asks for something else.
    #[error(
        "step {step} asks for something else than was recorded; the files and settings must be those of the recorded run"
    )]
    OtherOp {
        /// The step.
        step: String,
    },
    /// A file is not as the recorded call found it.
    #[error("step {step} finds another {path} than was recorded")]
    OtherFile {
        /// The step.
        step: String,
        /// The file.
        path: String,
    },
    /// What a file became was not kept.
    #[error(
        "step {step} cannot be played: what it left in {path} was not kept, since there is a secret in it"
    )]
    NotKept {
        /// The step.
        step: String,
        /// The file.
        path: String,
    },
}

fn with_cause(error: &TranscriptError) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    format!("{error}{}", cause.unwrap_or_default())
}
