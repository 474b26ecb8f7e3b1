//! Why a call gave no answer, before it is known to the loop.

use review_types::{AgentError, Failure};

/// A failure of a call that consumed nothing known and belongs to no session:
/// an [`AgentError`] that is small enough to be passed around.
#[derive(Debug)]
pub(crate) struct NoAnswer {
    pub(crate) failure: Failure,
    pub(crate) message: String,
}

impl NoAnswer {
    /// Nothing was started: there was nothing to start, or nothing to show.
    pub(crate) fn not_started(program: &str, message: String) -> Self {
        let program = program.to_owned();
        Self {
            failure: Failure::SpawnFailed { program },
            message,
        }
    }
}

impl NoAnswer {
    /// A reviewer changed these files.
    pub(crate) fn reviewer_wrote(paths: Vec<String>) -> Self {
        let message = format!(
            "the reviewer may only read, and changed {}",
            paths.join(", ")
        );
        Self {
            failure: Failure::ReviewerWrote { paths },
            message,
        }
    }
}

impl From<NoAnswer> for AgentError {
    fn from(none: NoAnswer) -> Self {
        Self::new(none.failure, none.message)
    }
}
