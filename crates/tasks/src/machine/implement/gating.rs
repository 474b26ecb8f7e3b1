//! Decides whether a merged tree is accepted, from the results of a task's command.

use review::events::AttemptCode;
use review_lane::TreeId;

use crate::machine::lane::GateKind;
use crate::machine::op::{FailureCause, Ran};

/// The runs of a task's command that accept or reject a merged tree.
#[derive(Clone, Debug)]
pub(super) struct Gating {
    /// The tree of the task's own snapshot.
    own: TreeId,
    merged: TreeId,
    /// The merged tree with the tests of the lane, if the change touches some.
    protected: Option<TreeId>,
    run: GateRun,
    is_flaky: bool,
}

/// The run of the command that is under way.
#[derive(Clone, Debug)]
enum GateRun {
    Merged,
    MergedAgain,
    /// With the result on the merged tree.
    Alone(Ran),
    /// With the result on the merged tree, as the next.
    Protected(Ran),
    ProtectedAgain(Ran),
}

/// What follows a run of the command.
#[derive(Clone, Debug)]
pub(super) enum GateVerdict {
    /// Run it once more.
    Run,
    /// The tree is accepted.
    Accepted {
        /// The result on the merged tree.
        ran: Ran,
        /// Whether the command failed once and passed on the same tree.
        is_flaky: bool,
    },
    /// The tree is rejected.
    Rejected {
        /// Why.
        code: AttemptCode,
        /// The result that shows it.
        ran: Ran,
    },
}

impl Gating {
    /// Starts with the merged tree.
    pub(super) const fn new(own: TreeId, merged: TreeId, protected: Option<TreeId>) -> Self {
        Self {
            own,
            merged,
            protected,
            run: GateRun::Merged,
            is_flaky: false,
        }
    }

    /// Returns the tree that the command runs on.
    pub(super) fn tree(&self) -> &TreeId {
        match &self.run {
            GateRun::Merged | GateRun::MergedAgain => &self.merged,
            GateRun::Alone(_) => &self.own,
            GateRun::Protected(_) | GateRun::ProtectedAgain(_) => {
                self.protected.as_ref().unwrap_or(&self.merged)
            }
        }
    }

    /// Returns what the run is for.
    pub(super) const fn kind(&self) -> GateKind {
        match &self.run {
            GateRun::Merged => GateKind::Merged,
            GateRun::MergedAgain | GateRun::ProtectedAgain(_) => GateKind::Again,
            GateRun::Alone(_) => GateKind::Alone,
            GateRun::Protected(_) => GateKind::Protected,
        }
    }

    /// Returns the merged tree.
    pub(super) const fn merged(&self) -> &TreeId {
        &self.merged
    }

    /// Takes in the result of the run.
    pub(super) fn on_ran(&mut self, ran: Ran) -> GateVerdict {
        let is_green = ran.failure.is_none();
        let run = std::mem::replace(&mut self.run, GateRun::Merged);
        self.run = match (run, is_green) {
            (GateRun::Merged, false) => GateRun::MergedAgain,
            (run @ (GateRun::Merged | GateRun::MergedAgain), true) => {
                self.is_flaky = matches!(run, GateRun::MergedAgain);
                match self.protected {
                    Some(_) => GateRun::Protected(ran),
                    None => return self.accepted(ran),
                }
            }
            (GateRun::MergedAgain, false) if self.merged == self.own => return rejected(ran),
            (GateRun::MergedAgain, false) => GateRun::Alone(ran),
            (GateRun::Alone(merged), true) => {
                return GateVerdict::Rejected {
                    code: AttemptCode::SemanticConflict,
                    ran: merged,
                };
            }
            (GateRun::Alone(merged), false) => return rejected(merged),
            (GateRun::Protected(merged), true) => return self.accepted(merged),
            (GateRun::ProtectedAgain(merged), true) => {
                self.is_flaky = true;
                return self.accepted(merged);
            }
            (GateRun::Protected(merged), false) => GateRun::ProtectedAgain(merged),
            (GateRun::ProtectedAgain(_), false) => {
                return GateVerdict::Rejected {
                    code: AttemptCode::TamperTest,
                    ran,
                };
            }
        };
        GateVerdict::Run
    }

    const fn accepted(&self, ran: Ran) -> GateVerdict {
        GateVerdict::Accepted {
            ran,
            is_flaky: self.is_flaky,
        }
    }
}

fn rejected(ran: Ran) -> GateVerdict {
    GateVerdict::Rejected {
        code: red_code(&ran),
        ran,
    }
}

/// Returns the code of an attempt whose command ended so.
pub(super) fn red_code(ran: &Ran) -> AttemptCode {
    match ran.failure.as_ref().map(|failure| &failure.cause) {
        Some(FailureCause::TimedOut { .. }) => AttemptCode::GateTimeout,
        Some(FailureCause::NoTests) => AttemptCode::NoTests,
        Some(FailureCause::TestsMissing { .. }) => AttemptCode::TestsMissing,
        Some(
            FailureCause::Exit { .. }
            | FailureCause::Signal { .. }
            | FailureCause::NotStarted { .. },
        )
        | None => AttemptCode::GateRed,
    }
}

/// Returns why an attempt with this code and result was rejected, in words.
pub(super) fn red_reason(code: AttemptCode, ran: &Ran) -> String {
    let failure = ran.failure.as_ref();
    let failure = failure.map_or_else(String::new, ToString::to_string);
    match code {
        AttemptCode::SemanticConflict => {
            format!("its command fails with the work of the other tasks: {failure}")
        }
        AttemptCode::TamperTest => {
            format!("its command fails with the tests that it changed as they were: {failure}")
        }
        _ => failure,
    }
}
