//! Decides whether a merged tree is accepted, from the results of a task's command.

use review::events::{AttemptCode, ChangeFlag, FlaggedChange};
use review_lane::{Inherited, RevertCheck, TestsChanged, TreeId};

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
    /// The tip with the new tests and nothing else of the change, if that is to be run.
    reverted: Option<TreeId>,
    policy: GatePolicy,
    run: GateRun,
    /// Whether agents worked at other tasks when the first run ended.
    is_crowded: bool,
    flags: Vec<FlaggedChange>,
}

/// What follows from what the tests of a change show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GatePolicy {
    /// When tests are gone, skipped or changed.
    pub(super) tests_changed: TestsChanged,
    /// When only tests fail that failed before.
    pub(super) inherited: Inherited,
    /// When new tests pass without the change.
    pub(super) revert_check: RevertCheck,
}

/// The trees that the command runs on.
#[derive(Clone, Debug)]
pub(super) struct GateTrees {
    /// The tree of the task's own snapshot.
    pub(super) own: TreeId,
    pub(super) merged: TreeId,
    /// The merged tree with the tests of the lane, if the change touches some.
    pub(super) protected: Option<TreeId>,
    /// The tip with the new tests and nothing else of the change, if that is to be run.
    pub(super) reverted: Option<TreeId>,
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
    /// With the result on the merged tree.
    Reverted(Ran),
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
        /// What is remarkable about it.
        flags: Vec<FlaggedChange>,
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
    pub(super) fn new(trees: GateTrees, policy: GatePolicy) -> Self {
        let is_checked = policy.revert_check != RevertCheck::Off;
        Self {
            own: trees.own,
            merged: trees.merged,
            protected: trees.protected,
            reverted: trees.reverted.filter(|_| is_checked),
            policy,
            run: GateRun::Merged,
            is_crowded: false,
            flags: Vec::new(),
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
            GateRun::Reverted(_) => self.reverted.as_ref().unwrap_or(&self.merged),
        }
    }

    /// Returns what the run is for.
    pub(super) const fn kind(&self) -> GateKind {
        match &self.run {
            GateRun::Merged => GateKind::Merged,
            GateRun::MergedAgain | GateRun::ProtectedAgain(_) => GateKind::Again,
            GateRun::Alone(_) => GateKind::Alone,
            GateRun::Protected(_) => GateKind::Protected,
            GateRun::Reverted(_) => GateKind::Reverted,
        }
    }

    /// Returns the merged tree.
    pub(super) const fn merged(&self) -> &TreeId {
        &self.merged
    }

    /// Notes that agents work at other tasks.
    pub(super) const fn note_company(&mut self) {
        self.is_crowded |= matches!(self.run, GateRun::Merged);
    }

