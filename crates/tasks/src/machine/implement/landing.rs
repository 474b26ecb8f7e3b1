//! Runs the commands of all tasks together, finds the task that broke one, and brings the
//! lane to the target branch once all pass.

use std::collections::{BTreeSet, VecDeque};

use review_lane::CommitId;
use review_types::{LandCode, TaskNumber};

use super::LaneTip;
use super::bisect::{Bisect, BisectNext};
use super::command::{TreeRuns, distinct};
use super::trail::Trail;
use super::work::{KnownTests, not_prepared};
use crate::machine::lane::{GateCommand, GateKind, LaneOp, LaneOptions, LaneOut};
use crate::machine::op::Ran;
use crate::machine::plan::PlannedTask;

/// Maximum number of times that the work is carried again because the target moved.
const MAX_MOVED: u32 = 3;

/// The checks of the tasks on the lane together, and their landing.
#[derive(Clone, Debug, Default)]
pub(super) struct Landing {
    /// How often the work was carried to the target.
    number: u32,
    /// How often the tip was checked before.
    checks: u32,
    /// How often the task that broke a command was searched for.
    bisects: u32,
    /// How often the target had moved.
    moved: u32,
    /// The command of `lane.check`.
    check: Option<String>,
    flaky: Flaky,
    stage: Stage,
}

/// The commands that failed once and passed on the same tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Flaky {
    /// The tasks with such a command.
    pub(super) tasks: BTreeSet<TaskNumber>,
    /// Whether that of `lane.check` is one.
    pub(super) check: bool,
}

/// The step that is open.
#[derive(Clone, Debug, Default)]
enum Stage {
    #[default]
    Idle,
    Carrying,
    Gating(CombinedRun),
    /// With the result that is explained.
    Bisecting(CombinedRun, Bisect, Box<Ran>),
    Landing(CommitId),
}

/// The commands of all tasks, on one commit.
#[derive(Clone, Debug)]
struct CombinedRun {
    goal: Goal,
    on: LaneTip,
    /// Those that have not passed yet.
    due: VecDeque<GateCommand>,
    runs: u32,
    /// Whether the first of them failed once.
    has_failed: bool,
}

/// What the commands of all tasks are run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    /// To see which task broke one before others build on it.
    Check,
    /// To land the commit.
    Land,
}

/// What a step of the landing needs to know.
pub(super) struct LandingContext<'a> {
    pub(super) tip: &'a LaneTip,
    pub(super) trail: &'a mut Trail,
    /// The names of tests that are known of each command.
    pub(super) known: &'a mut KnownTests,
    /// The runs of commands on the tip.
    pub(super) runs: &'a TreeRuns,
    /// The tasks on the lane, in order.
    pub(super) members: Vec<&'a PlannedTask>,
    /// Those that are done without it.
    pub(super) others: Vec<&'a PlannedTask>,
}

/// A command that a task broke.
#[derive(Clone, Debug)]
pub(super) struct Broken {
    /// The task that broke it.
    pub(super) task: TaskNumber,
    command: GateCommand,
    /// The result with the work of all tasks.
    pub(super) ran: Ran,
}

/// What follows in a check or a landing.
#[derive(Clone, Debug)]
pub(super) enum LandingNext {
    /// Run an operation.
    Do(String, Box<LaneOp>),
    /// A task broke a command.
    Broken(Box<Broken>),
    /// The check of the tip is over, and names no task.
    Checked,
    /// The work is on the target branch.
    Landed {
        branch: String,
        is_checked_out: bool,
        commit: CommitId,
        flaky: Flaky,
    },
    /// The work is on the lane only.
    NotLanded { code: LandCode, reason: String },
    /// The result belongs to no open step.
    Unexpected,
}

impl Landing {
    pub(super) fn new(options: &LaneOptions) -> Self {
        Self {
            check: options.check.clone(),
            ..Self::default()
        }
    }

    /// Returns the landing of a resumed run.
    pub(super) fn resumed(self, options: &LaneOptions) -> Self {
        Self {
            flaky: self.flaky,
            ..Self::new(options)
        }
    }

    /// Returns whether a step of it is open.
    pub(super) const fn is_open(&self) -> bool {
        !matches!(self.stage, Stage::Idle)
    }

    /// Carries the lane to the target.
    pub(super) fn carry(&mut self, tip: &LaneTip) -> LandingNext {
        self.number += 1;
        self.stage = Stage::Carrying;
        let op = LaneOp::Carry {
            tip: tip.commit.clone(),
        };
        LandingNext::Do(format!("carry-{}", self.number), Box::new(op))
    }

