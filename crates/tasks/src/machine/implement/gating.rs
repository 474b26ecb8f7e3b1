//! Decides whether a merged tree is accepted, from the results of a task's command.
//!
//! A green run is not enough: the agent writes the code, and often the tests. So each run
//! answers one question, and the next one is asked only where the answer leaves doubt, the
//! cheap and frequent ones first:
//!
//! 1. `Merged`: does it pass with the work of others? Red: once more (`MergedAgain`), since a
//!    command may fail by chance; what passes then is accepted and flagged.
//! 2. Still red: with the runner files of the change, if they were set aside (`Configured`),
//!    then on the task's own tree (`Alone`). Green there, the work of others is what it does
//!    not fit, and the attempt is not the agent's fault.
//! 3. Green: with the tests that it changed as they were (`Protected`), or a weaker test
//!    proves nothing.
//! 4. Its new tests on the tree without the change (`Reverted`): tests that pass there do
//!    not show that the task is done.
//! 5. Where no tests are known: with the command's own script made to fail (`Failing`). A
//!    command that passes even so cannot fail.

use review::events::{AttemptCode, ChangeFlag, FlaggedChange};
use review_lane::{TestsPolicy, TreeId};

use crate::machine::lane::{GateKind, MergedTrees};
use crate::machine::op::{FailureCause, Ran};
use crate::machine::ran_tests::SomeTests;

/// The runs of a task's command that accept or reject a merged tree.
#[derive(Clone, Debug)]
pub(super) struct Gating {
    /// The tree of the task's own snapshot.
    own: TreeId,
    trees: MergedTrees,
    policy: GatePolicy,
    run: GateRun,
    flags: Vec<FlaggedChange>,
}

/// What follows from what the runs of a command show.
#[derive(Clone, Debug)]
pub(super) struct GatePolicy {
    /// When the tests that judge the change are weaker.
    pub(super) tests: TestsPolicy,
    /// Whether a test that proves the task ran before any work.
    pub(super) was_tested: bool,
    /// Why its command passed before any work, if a task made it pass by a runner file.
    pub(super) turned_by: Option<String>,
}

/// The run of the command that is under way. Each but the first two has the result on the
/// merged tree.
#[derive(Clone, Debug)]
enum GateRun {
    Merged,
    MergedAgain,
    /// With the runner files of the change.
    Configured(Ran),
    Alone(Ran),
    Protected(Ran),
    ProtectedAgain(Ran),
    Reverted(Ran),
    /// With the scripts of the command made to end with a failure.
    Failing(Ran),
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
        /// Why, in words.
        reason: String,
        /// The result that shows it.
        ran: Ran,
    },
}

impl Gating {
    /// Starts with the merged tree.
    pub(super) fn new(own: TreeId, trees: MergedTrees, policy: GatePolicy) -> Self {
        let mut gating = Self {
            own,
            trees,
            policy,
            run: GateRun::Merged,
            flags: Vec::new(),
        };
        if gating.trees.is_untested {
            let files = gating.trees.configured.join(", ");
            let reason = format!("it configures how its first tests run: {files}");
            gating.flag(ChangeFlag::TestsChanged, reason);
        }
        if let Some(runner) = &gating.trees.runner
            && (!gating.holds() || !runner.is_set_aside)
        {
            gating.trees.merged = runner.tree.clone();
        }
        gating
    }

    /// Returns the tree that the command runs on.
    pub(super) fn tree(&self) -> &TreeId {
        let MergedTrees {
            merged,
            runner,
            protected,
            reverted,
            failing,
            ..
        } = &self.trees;
        let tree = match &self.run {
            GateRun::Merged | GateRun::MergedAgain => None,
            GateRun::Configured(_) => runner.as_ref().map(|runner| &runner.tree),
            GateRun::Alone(_) => Some(&self.own),
            GateRun::Protected(_) | GateRun::ProtectedAgain(_) => protected.as_ref(),
            GateRun::Reverted(_) => reverted.as_ref(),
            GateRun::Failing(_) => failing.as_ref(),
        };
        tree.unwrap_or(merged)
    }

