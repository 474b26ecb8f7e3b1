//! Calls of agents that wrote what they may not write.

use std::path::PathBuf;

use review::machine::{ReviewOp, ReviewOut};
use review_flow::Executed;
use review_types::{AgentError, Failure};

/// Who is called by a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Called {
    Reviewer,
    Applier,
}

impl Called {
    pub(super) fn of(op: &ReviewOp) -> Option<Self> {
        match op {
            ReviewOp::Review(_) => Some(Self::Reviewer),
            ReviewOp::Apply(_) => Some(Self::Applier),
            ReviewOp::Inbox(_) | ReviewOp::Ledger(_) | ReviewOp::Restore(_) => None,
        }
    }

    /// The result of a call that wrote records, which were restored.
    pub(super) fn forged<Out>(
        self,
        records: &[PathBuf],
        executed: Executed<Out>,
    ) -> Executed<ReviewOut> {
        let paths: Vec<_> = records
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let out = match self {
            Self::Reviewer => {
                let message = format!(
                    "the reviewer may only read, and wrote records: {}; they were restored",
                    paths.join(", ")
                );
                ReviewOut::Failed(AgentError::new(Failure::WroteFiles { paths }, message))
            }
            Self::Applier => ReviewOut::OutOfScope {
                paths: Vec::new(),
                put_back: paths,
            },
        };
        executed.map(|_| out)
    }
}