    /// Runs the commands of all tasks on the tip, but for those that fail without the work
    /// of any task.
    pub(super) fn check(&mut self, context: &LandingContext<'_>) -> LandingNext {
        self.checks += 1;
        let mut together = self.together(Goal::Check, context.tip.clone(), context);
        let fails_before = |command: &GateCommand| context.trail.fails_before(&command.key());
        together.due.retain(|command| !fails_before(command));
        self.gate(together, context)
    }

    fn together(&self, goal: Goal, on: LaneTip, context: &LandingContext<'_>) -> CombinedRun {
        let mut due = distinct(&context.members, &context.others, self.check.as_deref());
        due.retain(|command| !context.runs.proves(&on.tree, &command.key()));
        CombinedRun {
            goal,
            on,
            due,
            runs: 0,
            has_failed: false,
        }
    }

    /// Takes in the result of its open step.
    pub(super) fn on_result(
        &mut self,
        context: &mut LandingContext<'_>,
        out: LaneOut,
    ) -> LandingNext {
        match (std::mem::take(&mut self.stage), out) {
            (Stage::Carrying, LaneOut::Carried { commit, tree }) => {
                let together = self.together(Goal::Land, LaneTip { commit, tree }, context);
                self.gate(together, context)
            }
            (Stage::Gating(together), LaneOut::Gated(ran)) => self.on_gated(context, together, ran),
            (Stage::Bisecting(together, bisect, red), LaneOut::Gated(ran)) => {
                self.on_bisected(context, (together, *red), bisect, &ran)
            }
            (
                Stage::Gating(together) | Stage::Bisecting(together, ..),
                LaneOut::SetupFailed(ran),
            ) => match together.goal {
                // What cannot be prepared is named before landing, if it is so then.
                Goal::Check => LandingNext::Checked,
                Goal::Land => LandingNext::NotLanded {
                    code: LandCode::Red,
                    reason: not_prepared(&ran),
                },
            },
            (
                Stage::Landing(commit),
                LaneOut::Landed {
                    branch,
                    is_checked_out,
                },
            ) => LandingNext::Landed {
                branch,
                is_checked_out,
                commit,
                flaky: std::mem::take(&mut self.flaky),
            },
            (
                Stage::Carrying | Stage::Landing(_),
                LaneOut::NotLanded {
                    code: LandCode::TargetMoved,
                    ..
                },
            ) if self.moved < MAX_MOVED => {
                self.moved += 1;
                self.carry(context.tip)
            }
            (Stage::Carrying | Stage::Landing(_), LaneOut::NotLanded { code, reason }) => {
                LandingNext::NotLanded { code, reason }
            }
            _ => LandingNext::Unexpected,
        }
    }

    fn on_gated(
        &mut self,
        context: &mut LandingContext<'_>,
        mut together: CombinedRun,
        ran: Ran,
    ) -> LandingNext {
        let Some(command) = together.due.front() else {
            return LandingNext::Unexpected;
        };
        let is_tip = together.on.tree == context.tip.tree;
        if ran.failure.is_none() {
            if std::mem::take(&mut together.has_failed) {
                self.flaky.note(command);
            }
            if is_tip {
                let end = context.trail.end();
                context.trail.note_passed(command.key(), end);
            }
            together.due.pop_front();
            return self.gate(together, context);
        }
        if !together.has_failed {
            together.has_failed = true;
            return self.gate(together, context);
        }
        let key = command.key();
        if context.trail.fails_before(&key) {
            return self.fails_before(context, together, &ran);
        }
        let innocent = context.trail.innocent(&key);
        let mut bisect = Bisect::start(innocent, context.trail.end(), is_tip);
        self.bisects += 1;
        let next = bisect.begin();
        self.follow_bisect(context, (together, ran), bisect, next)
    }

    fn on_bisected(
        &mut self,
        context: &mut LandingContext<'_>,
        failed: (CombinedRun, Ran),
        mut bisect: Bisect,
        ran: &Ran,
    ) -> LandingNext {
        let Some(command) = failed.0.due.front() else {
            return LandingNext::Unexpected;
        };
        let passed = ran.failure.is_none();
        let at = bisect.at();
        if passed {
            context.trail.note_passed(command.key(), at);
        }
        if at == 0 {
            command.note_tests(context.known, ran);
        }
        if passed && bisect.is_again() {
            self.flaky.note(command);
        }
        let next = bisect.on_ran(passed);
        self.follow_bisect(context, failed, bisect, next)
    }