    /// Returns what the run is for.
    pub(super) const fn kind(&self) -> GateKind {
        match &self.run {
            GateRun::Merged => GateKind::Merged,
            GateRun::MergedAgain | GateRun::ProtectedAgain(_) => GateKind::Again,
            GateRun::Configured(_) => GateKind::Configured,
            GateRun::Alone(_) => GateKind::Alone,
            GateRun::Protected(_) => GateKind::Protected,
            GateRun::Reverted(_) => GateKind::Reverted,
            GateRun::Failing(_) => GateKind::Failing,
        }
    }

    /// Returns the merged tree.
    pub(super) const fn merged(&self) -> &TreeId {
        &self.trees.merged
    }

    /// Takes in the result of the run.
    pub(super) fn on_ran(&mut self, ran: Ran) -> GateVerdict {
        let is_green = ran.failure.is_none();
        let run = std::mem::replace(&mut self.run, GateRun::Merged);
        self.run = match (run, is_green) {
            (GateRun::Merged, false) => match self.lost_in_red(&ran) {
                Some((code, reason)) => return GateVerdict::Rejected { code, reason, ran },
                None => GateRun::MergedAgain,
            },
            (GateRun::Merged, true) => return self.on_green(ran),
            (GateRun::MergedAgain, true) => {
                self.flag_flaky();
                return self.on_green(ran);
            }
            (GateRun::MergedAgain, false) if is_proved_but_inherited(&ran) => {
                return rejected(AttemptCode::BaselineRed, ran);
            }
            (GateRun::MergedAgain, false) if !self.set_aside().is_empty() => {
                GateRun::Configured(ran)
            }
            (GateRun::MergedAgain | GateRun::Configured(_), false) => return self.on_red(ran),
            (GateRun::Configured(red), true) => {
                return self.runner_changed("its command passes only with", red);
            }
            (GateRun::Alone(merged), true) => {
                return rejected(AttemptCode::SemanticConflict, merged);
            }
            (GateRun::Alone(merged), false) => return rejected(AttemptCode::GateRed, merged),
            (GateRun::Protected(merged), true) => return self.reverted(merged),
            (GateRun::ProtectedAgain(merged), true) => {
                self.flag_flaky();
                return self.reverted(merged);
            }
            (GateRun::Protected(merged), false) => GateRun::ProtectedAgain(merged),
            (GateRun::ProtectedAgain(_), false) => {
                return rejected(AttemptCode::TamperTest, ran);
            }
            (GateRun::Reverted(merged), _) => return self.on_reverted(merged, ran),
            (GateRun::Failing(merged), false) => return self.accepted(merged),
            (GateRun::Failing(merged), true) => {
                let reason = "its command passes also where the script that it runs ends with a \
                              failure";
                return self.not_red(merged, ran, reason.to_owned());
            }
        };
        GateVerdict::Run
    }

    fn holds(&self) -> bool {
        self.policy.tests == TestsPolicy::Hold
    }

    /// Returns the runner files of the change that the merged tree is without.
    pub(super) fn set_aside(&self) -> &[String] {
        let runner = self.trees.runner.as_ref();
        let runner = runner.filter(|runner| runner.tree != self.trees.merged);
        runner.map_or(&[], |runner| &runner.files)
    }

    /// Returns the runner files of the change that the merged tree has.
    pub(super) fn configured(&self) -> Vec<String> {
        let runner = self.trees.runner.iter();
        let runner = runner.filter(|runner| runner.tree == self.trees.merged);
        let more = runner.flat_map(|runner| &runner.files);
        self.trees.configured.iter().chain(more).cloned().collect()
    }