    /// Takes in the result of the run.
    pub(super) fn on_ran(&mut self, ran: Ran) -> GateVerdict {
        let is_green = ran.failure.is_none();
        let run = std::mem::replace(&mut self.run, GateRun::Merged);
        self.run = match (run, is_green) {
            (GateRun::Merged, false) => GateRun::MergedAgain,
            (run @ (GateRun::Merged | GateRun::MergedAgain), true) => {
                if matches!(run, GateRun::MergedAgain) {
                    self.flag_flaky();
                    if self.is_crowded {
                        let reason = "agents worked at other tasks when it failed".to_owned();
                        self.flag(ChangeFlag::Crowded, reason);
                    }
                }
                match (lost_tests(&ran), self.policy.tests_changed) {
                    (Some(code), TestsChanged::Hold) => return GateVerdict::Rejected { code, ran },
                    (Some(code), TestsChanged::Allow) => {
                        self.flag(ChangeFlag::TestsChanged, red_reason(code, &ran));
                    }
                    (None, _) => {}
                }
                match (&self.protected, self.policy.tests_changed) {
                    (Some(_), TestsChanged::Hold) => GateRun::Protected(ran),
                    (Some(_), TestsChanged::Allow) => {
                        let reason = "it changes tests that exist".to_owned();
                        self.flag(ChangeFlag::TestsChanged, reason);
                        return self.reverted(ran);
                    }
                    (None, _) => return self.reverted(ran),
                }
            }
            (GateRun::MergedAgain, false) if self.passes_inherited(&ran) => {
                let reason = red_reason(AttemptCode::BaselineRed, &ran);
                self.flag(ChangeFlag::BaselineRed, reason);
                return self.accepted(ran);
            }
            (GateRun::MergedAgain, false) if is_proved_but_inherited(&ran) => {
                return GateVerdict::Rejected {
                    code: AttemptCode::BaselineRed,
                    ran,
                };
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
            (GateRun::Protected(merged), true) => return self.reverted(merged),
            (GateRun::ProtectedAgain(merged), true) => {
                self.flag_flaky();
                return self.reverted(merged);
            }
            (GateRun::Protected(merged), false) => GateRun::ProtectedAgain(merged),
            (GateRun::Reverted(merged), _) => {
                let code = AttemptCode::GateNotRed;
                let tests = ran.tests.as_ref();
                if tests.is_none_or(|tests| tests.new.is_empty()) {
                    return self.accepted(merged);
                }
                if self.policy.revert_check == RevertCheck::Require {
                    return GateVerdict::Rejected { code, ran };
                }
                self.flag(ChangeFlag::GateNotRed, red_reason(code, &ran));
                return self.accepted(merged);
            }
            (GateRun::ProtectedAgain(_), false) => {
                return GateVerdict::Rejected {
                    code: AttemptCode::TamperTest,
                    ran,
                };
            }
        };
        GateVerdict::Run
    }

    /// Looks at the new tests without the change, if there are any, and accepts the tree.
    fn reverted(&mut self, ran: Ran) -> GateVerdict {
        let tests = ran.tests.as_ref();
        let has_new = tests.is_some_and(|tests| !tests.new.is_empty());
        match &self.reverted {
            Some(_) if has_new => {
                self.run = GateRun::Reverted(ran);
                GateVerdict::Run
            }
            Some(_) | None => self.accepted(ran),
        }
    }

    /// Returns whether a run that failed is accepted, since nothing but what failed before
    /// does. Changed tests could not be judged by such a run.
    fn passes_inherited(&self, ran: &Ran) -> bool {
        self.protected.is_none()
            && lost_tests(ran).is_none()
            && accepts_inherited(self.policy.inherited, ran)
    }

    fn accepted(&mut self, ran: Ran) -> GateVerdict {
        GateVerdict::Accepted {
            ran,
            flags: std::mem::take(&mut self.flags),
        }
    }

    fn flag_flaky(&mut self) {
        let reason = "its command failed once and passed when it ran again".to_owned();
        self.flag(ChangeFlag::FlakyPass, reason);
    }

    /// Adds a flag; of each kind the first counts.
    fn flag(&mut self, code: ChangeFlag, reason: String) {
        if self.flags.iter().all(|flag| flag.code != code) {
            self.flags.push(FlaggedChange { code, reason });
        }
    }
}

/// Returns whether a run that failed is accepted, since only tests fail that failed
/// before, and others show that something was done.
pub(super) fn accepts_inherited(policy: Inherited, ran: &Ran) -> bool {
    let tests = ran.tests.as_ref();
    let inherited = tests.and_then(|tests| tests.inherited.as_ref());
    policy == Inherited::Allow
        && inherited.is_some_and(|found| found.lists_pass || found.progresses)
}

/// Returns whether all listed tests pass and only tests fail that failed before.
fn is_proved_but_inherited(ran: &Ran) -> bool {
    let tests = ran.tests.as_ref();
    let inherited = tests.and_then(|tests| tests.inherited.as_ref());
    inherited.is_some_and(|found| found.lists_pass)
}

/// Returns the code of a run that passed without tests that ran before.
fn lost_tests(ran: &Ran) -> Option<AttemptCode> {
    let tests = ran.tests.as_ref()?;
    match (tests.gone.is_empty(), tests.skipped.is_empty()) {
        (false, _) => Some(AttemptCode::TestsGone),
        (true, false) => Some(AttemptCode::TestsSkipped),
        (true, true) => None,
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
        AttemptCode::TestsGone => {
            let gone = ran.tests.as_ref().map(|tests| tests.gone.to_string());
            let gone = gone.unwrap_or_default();
            format!("tests that its command ran before are gone: {gone}")
        }
        AttemptCode::BaselineRed => {
            let tests = ran.tests.as_ref();
            let inherited = tests.and_then(|tests| tests.inherited.as_ref());
            let failed = inherited.map(|found| found.failed.to_string());
            let failed = failed.unwrap_or_default();
            format!("only tests fail that failed before: {failed}")
        }
        AttemptCode::GateNotRed => {
            let new = ran.tests.as_ref().map(|tests| tests.new.to_string());
            let new = new.unwrap_or_default();
            format!("new tests pass without the change: {new}")
        }
        AttemptCode::TestsSkipped => {
            let skipped = ran.tests.as_ref().map(|tests| tests.skipped.to_string());
            let skipped = skipped.unwrap_or_default();
            format!("tests that its command ran before are skipped: {skipped}")
        }
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::op::CommandFailure;

    #[test]
    fn a_flaky_command_was_crowded_if_agents_worked_at_other_tasks_when_it_failed() {
        use ChangeFlag::{Crowded, FlakyPass};
        let red = || Ran {
            failure: Some(CommandFailure {
                step: 1,
                steps: 1,
                cause: FailureCause::Exit { status: 1 },
            }),
            ..Ran::default()
        };
        for (company, expected) in [
            ([true, false], vec![FlakyPass, Crowded]),
            ([false, true], vec![FlakyPass]),
        ] {
            let tree: TreeId = "0".repeat(40).parse().expect("an id");
            let trees = GateTrees {
                own: tree.clone(),
                merged: tree,
                protected: None,
                reverted: None,
            };
            let policy = GatePolicy {
                tests_changed: TestsChanged::Hold,
                inherited: Inherited::Fail,
                revert_check: RevertCheck::Off,
            };
            let mut gating = Gating::new(trees, policy);
            let mut last = GateVerdict::Run;
            for (has_company, ran) in company.into_iter().zip([red(), Ran::default()]) {
                if has_company {
                    gating.note_company();
                }
                last = gating.on_ran(ran);
            }
            let GateVerdict::Accepted { flags, .. } = last else {
                panic!("{last:?}");
            };
            let codes: Vec<_> = flags.iter().map(|flag| flag.code).collect();
            assert_eq!(codes, expected);
        }
    }
}