    fn follow_bisect(
        &mut self,
        context: &mut LandingContext<'_>,
        (together, red): (CombinedRun, Ran),
        bisect: Bisect,
        next: BisectNext,
    ) -> LandingNext {
        let Some(command) = together.due.front().cloned() else {
            return LandingNext::Unexpected;
        };
        match next {
            BisectNext::Run { at, kind } => {
                let Some(on) = context.trail.at(at) else {
                    return LandingNext::Unexpected;
                };
                let op = command.run_on(&on.tree, kind, context.known);
                let path = format!("bisect-{}.{}", self.bisects, bisect.runs());
                self.stage = Stage::Bisecting(together, bisect, Box::new(red));
                LandingNext::Do(path, Box::new(op))
            }
            BisectNext::Broken { at } => match context.trail.task_at(at) {
                Some(task) => LandingNext::Broken(Box::new(Broken {
                    task,
                    command,
                    ran: red,
                })),
                None => self.no_task(
                    context,
                    together,
                    LandCode::Red,
                    format!("a commit of the lane that no task is known of broke {command}"),
                ),
            },
            BisectNext::FailsBefore => {
                context.trail.note_fails_before(command.key());
                self.fails_before(context, together, &red)
            }
            BisectNext::PassesOnLane => {
                let reason = format!(
                    "{command} passes on the lane and fails on what would land, since the target \
                     has other changes, or the work needs files that are not committed: {}",
                    failure(&red)
                );
                self.no_task(context, together, LandCode::TargetRed, reason)
            }
        }
    }

    fn fails_before(
        &mut self,
        context: &LandingContext<'_>,
        together: CombinedRun,
        red: &Ran,
    ) -> LandingNext {
        let command = together.due.front().map(ToString::to_string);
        let reason = format!(
            "{} fails without the work of any task, and none made it pass: {}",
            command.unwrap_or_default(),
            failure(red)
        );
        self.no_task(context, together, LandCode::TargetRed, reason)
    }

    /// Goes on after a command that fails although no task broke it: that keeps the work
    /// from landing, and no task from its work.
    fn no_task(
        &mut self,
        context: &LandingContext<'_>,
        mut together: CombinedRun,
        code: LandCode,
        reason: String,
    ) -> LandingNext {
        match together.goal {
            Goal::Land => LandingNext::NotLanded { code, reason },
            Goal::Check => {
                together.has_failed = false;
                together.due.pop_front();
                self.gate(together, context)
            }
        }
    }

    /// Runs the next command, or goes on once all have passed.
    fn gate(&mut self, mut together: CombinedRun, context: &LandingContext<'_>) -> LandingNext {
        let (Some(command), goal) = (together.due.front(), together.goal) else {
            if together.goal == Goal::Check {
                return LandingNext::Checked;
            }
            let commit = together.on.commit;
            let op = LaneOp::Land {
                commit: commit.clone(),
                tasks: context.members.iter().map(|task| task.number).collect(),
            };
            self.stage = Stage::Landing(commit);
            return LandingNext::Do(format!("land-{}", self.number), Box::new(op));
        };
        together.runs += 1;
        let path = match goal {
            Goal::Check => format!("check-{}.{}", self.checks, together.runs),
            Goal::Land => format!("gate-{}.{}", self.number, together.runs),
        };
        let kind = match (together.has_failed, goal) {
            (true, _) => GateKind::Fresh,
            (false, Goal::Check) => GateKind::Together,
            (false, Goal::Land) => GateKind::Landing,
        };
        let op = command.run_on(&together.on.tree, kind, context.known);
        self.stage = Stage::Gating(together);
        LandingNext::Do(path, Box::new(op))
    }
}

impl Flaky {
    fn note(&mut self, command: &GateCommand) {
        match command.task() {
            Some(task) => {
                self.tasks.insert(task.number);
            }
            None => self.check = true,
        }
    }
}

impl Broken {
    /// Returns what happened, in words.
    pub(super) fn reason(&self) -> String {
        let Self { task, command, ran } = self;
        let failure = failure(ran);
        match command.task().map(|task| task.number) == Some(*task) {
            true => format!("its command passed before and fails in a new checkout: {failure}"),
            false => format!("task {task} broke {command}: {failure}"),
        }
    }
}

fn failure(ran: &Ran) -> String {
    let failure = ran.failure.as_ref();
    failure.map_or_else(String::new, ToString::to_string)
}