    /// Looks at the tests of a merged tree on which the command passes.
    fn on_green(&mut self, ran: Ran) -> GateVerdict {
        if let Some(code) = lost_tests(&ran) {
            if self.holds() {
                return rejected(code, ran);
            }
            self.flag(ChangeFlag::TestsChanged, red_reason(code, &ran));
        }
        if let Some(runner) = &self.trees.runner
            && self.set_aside().is_empty()
        {
            if self.holds() {
                return self.runner_changed("it changes, together with other settings,", ran);
            }
            let files = runner.files.join(", ");
            let reason = format!("it changes what configures the runner of its tests: {files}");
            self.flag(ChangeFlag::TestsChanged, reason);
        }
        match (&self.trees.protected, self.holds()) {
            (Some(_), true) => {
                self.run = GateRun::Protected(ran);
                GateVerdict::Run
            }
            (Some(_), false) => {
                let reason = "it changes tests that exist".to_owned();
                self.flag(ChangeFlag::TestsChanged, reason);
                self.reverted(ran)
            }
            (None, _) => self.reverted(ran),
        }
    }

    /// Looks at a tree on which the command fails, also without the work of others.
    fn on_red(&mut self, ran: Ran) -> GateVerdict {
        let runner = self.trees.runner.as_ref();
        let whole = runner.map_or(&self.trees.merged, |runner| &runner.tree);
        if *whole == self.own {
            return rejected(AttemptCode::GateRed, ran);
        }
        self.run = GateRun::Alone(ran);
        GateVerdict::Run
    }

    fn runner_changed(&self, how: &str, ran: Ran) -> GateVerdict {
        let files = self.trees.runner.as_ref().map(|runner| &runner.files);
        let files = files.map_or_else(String::new, |files| files.join(", "));
        GateVerdict::Rejected {
            code: AttemptCode::RunnerChanged,
            reason: format!("{how} what configures the runner of its tests: {files}"),
            ran,
        }
    }

    /// Returns why tests are weaker in a run that failed, where that is certain: their files
    /// are deleted, it names tests as skipped, or its runner says that it ran none. What a
    /// run does not name otherwise may be left out since it ended early.
    fn lost_in_red(&self, ran: &Ran) -> Option<(AttemptCode, String)> {
        if !self.holds() {
            return None;
        }
        let tests = ran.tests.as_ref();
        let is_gone = tests.is_some_and(|tests| !tests.gone.is_empty());
        let cause = ran.failure.as_ref().map(|failure| &failure.cause);
        if let Some(deleted) = self.trees.deleted.first() {
            let reason = match is_gone {
                true => red_reason(AttemptCode::TestsGone, ran),
                false => "a file with tests is gone".to_owned(),
            };
            return Some((
                AttemptCode::TestsGone,
                format!("{reason}; deleted: {deleted}"),
            ));
        }
        if tests.is_some_and(|tests| !tests.skipped.is_empty()) {
            let code = AttemptCode::TestsSkipped;
            return Some((code, red_reason(code, ran)));
        }
        let ran_none = matches!(cause, Some(FailureCause::NoTests));
        let code = AttemptCode::TestsGone;
        match (ran_none, is_gone, &self.trees.protected) {
            (true, true, _) => Some((code, red_reason(code, ran))),
            (true, false, Some(_)) => {
                let reason = "no test runs any more with the tests that it changes";
                Some((code, reason.to_owned()))
            }
            _ => None,
        }
    }

    /// Looks at the new tests without the change, if no test proved the task before, and
    /// accepts the tree.
    fn reverted(&mut self, ran: Ran) -> GateVerdict {
        let tests = ran.tests.as_ref();
        let has_new = tests.is_some_and(|tests| !tests.new.is_empty() || !tests.is_named);
        match &self.trees.reverted {
            Some(reverted) if has_new && !self.policy.was_tested => {
                if *reverted == self.trees.merged {
                    return self.on_reverted(ran.clone(), ran);
                }
                self.run = GateRun::Reverted(ran);
                GateVerdict::Run
            }
            Some(_) | None => self.able_to_fail(ran),
        }
    }

    /// Looks at the scripts of a command whose tests are not known, and accepts the tree.
    fn able_to_fail(&mut self, ran: Ran) -> GateVerdict {
        match self.trees.failing.is_some() && counts_nothing(&ran) {
            true => {
                self.run = GateRun::Failing(ran);
                GateVerdict::Run
            }
            false => self.accepted(ran),
        }
    }

