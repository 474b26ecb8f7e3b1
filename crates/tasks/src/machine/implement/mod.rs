//! Agents implement the tasks: the lane as the task machine knows it.

mod bisect;
mod command;
mod gating;
mod landing;
mod ledger;
mod picking;
mod reviewing;
mod trail;
mod work;

use std::collections::{BTreeSet, VecDeque};
use std::num::NonZeroU32;
use std::sync::Arc;

use review::events::{
    AgentRole, CallEnded, ChangeFlag, FlaggedChange, LaneLanded, LaneNotLanded, TaskState,
};
use review::machine::ReviewOut;
use review_flow::{Command, StepName, StepRecord};
use review_lane::{CommitId, TreeId};
use review_types::{BlockCode, LandCode, TaskNumber};

use self::command::{CommandKey, TreeRuns};
use self::landing::{Broken, Landing, LandingContext, LandingNext};
use self::ledger::CallFunds;
pub(super) use self::ledger::NoCalls;
pub(super) use self::picking::Next;
pub use self::reviewing::CHANGE_FILE;
use self::trail::Trail;
use self::work::{KnownTests, TaskWork, WorkContext, WorkNext};
use super::decide::{NextStep, OpenStep, TaskMachine};
use super::lane::{LaneOp, LaneOptions, LaneOut, Worked};
use super::notice::TaskNotice;
use super::op::{Ran, TaskChanges, TaskOp, TaskOut};
use super::plan::PlannedTask;

/// The tip of the lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LaneTip {
    commit: CommitId,
    tree: TreeId,
}

/// The lane of a run, and the work of agents at its tasks.
#[derive(Clone, Debug)]
pub(super) struct LaneState {
    options: LaneOptions,
    /// Its tip, once it is open.
    tip: Option<LaneTip>,
    /// The work at each task of the plan.
    works: Vec<TaskWork>,
    /// The names of tests that are known of each command.
    known: KnownTests,
    /// The runs of commands on the tip, in this part of the run.
    runs: TreeRuns,
    /// The tasks with work under way.
    pub(super) active: BTreeSet<usize>,
    /// The tasks whose changes wait to be merged, one after the other.
    arrivals: VecDeque<usize>,
    /// The task whose change is merged and gated, or was last.
    integrating: Option<usize>,
    /// The tasks with changes on the lane that are not landed, in order.
    members: Vec<usize>,
    /// Their commits.
    trail: Trail,
    landing: Landing,
    /// The accepted changes since the commands of all tasks were last run together.
    unchecked: u32,
    /// Whether a task that broke a command is on the lane again.
    is_repaired: bool,
    /// Whether the user's files have what landed.
    is_in_files: bool,
    /// The landed tasks that are to be recorded, and the commit that they landed in.
    unrecorded: VecDeque<(usize, CommitId)>,
    /// Why its tasks are not landed, once that was tried.
    pub(super) not_landed: Option<LaneNotLanded>,
    pub(super) ledger: CallFunds,
    /// How often the agent was asked to pick a task.
    picks: u32,
}

impl LaneState {
    pub(super) fn new(options: LaneOptions, jobs: NonZeroU32, tasks: usize) -> Self {
        Self {
            ledger: CallFunds::new(options.limits, jobs),
            tip: None,
            works: vec![TaskWork::default(); tasks],
            known: KnownTests::new(),
            runs: TreeRuns::default(),
            active: BTreeSet::new(),
            arrivals: VecDeque::new(),
            integrating: None,
            members: Vec::new(),
            trail: Trail::default(),
            landing: Landing::new(&options),
            unchecked: 0,
            is_repaired: false,
            options,
            is_in_files: false,
            unrecorded: VecDeque::new(),
            not_landed: None,
            picks: 0,
        }
    }

    /// Returns why no further agent is called, if that is known.
    pub(super) const fn no_calls(&self) -> Option<&NoCalls> {
        self.ledger.closed.as_ref()
    }

