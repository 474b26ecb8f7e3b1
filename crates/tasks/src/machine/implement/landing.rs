//! Brings the lane to the target branch, once the commands of its tasks pass together.

use std::collections::{BTreeSet, VecDeque};

use review_lane::{CommitId, Inherited};
use review_types::{LandCode, TaskNumber};

use super::Tip;
use super::gating::accepts_inherited;
use super::work::KnownTests;
use crate::machine::lane::{GateKind, LaneOp, LaneOut};
use crate::machine::op::Ran;
use crate::machine::plan::PlannedTask;

/// Maximum number of times that the work is carried again because the target moved.
const MAX_MOVED: u32 = 3;

/// The landing of the tasks on the lane.
#[derive(Clone, Debug, Default)]
pub(super) struct Landing {
    /// How often the work was carried to the target.
    number: u32,
    /// How often the target had moved.
    moved: u32,
    /// What follows when only tests fail that failed before.
    inherited: Inherited,
    stage: Stage,
}

/// The step that is open.
#[derive(Clone, Debug, Default)]
enum Stage {
    #[default]
    Idle,
    Carrying,
    Gating(Together),
    Landing(Together),
}

/// The commands of all tasks, on the commit that is to be landed.
#[derive(Clone, Debug)]
struct Together {
    carried: Tip,
    /// One task for each command that has not passed yet, with the task whose change is
    /// the likeliest cause if it fails.
    due: VecDeque<(PlannedTask, TaskNumber)>,
    runs: u32,
    /// Whether the first of them failed once.
    has_failed: bool,
    flaky: Vec<TaskNumber>,
}

/// What follows in a landing.
#[derive(Clone, Debug)]
pub(super) enum LandingNext {
    /// Run an operation.
    Do(String, Box<LaneOp>),
    /// The command of this task fails with the work of all tasks.
    Red(TaskNumber, Ran),
    /// The work is on the target branch.
    Landed {
        branch: Option<String>,
        is_checked_out: bool,
        commit: CommitId,
        flaky: Vec<TaskNumber>,
    },
    /// The work is on the lane only.
    NotLanded { code: LandCode, reason: String },
    /// The result belongs to no open step.
    Unexpected,
}

impl Landing {
    pub(super) fn new(inherited: Inherited) -> Self {
        Self {
            inherited,
            ..Self::default()
        }
    }

    /// Carries the lane to the target.
    pub(super) fn carry(&mut self, tip: &Tip) -> LandingNext {
        self.number += 1;
        self.stage = Stage::Carrying;
        let op = LaneOp::Carry {
            tip: tip.commit.clone(),
        };
        LandingNext::Do(format!("carry-{}", self.number), Box::new(op))
    }

    /// Takes in the result of its open step. `members` are the tasks on the lane, in order,
    /// and `others` those that are done without it.
    pub(super) fn on_result(
        &mut self,
        tip: &Tip,
        members: &[&PlannedTask],
        others: &[&PlannedTask],
        known: &KnownTests,
        out: LaneOut,
    ) -> LandingNext {
        match (std::mem::take(&mut self.stage), out) {
            (Stage::Carrying, LaneOut::Carried { commit, tree }) => {
                let together = Together {
                    carried: Tip { commit, tree },
                    due: distinct(members, others),
                    runs: 0,
                    has_failed: false,
                    flaky: Vec::new(),
                };
                self.gate(together, members, known)
            }
            (Stage::Carrying, LaneOut::Conflicts { paths, .. }) => LandingNext::NotLanded {
                code: LandCode::Conflict,
                reason: format!("it conflicts with the target in {}", paths.join(", ")),
            },
            (Stage::Gating(together), LaneOut::Gated(ran)) => {
                self.on_gated(together, members, known, ran)
            }
            (
                Stage::Landing(together),
                LaneOut::Landed {
                    branch,
                    is_checked_out,
                },
            ) => LandingNext::Landed {
                branch,
                is_checked_out,
                commit: together.carried.commit,
                flaky: together.flaky,
            },
            (
                Stage::Carrying | Stage::Landing(_),
                LaneOut::NotLanded {
                    code: LandCode::TargetMoved,
                    ..
                },
            ) if self.moved < MAX_MOVED => {
                self.moved += 1;
                self.carry(tip)
            }
            (Stage::Carrying | Stage::Landing(_), LaneOut::NotLanded { code, reason }) => {
                LandingNext::NotLanded { code, reason }
            }
            _ => LandingNext::Unexpected,
        }
    }

    fn on_gated(
        &mut self,
        mut together: Together,
        members: &[&PlannedTask],
        known: &KnownTests,
        ran: Ran,
    ) -> LandingNext {
        let is_green = ran.failure.is_none() || accepts_inherited(self.inherited, &ran);
        match together.due.front() {
            Some(_) if !is_green && !together.has_failed => together.has_failed = true,
            Some((_, blamed)) if !is_green => return LandingNext::Red(*blamed, ran),
            Some((task, _)) => {
                if std::mem::take(&mut together.has_failed) {
                    together.flaky.push(task.number);
                }
                together.due.pop_front();
            }
            None => {}
        }
        self.gate(together, members, known)
    }

    /// Runs the next command, or lands once all have passed.
    fn gate(
        &mut self,
        mut together: Together,
        members: &[&PlannedTask],
        known: &KnownTests,
    ) -> LandingNext {
        let Some((task, _)) = together.due.front().cloned() else {
            let op = LaneOp::Land {
                commit: together.carried.commit.clone(),
                tasks: members.iter().map(|task| task.number).collect(),
            };
            self.stage = Stage::Landing(together);
            return LandingNext::Do(format!("land-{}", self.number), Box::new(op));
        };
        together.runs += 1;
        let path = format!("gate-{}.{}", self.number, together.runs);
        let known = Vec::from_iter(known.get(&task.commands).copied());
        let op = LaneOp::Gate {
            task,
            tree: together.carried.tree.clone(),
            kind: GateKind::Together,
            known,
        };
        self.stage = Stage::Gating(together);
        LandingNext::Do(path, Box::new(op))
    }
}

/// Returns one task for each command. If it fails, the last task on the lane that has it
/// is the likeliest cause, else the last task on the lane.
fn distinct(
    members: &[&PlannedTask],
    others: &[&PlannedTask],
) -> VecDeque<(PlannedTask, TaskNumber)> {
    let Some(last) = members.last().map(|task| task.number) else {
        return VecDeque::new();
    };
    let mut known = BTreeSet::new();
    let mut tasks = VecDeque::new();
    let blamed = members.iter().rev().map(|task| (*task, task.number));
    let others = others.iter().rev().map(|task| (*task, last));
    for (task, blamed) in blamed.chain(others) {
        let proves = !task.commands.is_empty();
        if proves && known.insert((&task.commands, &task.must_pass)) {
            tasks.push_front((task.clone(), blamed));
        }
    }
    tasks
}