    fn on_reverted(&mut self, merged: Ran, reverted: Ran) -> GateVerdict {
        if !proves_without_change(&reverted) {
            return self.able_to_fail(merged);
        }
        let reason = red_reason(AttemptCode::GateNotRed, &reverted);
        self.not_red(merged, reverted, reason)
    }

    /// Rejects or flags a tree since a run passed that should not have.
    fn not_red(&mut self, merged: Ran, shows: Ran, reason: String) -> GateVerdict {
        if self.holds() {
            return GateVerdict::Rejected {
                code: AttemptCode::GateNotRed,
                reason,
                ran: shows,
            };
        }
        self.flag(ChangeFlag::TestsChanged, reason);
        self.accepted(merged)
    }

    fn accepted(&mut self, ran: Ran) -> GateVerdict {
        match self.policy.turned_by.take() {
            Some(reason) if self.holds() => GateVerdict::Rejected {
                code: AttemptCode::RunnerChanged,
                reason,
                ran,
            },
            _ => GateVerdict::Accepted {
                ran,
                flags: std::mem::take(&mut self.flags),
            },
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

/// Returns whether a run without the change passes the tests that are to prove it: the
/// listed ones, or the whole command where none are listed or named.
fn proves_without_change(ran: &Ran) -> bool {
    let Some(tests) = &ran.tests else {
        return false;
    };
    let ran_some = ran.tests_run.is_some_and(|tests| tests > 0) || !tests.new.is_empty();
    ran_some && (tests.lists_pass || ran.failure.is_none())
}

/// Returns whether nothing is known of the tests of a run, not even how many there were.
fn counts_nothing(ran: &Ran) -> bool {
    ran.tests.is_none() && ran.tests_run.is_none()
}

/// Returns whether all listed tests pass and only tests fail that failed before.
fn is_proved_but_inherited(ran: &Ran) -> bool {
    let tests = ran.tests.as_ref();
    tests.is_some_and(|tests| tests.lists_pass && tests.inherited.is_some())
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

fn rejected(code: AttemptCode, ran: Ran) -> GateVerdict {
    GateVerdict::Rejected {
        code,
        reason: red_reason(code, &ran),
        ran,
    }
}

/// Returns the tests that an attempt with this code and result was rejected for.
pub(super) fn tests_of(code: AttemptCode, ran: &Ran) -> Option<&SomeTests> {
    let tests = ran.tests.as_ref()?;
    match code {
        AttemptCode::TestsGone => Some(&tests.gone),
        AttemptCode::TestsSkipped => Some(&tests.skipped),
        AttemptCode::GateNotRed => Some(&tests.new),
        AttemptCode::BaselineRed => tests.inherited.as_ref(),
        _ => None,
    }
}

fn lost(tests: &SomeTests, known: u64, how: &str) -> String {
    let counted = tests.of_known(known);
    match tests.first.is_empty() {
        true => format!("{counted} {how}"),
        false => format!("{counted} {how}: {tests}"),
    }
}

/// Returns why an attempt with this code and result was rejected, in words.
pub(super) fn red_reason(code: AttemptCode, ran: &Ran) -> String {
    let failure = ran.failure.as_ref();
    let failure = failure.map_or_else(String::new, ToString::to_string);
    let known = ran.tests.as_ref().map_or(0, |tests| tests.known);
    let some = tests_of(code, ran).cloned().unwrap_or_default();
    match code {
        AttemptCode::SemanticConflict => {
            format!("its command fails with the work of the other tasks: {failure}")
        }
        AttemptCode::TamperTest => {
            format!("its command fails with the tests that it changed as they were: {failure}")
        }
        AttemptCode::TestsGone => lost(&some, known, "gone"),
        AttemptCode::TestsSkipped => lost(&some, known, "skipped"),
        AttemptCode::BaselineRed => format!("only tests fail that failed before: {some}"),
        AttemptCode::GateNotRed if some.is_empty() => {
            "its new tests pass without the change".to_owned()
        }
        AttemptCode::GateNotRed => format!("new tests pass without the change: {some}"),
        _ => failure,
    }
}