    /// Ends all work under way, and returns its tasks.
    pub(super) fn stop(&mut self) -> BTreeSet<usize> {
        std::mem::take(&mut self.active)
    }

    /// Returns whether nothing is on the lane that the target does not have.
    pub(super) fn is_landed(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns whether a change is merged and gated, or all of them are.
    fn is_integrating(&self) -> bool {
        let is_busy = |at: usize| self.works[at].is_integrating();
        self.landing.is_open() || self.integrating.is_some_and(is_busy)
    }

    /// Takes the next task whose change is to be merged, if none is being merged.
    fn next_arrival(&mut self) -> Option<usize> {
        if self.is_integrating() {
            return None;
        }
        self.integrating = self.arrivals.pop_front();
        self.integrating
    }

    /// Returns whether enough changes came to the lane to run the commands of all tasks.
    fn has_unchecked(&self) -> bool {
        self.is_repaired || self.unchecked >= self.options.check_every.get()
    }
}

impl TaskMachine {
    /// Opens the lane, if there is one and it has something to do.
    pub(super) fn open_lane(&mut self) -> Option<Command<TaskOp>> {
        let is_due = self.queue.first_undecided().is_some();
        let lane = self.lane.as_ref().filter(|lane| lane.tip.is_none())?;
        if !is_due && lane.is_landed() {
            return None;
        }
        Some(self.lane_step("open", LaneOp::Open))
    }

    fn lane_step(&mut self, word: &str, op: LaneOp) -> Command<TaskOp> {
        let step = StepName::new("lane", self.options.resume, word);
        self.open.insert(step.clone(), OpenStep::Lane);
        Command::Do {
            step,
            op: TaskOp::Lane(Box::new(op)),
        }
    }

