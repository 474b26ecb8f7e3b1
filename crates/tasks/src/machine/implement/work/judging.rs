//! Whether a change is accepted: conflicts, its command, the lane.

use review_lane::{RevertCheck, TestsChanged, TreeId};

use super::refusal::Refusal;
use super::{Accepted, Candidate, Stage, Work, WorkContext, WorkNext};
use crate::machine::implement::gating::{GatePolicy, GateVerdict, Gating};
use crate::machine::lane::{GateKind, LaneOp, LaneOptions};
use crate::machine::op::Ran;

impl Work {
    /// Returns what follows from its tests; what a user approved is not asked again.
    pub(super) fn gate_policy(&self, options: &LaneOptions) -> GatePolicy {
        let is_approved = self.approval.is_some();
        GatePolicy {
            tests_changed: match is_approved {
                true => TestsChanged::Allow,
                false => options.tests_changed,
            },
            inherited: options.inherited,
            revert_check: match options.revert_check {
                RevertCheck::Require if is_approved => RevertCheck::Ask,
                check => check,
            },
        }
    }

    /// Accounts for a conflict that the agent had to resolve, if it had to; then its change
    /// waits to be merged.
    pub(super) fn account(&mut self, context: &WorkContext<'_>, candidate: Candidate) -> WorkNext {
        let Some(change) = self.resolves.clone() else {
            self.stage = Stage::Queued(candidate);
            return WorkNext::Queued;
        };
        let op = LaneOp::Account {
            task: context.task.number,
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
            task: context.task.clone(),
            tree,
            kind,
            known: match kind {
                GateKind::Reverted => context.known.values().copied().collect(),
                GateKind::Before
                | GateKind::Merged
                | GateKind::Again
                | GateKind::Alone
                | GateKind::Protected
                | GateKind::Together
                | GateKind::Landing
                | GateKind::Fresh
                | GateKind::Bisect => {
                    Vec::from_iter(context.known.get(&context.task.commands).copied())
                }
            },
        };
        WorkNext::Do(format!("gate.{attempt}.{}", self.gates), op)
    }

    pub(super) fn on_gated(
        &mut self,
        context: &mut WorkContext<'_>,
        candidate: Candidate,
        mut gating: Gating,
        ran: Ran,
    ) -> WorkNext {
        if context.has_company {
            gating.note_company();
        }
        match gating.on_ran(ran) {
            GateVerdict::Run => self.gate_merged(context, candidate, gating),
            GateVerdict::Rejected { code, ran } => {
                self.refuse(context, Refusal::red(code, ran).with(candidate))
            }
            GateVerdict::Accepted { ran, flags } => {
                let accepted = Accepted {
                    candidate,
                    tree: gating.merged().clone(),
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
        };
        self.stage = Stage::Advancing(accepted);
        WorkNext::Do(format!("advance.{}", self.attempt), op)
    }
}
