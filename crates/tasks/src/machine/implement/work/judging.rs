//! Whether a change is accepted: conflicts, its command, the lane.

use review::events::{AttemptCode, ListedTest, TestResult};
use review_lane::{TestsPolicy, TreeId};

use super::refusal::{Follows, Refusal};
use super::{Accepted, Candidate, Stage, TaskWork, WorkContext, WorkNext};
use crate::machine::implement::gating::{GatePolicy, GateVerdict, Gating, tests_of};
use crate::machine::lane::{GateCommand, GateKind, LaneOp};
use crate::machine::op::{CommandFailure, FailureCause, Ran};
use crate::must_pass::name_tests;

impl TaskWork {
    /// Returns what follows from its tests; what a user approved is not asked again.
    pub(super) fn gate_policy(&self, context: &WorkContext<'_>) -> GatePolicy {
        GatePolicy {
            tests: match self.approval {
                Some(_) => TestsPolicy::Flag,
                None => context.options.tests,
            },
            was_tested: self.before.was_tested(context.task),
            turned_by: self.turned_by.clone(),
        }
    }

    /// Accounts for a conflict that the agent had to resolve, if it had to; then its change
    /// waits to be merged.
    pub(super) fn account(&mut self, candidate: Candidate) -> WorkNext {
        let Some(change) = self.resolves.clone() else {
            self.stage = Stage::Queued(candidate);
            return WorkNext::Queued;
        };
        let op = LaneOp::Account {
            change,
            tip: candidate.change.base.clone(),
            resolved: candidate.change.commit.clone(),
        };
        self.stage = Stage::Accounting(candidate);
        WorkNext::Do(format!("account.{}", self.attempt), op)
    }

    pub(super) fn gate_merged(
        &mut self,
        context: &WorkContext<'_>,
        candidate: Candidate,
        gating: Gating,
    ) -> WorkNext {
        let (tree, kind) = (gating.tree().clone(), gating.kind());
        self.stage = Stage::Gating(candidate, gating);
        self.gate(context, self.attempt, tree, kind)
    }

    pub(super) fn gate(
        &mut self,
        context: &WorkContext<'_>,
        attempt: u32,
        tree: TreeId,
        kind: GateKind,
    ) -> WorkNext {
        self.gates += 1;
        let op = LaneOp::Gate {
            command: GateCommand::Task(context.task.clone()),
            tree,
            kind,
            known: match kind == GateKind::Reverted {
                true => context.known.values().copied().collect(),
                false => Vec::from_iter(context.known.get(&context.task.commands).copied()),
            },
        };
        WorkNext::Do(format!("gate.{attempt}.{}", self.gates), op)
    }

    pub(super) fn on_gated(
        &mut self,
        context: &mut WorkContext<'_>,
        mut candidate: Candidate,
        mut gating: Gating,
        ran: Ran,
    ) -> WorkNext {
        let ran = silenced(context, &ran).unwrap_or(ran);
        match gating.on_ran(ran) {
            GateVerdict::Run => self.gate_merged(context, candidate, gating),
            GateVerdict::Rejected { code, reason, ran } => {
                if code != AttemptCode::RunnerChanged {
                    candidate.restored.extend_from_slice(gating.set_aside());
                }
                let failure = ran.failure.as_ref();
                let waits = self.approval.is_some()
                    && code == AttemptCode::GateRed
                    && failure.is_some_and(CommandFailure::could_not_run);
                let mut refusal = Refusal {
                    tests: tests_of(code, &ran).map_or_else(Vec::new, |tests| tests.first.clone()),
                    ran,
                    ..Refusal::of(code, reason)
                };
                if waits {
                    refusal.reason = format!(
                        "its command cannot be run, so the approved change waits as it is: {}",
                        refusal.reason
                    );
                    refusal.follows = Follows::Nothing;
                }
                self.refuse(context, refusal.with(candidate))
            }
            GateVerdict::Accepted { ran, flags } => {
                candidate.restored.extend_from_slice(gating.set_aside());
                let accepted = Accepted {
                    candidate,
                    tree: gating.merged().clone(),
                    configured: gating.configured(),
                    flags,
                    ran,
                };
                match context.options.review {
                    Some(_) => self.write_change(context, accepted),
                    None => self.advance(context, accepted),
                }
            }
        }
    }

    pub(super) fn advance(&mut self, context: &WorkContext<'_>, accepted: Accepted) -> WorkNext {
        let op = LaneOp::Advance {
            task: context.task.clone(),
            tip: context.tip.commit.clone(),
            tree: accepted.tree.clone(),
            approval: self.approval.clone(),
        };
        self.stage = Stage::Advancing(accepted);
        WorkNext::Do(format!("advance.{}", self.attempt), op)
    }
}

/// Returns a run that passed as one that failed if it says nothing of the listed tests,
/// although the runner of its tests names them: the code under test may have ended it.
fn silenced(context: &WorkContext<'_>, ran: &Ran) -> Option<Ran> {
    let listed = ran.must_pass.as_ref()?;
    let is_unknown = |test: &ListedTest| test.result == TestResult::Unknown;
    let is_silent = ran.tests_run.is_none() && listed.tests.iter().all(is_unknown);
    let commands = &context.task.commands;
    let is_named = || {
        let mut known = context.known.keys();
        name_tests(commands) || known.any(|other| is_alike(commands, other))
    };
    if listed.tests.is_empty() || !is_silent || !is_named() {
        return None;
    }
    let tests = listed.tests.iter().map(|test| ListedTest {
        name: test.name.clone(),
        result: TestResult::NotRun,
    });
    let cause = FailureCause::TestsMissing {
        tests: tests.collect(),
    };
    Some(Ran {
        failure: Some(CommandFailure {
            step: commands.len(),
            steps: commands.len(),
            cause,
        }),
        must_pass: None,
        ..ran.clone()
    })
}

/// Returns whether two commands call the same program with the same first argument, such as
/// `sh tests/all.sh 1` and `sh tests/all.sh 2`.
fn is_alike(commands: &[String], others: &[String]) -> bool {
    let start = |commands: &[String]| {
        let words = commands.last().map(|command| command.split_whitespace());
        let words = words.into_iter().flatten().take(2).map(str::to_owned);
        words.collect::<Vec<_>>()
    };
    start(commands).len() == 2 && start(commands) == start(others)
}