    /// Gives the work at a task its turn.
    fn work(
        &mut self,
        at: usize,
        turn: impl FnOnce(&mut TaskWork, &mut WorkContext<'_>) -> WorkNext,
    ) -> WorkNext {
        let plan = Arc::clone(&self.plan);
        let task = &plan.tasks()[at];
        let Some(lane) = &mut self.lane else {
            return WorkNext::Unexpected;
        };
        let Some(tip) = &lane.tip else {
            return WorkNext::Unexpected;
        };
        let mut context = WorkContext {
            options: &lane.options,
            task,
            unit: &plan.unit,
            is_claimed: self.slots[at].is_complete(),
            is_on_lane: lane.members.contains(&at),
            tip,
            trail: &lane.trail,
            known: &mut lane.known,
            runs: &mut lane.runs,
            now: self.now,
            resume: self.options.resume,
            notices: &mut self.notices,
            ledger: &mut lane.ledger,
        };
        turn(&mut lane.works[at], &mut context)
    }

    /// Starts the work at a task.
    pub(super) fn start_work(&mut self, at: usize) -> Option<Command<TaskOp>> {
        if let Some(lane) = &mut self.lane {
            lane.active.insert(at);
        }
        let next = self.work(at, |work, context| work.start(context));
        self.follow(at, next).ok().flatten()
    }

    /// Runs the commands of all tasks on the lane if that is due, else merges the next change
    /// that waits for it, if none is being merged.
    pub(super) fn integrate(&mut self) -> Option<Command<TaskOp>> {
        if self.is_check_due()
            && let Some(check) = self.check_lane()
        {
            return Some(check);
        }
        let at = self.lane.as_mut()?.next_arrival()?;
        let next = self.work(at, |work, context| work.merge(context));
        self.follow(at, next).ok().flatten()
    }

    /// Takes in the result of a step of the work at a task.
    pub(super) fn on_work(
        &mut self,
        at: usize,
        step: &StepName,
        record: StepRecord<LaneOut>,
    ) -> NextStep {
        let next = self.work(at, |work, context| work.on_result(context, record));
        self.go_on_after(at, next, &format!("the result of {step}"))
    }

    /// Settles what the call of an agent consumed, and reports it.
    pub(super) fn settle(&mut self, at: usize, record: &StepRecord<TaskOut>) {
        let (role, is_free) = match &record.out {
            TaskOut::Lane(LaneOut::Worked(Worked::Failed(error))) => {
                (AgentRole::Implementer, error.is_free())
            }
            TaskOut::Lane(LaneOut::Worked(Worked::Done { .. })) => (AgentRole::Implementer, false),
            TaskOut::Lane(LaneOut::Blocked { code, .. }) => {
                (AgentRole::Implementer, *code == BlockCode::DiskFloor)
            }
            TaskOut::Lane(LaneOut::Reviewed(out)) => match &**out {
                ReviewOut::Failed(error) => (AgentRole::Reviewer, error.is_free()),
                ReviewOut::Read(_)
                | ReviewOut::Malformed { .. }
                | ReviewOut::NothingChecked { .. } => (AgentRole::Reviewer, false),
                _ => (AgentRole::Reviewer, true),
            },
            _ => return,
        };
        let task = self.plan.tasks()[at].number;
        let attempt = self.lane.as_ref().map(|lane| lane.works[at].attempt);
        let call = (Some(task), role, attempt.unwrap_or_default());
        self.settle_call(call, record, is_free);
    }

    fn settle_call(
        &mut self,
        (task, role, attempt): (Option<TaskNumber>, AgentRole, u32),
        record: &StepRecord<TaskOut>,
        is_free: bool,
    ) {
        let Some(lane) = &mut self.lane else { return };
        lane.ledger.settle(task, record.usage.as_ref(), is_free);
        let model = record.by.as_ref().and_then(|by| by.model.as_ref());
        if record.usage.is_some_and(|usage| !usage.is_nothing()) || model.is_some() {
            self.notices.push(TaskNotice::Called(CallEnded {
                task,
                role,
                iteration: attempt,
                by: record.by.clone(),
                usage: record.usage,
                took_ms: record.took_ms,
            }));
        }
    }

    /// Goes on with the work at a task after a pause.
    pub(super) fn on_waited(&mut self, at: usize, step: &StepName) -> NextStep {
        let next = self.work(at, |work, context| work.on_waited(context));
        self.go_on_after(at, next, &format!("the end of the pause {step}"))
    }

    fn go_on_after(&mut self, at: usize, next: WorkNext, what: &str) -> NextStep {
        match self.follow(at, next) {
            Ok(step) => self.go_on(Vec::from_iter(step)),
            Err(NotAsked) => self.unexpected(what),
        }
    }

    /// Does what follows for a task; `None` when it asks for nothing.
    fn follow(&mut self, at: usize, next: WorkNext) -> Result<Option<Command<TaskOp>>, NotAsked> {
        let plan = Arc::clone(&self.plan);
        let task = &plan.tasks()[at];
        match next {
            WorkNext::Do(word, op) => {
                return Ok(Some(self.step(
                    &word,
                    TaskOp::Lane(Box::new(op)),
                    OpenStep::Work(at),
                    task,
                )));
            }
            WorkNext::Wait(word, delay) => {
                let step = self.name(&word, task);
                self.open.insert(step.clone(), OpenStep::Work(at));
                return Ok(Some(Command::Wait { step, delay }));
            }
            WorkNext::Queued => self.lane_mut(|lane| lane.arrivals.push_back(at)),
            WorkNext::OnLane {
                tip,
                ran,
                on_lane,
                passed_at,
            } => {
                self.lane_mut(|lane| {
                    let is_last = passed_at == lane.trail.end();
                    let configured = &lane.works[at].configured;
                    lane.trail.push(task, &tip, configured, passed_at);
                    let is_flaky = |flag: &FlaggedChange| flag.code == ChangeFlag::FlakyPass;
                    if is_last && !on_lane.flags.iter().any(is_flaky) {
                        // The tip differs from what was tested in the status of the task.
                        lane.runs.note(&tip.tree, CommandKey::of(task), &ran);
                    }
                    lane.tip = Some(tip);
                    lane.unchecked += 1;
                    if !lane.members.contains(&at) {
                        lane.members.push(at);
                    }
                });
                self.leave(at, TaskState::OnLane, String::new(), ran);
                self.notices.push(TaskNotice::OnLane(on_lane));
            }
            WorkNext::Passed(ran) => {
                self.lane_mut(|lane| {
                    let passed_at = lane.works[at].started_at;
                    lane.trail.note_passed(CommandKey::of(task), passed_at);
                });
                let lane = self.lane.as_ref();
                let state = match lane.is_some_and(|lane| lane.members.contains(&at)) {
                    true => TaskState::OnLane,
                    false => TaskState::Passed,
                };
                self.leave(at, state, String::new(), ran);
            }
            WorkNext::Parked { state, reason, ran } => {
                self.leave(at, state, reason, ran);
                return Ok(self.status(at));
            }
            WorkNext::NotCalled => {
                let no_calls = self.lane.as_ref().and_then(LaneState::no_calls);
                let reason = no_calls.map_or_else(String::new, ToString::to_string);
                self.leave(at, TaskState::NotRun, reason, Ran::default());
            }
            WorkNext::Unexpected => return Err(NotAsked),
        }
        Ok(None)
    }

    /// Ends the work at a task.
    fn leave(&mut self, at: usize, state: TaskState, reason: String, ran: Ran) {
        self.lane_mut(|lane| {
            lane.active.remove(&at);
        });
        self.decide(at, state, reason, Some(ran));
    }

    fn lane_mut(&mut self, change: impl FnOnce(&mut LaneState)) {
        if let Some(lane) = &mut self.lane {
            change(lane);
        }
    }

    /// Takes in the result of a step of the lane itself.
    pub(super) fn on_lane(&mut self, step: &StepName, out: LaneOut) -> NextStep {
        if let (Some(lane), LaneOut::Opened { tip, tree, opened }) = (&mut self.lane, &out)
            && lane.tip.is_none()
        {
            let tip = LaneTip {
                commit: tip.clone(),
                tree: tree.clone(),
            };
            lane.trail.open(&tip);
            lane.tip = Some(tip);
            let opened = opened.clone();
            self.notices.extend(opened.map(TaskNotice::LaneOpened));
            return self.go_on(Vec::new());
        }
        let picked = match &out {
            LaneOut::Picked(picked) => Some(*picked),
            LaneOut::NotPicked(_) => Some(None),
            _ => None,
        };
        if let Some(picked) = picked {
            return self.on_picked(picked);
        }
        let next = self.land(|landing, context| landing.on_result(context, out));
        self.on_landing(step, next)
    }

    /// Gives the landing its turn.
    fn land(
        &mut self,
        turn: impl FnOnce(&mut Landing, &mut LandingContext<'_>) -> LandingNext,
    ) -> LandingNext {
        let plan = Arc::clone(&self.plan);
        let Some(lane) = &mut self.lane else {
            return LandingNext::Unexpected;
        };
        let Some(tip) = &lane.tip else {
            return LandingNext::Unexpected;
        };
        let is_other = |at: &usize| {
            !lane.members.contains(at) && self.queue.state(*at).is_some_and(TaskState::is_done)
        };
        let others = (0..plan.tasks().len()).filter(is_other);
        let task = |at: usize| &plan.tasks()[at];
        let mut context = LandingContext {
            tip,
            others: others.map(task).collect(),
            members: lane.members.iter().map(|at| task(*at)).collect(),
            trail: &mut lane.trail,
            known: &mut lane.known,
            runs: &lane.runs,
        };
        turn(&mut lane.landing, &mut context)
    }

    /// Returns whether the commands of all tasks are to be run on the tip now: enough changes
    /// came to it, none of them is known to break a command, and there is more to do before
    /// it lands.
    fn is_check_due(&mut self) -> bool {
        let is_free = self.busy() < self.jobs();
        let has_undecided = self.queue.first_undecided().is_some();
        let Some(lane) = &self.lane else { return false };
        let is_whole = |at: &usize| {
            self.queue.state(*at) == Some(TaskState::OnLane) && !lane.active.contains(at)
        };
        is_free
            && (has_undecided || !lane.active.is_empty())
            && lane.has_unchecked()
            && !lane.is_integrating()
            && lane.members.iter().all(is_whole)
    }

    /// Runs the commands of all tasks on the tip of the lane.
    fn check_lane(&mut self) -> Option<Command<TaskOp>> {
        self.lane_mut(|lane| {
            lane.unchecked = 0;
            lane.is_repaired = false;
        });
        match self.land(|landing, context| landing.check(context)) {
            LandingNext::Do(word, op) => Some(self.lane_step(&word, *op)),
            _ => None,
        }
    }

    /// Returns a task that broke a command to its agent.
    fn on_broken(&mut self, step: &StepName, broken: Broken) -> NextStep {
        let Some(at) = self.plan.position(broken.task) else {
            return self.on_landing(
                step,
                LandingNext::NotLanded {
                    code: LandCode::Red,
                    reason: format!("{}; the unit has no such task now", broken.reason()),
                },
            );
        };
        self.lane_mut(|lane| {
            lane.is_repaired = true;
            lane.active.insert(at);
        });
        let next = self.work(at, |work, context| work.on_broke(context, broken));
        self.go_on_after(at, next, &format!("the result of {step}"))
    }

    /// Lands the lane when nothing else is left to do, then writes statuses.
    pub(super) fn conclude(&mut self) -> NextStep {
        let Some(lane) = &mut self.lane else {
            return self.finish();
        };
        if lane.is_landed() || lane.not_landed.is_some() {
            let due = self.due_record().or_else(|| self.due_status());
            return match due {
                Some(step) => NextStep::Steps(vec![step]),
                None => self.finish(),
            };
        }
        let is_red = |at: &&usize| self.queue.state(**at) != Some(TaskState::OnLane);
        let red = lane.members.iter().find(is_red);
        let next = match (red, &lane.tip) {
            (Some(red), _) => LandingNext::NotLanded {
                code: LandCode::Red,
                reason: format!(
                    "task {} does not pass with the work of all tasks together",
                    self.plan.tasks()[*red].number
                ),
            },
            (None, Some(tip)) => lane.landing.carry(tip),
            (None, None) => LandingNext::Unexpected,
        };
        let step = StepName::new("lane", self.options.resume, "land");
        self.on_landing(&step, next)
    }

    fn on_landing(&mut self, step: &StepName, next: LandingNext) -> NextStep {
        match next {
            LandingNext::Do(word, op) => NextStep::Steps(vec![self.lane_step(&word, *op)]),
            LandingNext::Broken(broken) => self.on_broken(step, *broken),
            LandingNext::Checked => self.go_on(Vec::new()),
            LandingNext::Landed {
                branch,
                is_checked_out,
                commit,
                flaky,
            } => {
                let members = self.lane.as_mut().map(|lane| &mut lane.members);
                let members = members.map_or_else(Vec::new, std::mem::take);
                for at in &members {
                    self.queue.decide(*at, TaskState::Landed);
                }
                // The commands of all that is done passed on it, also of what landed before.
                let is_done = |at: &usize| {
                    let state = self.queue.state(*at);
                    state.is_some_and(TaskState::is_done) && self.slots[*at].ran.is_some()
                };
                let done: Vec<_> = (0..self.slots.len()).filter(is_done).collect();
                self.lane_mut(|lane| {
                    lane.trail.land();
                    lane.is_in_files = is_checked_out;
                    let done = done.into_iter().filter(|_| is_checked_out);
                    lane.unrecorded.extend(done.map(|at| (at, commit.clone())));
                });
                self.notices.push(TaskNotice::Landed(LaneLanded {
                    branch,
                    commit: commit.into(),
                    tasks: self.numbers(&members),
                    flaky: flaky.tasks.into_iter().collect(),
                    flaky_check: flaky.check,
                }));
                self.go_on(Vec::new())
            }
            LandingNext::NotLanded { code, reason } => {
                let members = self.lane.as_ref().map(|lane| lane.members.clone());
                let not_landed = LaneNotLanded {
                    code,
                    reason,
                    tasks: self.numbers(&members.unwrap_or_default()),
                };
                self.notices.push(TaskNotice::NotLanded(not_landed.clone()));
                self.lane_mut(|lane| lane.not_landed = Some(not_landed));
                self.go_on(Vec::new())
            }
            LandingNext::Unexpected => self.unexpected(&format!("the result of {step}")),
        }
    }

    /// Returns whether a task is held since it changed tests.
    pub(super) fn is_tampered(&self, at: usize) -> bool {
        let work = self.lane.as_ref().map(|lane| &lane.works[at]);
        self.queue.state(at) == Some(TaskState::Held) && work.is_some_and(TaskWork::is_tampered)
    }

    /// Returns whether the user's files have what landed.
    pub(super) fn is_in_files(&self) -> bool {
        self.lane.as_ref().is_some_and(|lane| lane.is_in_files)
    }

    /// Records the next landed task.
    fn due_record(&mut self) -> Option<Command<TaskOp>> {
        let plan = Arc::clone(&self.plan);
        let (at, commit) = self.lane.as_mut()?.unrecorded.pop_front()?;
        let task = &plan.tasks()[at];
        let ran = self.slots[at].ran.clone()?;
        let op = LaneOp::Record {
            task: task.clone(),
            ran,
            commit,
            approval: self.lane.as_ref()?.works[at].approval.clone(),
        };
        Some(self.step(
            "record",
            TaskOp::Lane(Box::new(op)),
            OpenStep::Record(at),
            task,
        ))
    }

    fn numbers(&self, tasks: &[usize]) -> Vec<TaskNumber> {
        let tasks = tasks.iter().map(|at| self.plan.tasks()[*at].number);
        tasks.collect()
    }

    /// Keeps what an earlier part of the run achieved for tasks that are proved as they
    /// were, and the attempts at the others.
    pub(super) fn keep(&mut self, before: Self, changes: &TaskChanges) {
        let Some(old) = before.lane else { return };
        let Some(lane) = &mut self.lane else { return };
        lane.ledger = old.ledger.resumed(lane.options.limits, self.options.jobs);
        let moved = |at: usize| {
            let task: &PlannedTask = &before.plan.tasks()[at];
            self.plan.position(task.number)
        };
        lane.known = old.known;
        lane.trail = old.trail;
        lane.landing = old.landing.resumed(&lane.options);
        lane.members = old.members.iter().filter_map(|at| moved(*at)).collect();
        let works = old.works.into_iter().zip(before.slots).enumerate();
        for (old_at, (work, slot)) in works {
            let Some(at) = moved(old_at) else { continue };
            lane.works[at] = work.resumed();
            let task = &self.plan.tasks()[at];
            let state = before.queue.state(old_at);
            let approved = &changes.approved;
            let approval = approved.iter().find(|one| one.task == task.number);
            if let Some(one) = approval.filter(|_| state == Some(TaskState::Held)) {
                lane.works[at].approval = Some(one.approval.clone());
                continue;
            }
            let is_left = matches!(state, Some(TaskState::Held | TaskState::Parked));
            if changes.lands_only || (is_left && !approved.is_empty()) {
                self.queue.decide(at, state.unwrap_or(TaskState::NotRun));
                self.slots[at].ran = slot.ran;
                continue;
            }
            let state = state.filter(|state| state.meets_dependency());
            let is_same = task.is_proved_like(&before.plan.tasks()[old_at]);
            if let Some(state) = state.filter(|_| is_same) {
                self.queue.decide(at, state);
                self.slots[at].ran = slot.ran;
            }
        }
    }
}

/// A result that belongs to no open step.
struct NotAsked;
