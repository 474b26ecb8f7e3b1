//! A step and its name.

use std::fmt;
use std::sync::Arc;

use review_types::Hash;
use serde::{Deserialize, Serialize};

use crate::seed::hash_bytes;

/// The name of a step as a path, unique within its run, such as
/// `review/review-1.2` or `task/7/gate.1.1`.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct StepName(String);

impl StepName {
    /// Returns the name of the step `path` of a stage, after `resume` resumes (0 for none).
    #[must_use]
    pub fn new(stage: &str, resume: u32, path: impl fmt::Display) -> Self {
        Self(match resume {
            0 => format!("{stage}/{path}"),
            _ => format!("{stage}~{resume}/{path}"),
        })
    }

    /// Returns the name as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Names the span of a step to the programs that it starts, as the value of `TRACEPARENT`.
pub type TraceParent = Arc<dyn Fn(&Step) -> String + Send + Sync>;

/// The variable by which a program learns the span that it is a part of.
pub const TRACE_PARENT: &str = "TRACEPARENT";

/// A step to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its name.
    pub name: StepName,
    /// Hash of its name and operation: the same step in every replay.
    pub key: Hash,
    /// How often it was started, including this time. More than 1 means that an
    /// earlier attempt was interrupted and may have left changes.
    pub attempt: u32,
    /// Whether the previous attempt was stopped by a signal, so that its changes are
    /// already undone.
    pub was_stopped: bool,
}

impl Step {
    /// Returns the first attempt of a step outside any machine.
    #[must_use]
    pub fn alone(name: StepName) -> Self {
        Self {
            key: hash_bytes(name.as_str().as_bytes()),
            name,
            attempt: 1,
            was_stopped: false,
        }
    }
}
