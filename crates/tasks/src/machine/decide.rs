//! The decisions of the task machine.
//!
//! It is asked with one input at a time, and answers with the steps that are to run now; it
//! has no clock, no file and no randomness. So the journal of its inputs gives the same
//! decisions again, which is how a killed run goes on. After each input all that can start
//! is started: first what other tasks wait for (the lane, a merge), then ready tasks, up to
//! the number of jobs. When no step is open, what is left is landed and its statuses written.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use review::Budget;
use review::events::{TaskStarted, TaskState, TaskStatusSet};
use review::machine::{Consumed, ReviewMachine};
use review_flow::{Command, Input, Machine, StepName, StepRecord, Turn};
use review_types::{TaskStatus, Timestamp};

use super::done::{TaskDone, TaskOutcome};
use super::implement::{LaneState, Next, NoCalls};
use super::lane::{LaneOp, LaneOptions, LaneOut};
use super::notice::TaskNotice;
use super::op::{Ran, TaskChanges, TaskOp, TaskOut};
use super::plan::{PlannedTask, TaskPlan};
use super::queue::Queue;

/// Options for running the tasks of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskOptions {
    /// Whether the statuses in task files are rewritten.
    pub writes_status: bool,
    /// Maximum number of tasks that run at a time.
    pub jobs: NonZeroU32,
    /// The number of resumes before the tasks first ran.
    pub resume: u32,
    /// How agents implement tasks; `None` when users do.
    pub lane: Option<LaneOptions>,
}

/// An open step: its task, and its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenStep {
    Command(usize),
    Status(usize, TaskStatus),
    /// A step of the work of agents at a task.
    Work(usize),
    /// The record of a landed task.
    Record(usize),
    /// A step of the lane itself.
    Lane,
}

/// The data of a task apart from its state.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) status: TaskStatus,
    /// Whether the status could not be written to its file.
    is_status_kept: bool,
    pub(super) ran: Option<Ran>,
}

/// The machine that runs the tasks of one unit.
#[derive(Clone, Debug)]
pub struct TaskMachine {
    pub(super) plan: Arc<TaskPlan>,
    pub(super) options: TaskOptions,
    pub(super) queue: Queue,
    pub(super) slots: Vec<Slot>,
    /// The lane on which agents implement the tasks, if they do.
    pub(super) lane: Option<LaneState>,
    /// The open steps, at most one per task.
    pub(super) open: BTreeMap<StepName, OpenStep>,
    /// The time of the last input.
    pub(super) now: Timestamp,
    pub(super) notices: Vec<TaskNotice>,
}

/// The next commands of the machine, or its end.
pub(super) enum NextStep {
    Steps(Vec<Command<TaskOp>>),
    Done(TaskDone),
}

impl TaskMachine {
    /// Returns a machine at the start of its plan.
    pub fn new(plan: Arc<TaskPlan>, options: TaskOptions) -> Self {
        Self {
            queue: Queue::new(&plan),
            slots: plan.tasks().iter().map(Slot::new).collect(),
            lane: options.lane.clone().map(|lane| {
                let tasks = plan.tasks().len();
                LaneState::new(lane, options.jobs, tasks)
            }),
            plan,
            options,
            open: BTreeMap::new(),
            now: Timestamp::UNIX_EPOCH,
            notices: Vec::new(),
        }
    }

    /// Returns the plan.
    pub fn plan(&self) -> &TaskPlan {
        &self.plan
    }

    /// Returns the state of every task, by number.
    pub(crate) fn outcomes(&self) -> Vec<TaskOutcome> {
        let tasks = self.plan.tasks().iter().enumerate();
        let outcomes = tasks.map(|(at, task)| TaskOutcome {
            task: task.number,
            state: self.queue.state(at).unwrap_or(TaskState::NotRun),
        });
        outcomes.collect()
    }

    /// Returns whether work is on the lane that the target does not have.
    pub fn has_unlanded(&self) -> bool {
        self.lane.as_ref().is_some_and(|lane| !lane.is_landed())
    }

    /// Returns the calls of the run, and what they consumed; `None` without agents.
    pub fn consumed(&self) -> Option<Consumed> {
        self.lane.as_ref().map(|lane| lane.ledger.consumed)
    }

    /// Takes in the calls of the run, with those of its review.
    pub fn set_consumed(&mut self, consumed: Consumed) {
        if let Some(lane) = &mut self.lane {
            lane.ledger.consumed = consumed;
        }
    }

    /// Sets how many tasks may have their turn at a time, and what calls may consume, once
    /// the run is resumed.
    pub const fn set_limits(&mut self, jobs: NonZeroU32, calls: Budget) {
        self.options.jobs = jobs;
        if let Some(lane) = &mut self.options.lane {
            lane.limits = calls;
        }
    }

    /// Returns whether a step is open.
    pub fn is_open(&self, step: &StepName) -> bool {
        self.open.contains_key(step)
    }

    /// Starts ready tasks, up to the limit, beside the steps that follow from a result.
    pub(super) fn go_on(&mut self, mut steps: Vec<Command<TaskOp>>) -> NextStep {
        if !self.plan.faults().is_empty() {
            return self.finish();
        }
        if let Some(open) = self.open_lane() {
            return NextStep::Steps(vec![open]);
        }
        steps.extend(self.integrate());
        while self.busy() < self.jobs() {
            let ready = match self.choose() {
                Next::Start(ready) => ready,
                Next::Ask(pick) => {
                    steps.push(*pick);
                    break;
                }
            };
            // What is left when nothing is ready or open is a cycle.
            let next = match self.open.is_empty() {
                true => ready.or_else(|| self.queue.first_undecided()),
                false => ready,
            };
            match next {
                Some(at) => {
                    steps.extend(self.turn(at));
                    steps.extend(self.integrate());
                }
                None => break,
            }
        }
        match self.open.is_empty() {
            true => self.conclude(),
            false => NextStep::Steps(steps),
        }
    }

    /// Returns the number of tasks that have their turn.
    pub(super) fn busy(&self) -> usize {
        let Some(lane) = &self.lane else {
            return self.open.len();
        };
        let others = self.open.values();
        let others = others.filter(|open| matches!(open, OpenStep::Status(..) | OpenStep::Lane));
        lane.active.len() + others.count()
    }

    pub(super) fn jobs(&self) -> usize {
        usize::try_from(self.options.jobs.get()).unwrap_or(usize::MAX)
    }

    /// Starts a task; `None` when it needs no work.
    pub(super) fn turn(&mut self, at: usize) -> Option<Command<TaskOp>> {
        let plan = Arc::clone(&self.plan);
        let task = &plan.tasks()[at];
        let because_of = self.queue.blockers(&plan, at);
        if !because_of.is_empty() {
            self.queue.decide(at, TaskState::Skipped);
            let why = (String::new(), because_of);
            let skipped = TaskNotice::finished(task, TaskState::Skipped, why, Ran::default());
            self.notices.push(skipped);
            return None;
        }
        if task.commands.is_empty() {
            let reason = "has no backpressure command, so nothing can prove it done";
            self.decide(at, TaskState::NoCommand, reason.to_owned(), None);
            return self.status(at);
        }
        if let Some(no_calls) = self.lane.as_ref().and_then(LaneState::no_calls) {
            let reason = match no_calls {
                NoCalls::Limit(..) => "the run ended before its turn".to_owned(),
                NoCalls::Unavailable(_) => no_calls.to_string(),
            };
            self.decide(at, TaskState::NotRun, reason, None);
            return None;
        }
        self.notices.push(TaskNotice::Started(TaskStarted {
            task: task.number,
            title: task.title.clone(),
            command: task.command(),
            tasks: self.plan.tasks().len(),
        }));
        if self.lane.is_some() {
            return self.start_work(at);
        }
        let op = TaskOp::Backpressure { task: task.clone() };
        Some(self.step("gate.1.1", op, OpenStep::Command(at), task))
    }

    pub(super) fn name(&self, word: &str, task: &PlannedTask) -> StepName {
        let path = format_args!("{}/{word}", task.number);
        StepName::new("task", self.options.resume, path)
    }

    pub(super) fn step(
        &mut self,
        word: &str,
        op: TaskOp,
        open: OpenStep,
        task: &PlannedTask,
    ) -> Command<TaskOp> {
        let step = self.name(word, task);
        self.open.insert(step.clone(), open);
        Command::Do { step, op }
    }

    pub(super) fn decide(&mut self, at: usize, state: TaskState, reason: String, ran: Option<Ran>) {
        self.queue.decide(at, state);
        let task = &self.plan.tasks()[at];
        let told = ran.clone().unwrap_or_default();
        let finished = TaskNotice::finished(task, state, (reason, Vec::new()), told);
        self.notices.push(finished);
        self.slots[at].ran = ran;
    }

    /// Requests the status that a decided task should have, if its file claims
    /// another.
    pub(super) fn status(&mut self, at: usize) -> Option<Command<TaskOp>> {
        let claims = self.slots[at].status;
        let status = match self.queue.state(at) {
            // Its file gets the status by landing.
            Some(TaskState::OnLane) => return None,
            Some(TaskState::Landed) if !self.is_in_files() => return None,
            Some(state) if state.is_done() => TaskStatus::Complete,
            _ => TaskStatus::Pending,
        };
        let is_claimed = claims == TaskStatus::Complete;
        let is_wrong = is_claimed != (status == TaskStatus::Complete);
        if !is_wrong || !self.options.writes_status {
            return None;
        }
        let plan = Arc::clone(&self.plan);
        let task = plan.tasks()[at].clone();
        let op = TaskOp::Status { task, status };
        Some(self.step(
            "status",
            op,
            OpenStep::Status(at, status),
            &plan.tasks()[at],
        ))
    }

    /// Requests the next status of a task that is done, once its proof is landed.
    pub(super) fn due_status(&mut self) -> Option<Command<TaskOp>> {
        if !self.lane.as_ref().is_some_and(LaneState::is_landed) {
            return None;
        }
        (0..self.slots.len()).find_map(|at| {
            let is_done = self.queue.state(at).is_some_and(TaskState::is_done);
            let is_due = is_done && !self.slots[at].is_status_kept;
            is_due.then(|| self.status(at)).flatten()
        })
    }

    fn on_result(&mut self, step: &StepName, record: StepRecord<TaskOut>) -> NextStep {
        let (out, record) = record.split();
        let status = match (self.open.remove(step), out) {
            (Some(OpenStep::Command(at)), TaskOut::Ran(ran)) => {
                let reason = ran.failure.as_ref();
                let reason = reason.map_or_else(String::new, ToString::to_string);
                self.decide(at, ran.state(), reason, Some(ran));
                self.status(at)
            }
            (
                Some(open @ (OpenStep::Work(_) | OpenStep::Lane)),
                TaskOut::Lane(LaneOut::Cut(cut)),
            )
            | (
                Some(open @ (OpenStep::Command(_) | OpenStep::Work(_) | OpenStep::Lane)),
                TaskOut::Cut(cut),
            ) => {
                return self.on_cut(open.task(), cut);
            }
            (
                Some(open @ (OpenStep::Work(_) | OpenStep::Lane)),
                TaskOut::Lane(LaneOut::Blocked { code, reason }),
            ) => return self.on_blocked(open.task(), code, reason),
            (Some(OpenStep::Work(at)), TaskOut::Lane(out)) => {
                return self.on_work(at, step, record.map(|()| out));
            }
            (Some(OpenStep::Lane), TaskOut::Lane(out)) => return self.on_lane(step, out),
            (Some(OpenStep::Record(_)), TaskOut::Lane(_)) => None,
            (
                Some(open @ (OpenStep::Command(_) | OpenStep::Work(_) | OpenStep::Lane)),
                TaskOut::Changed { files, ran },
            ) => return self.on_changed(open.task(), &files, ran),
            (Some(OpenStep::Status(at, status)), TaskOut::Status { kept }) => {
                match &kept {
                    None => self.slots[at].status = status,
                    Some(_) => self.slots[at].is_status_kept = true,
                }
                let task = &self.plan.tasks()[at];
                self.notices.push(TaskNotice::Status(TaskStatusSet {
                    task: task.number,
                    path: task.path.clone(),
                    status,
                    kept,
                }));
                None
            }
            _ => return self.unexpected(&format!("the result of {step}")),
        };
        match status {
            // A task keeps its slot until its status is written.
            Some(status) => NextStep::Steps(vec![status]),
            None => self.go_on(Vec::new()),
        }
    }

    /// Starts over: tasks that passed are proved by their records, unless the tree has
    /// changed. With a lane, they are kept, and the others get new attempts.
    fn on_resumed(&mut self, resume: u32, mut changes: TaskChanges) -> NextStep {
        self.options.resume = resume;
        let reread = changes.plan.take().map(Arc::new);
        let plan = Arc::clone(reread.as_ref().unwrap_or(&self.plan));
        let before = std::mem::replace(self, Self::new(plan, self.options.clone()));
        if reread.is_none() {
            for (slot, old) in self.slots.iter_mut().zip(&before.slots) {
                slot.status = old.status;
            }
        }
        self.now = before.now;
        self.keep(before, &changes);
        self.go_on(Vec::new())
    }
}

impl Slot {
    fn new(task: &PlannedTask) -> Self {
        Self {
            status: task.claims,
            is_status_kept: false,
            ran: None,
        }
    }

    /// Returns whether its file claims that it is complete.
    pub(super) fn is_complete(&self) -> bool {
        self.status == TaskStatus::Complete
    }
}

impl OpenStep {
    /// Returns the task of the step; `None` for a step of the lane.
    const fn task(self) -> Option<usize> {
        match self {
            Self::Command(at) | Self::Status(at, _) | Self::Work(at) | Self::Record(at) => Some(at),
            Self::Lane => None,
        }
    }
}

impl Machine for TaskMachine {
    type Op = TaskOp;
    type Out = TaskOut;
    type Notice = TaskNotice;
    type Done = TaskDone;
    type Changes = TaskChanges;

    fn next(&mut self, input: Input<TaskOut, TaskChanges>) -> Turn<Self> {
        self.now = input.at();
        let asked = match input {
            Input::Start { .. } => self.go_on(Vec::new()),
            Input::Finished { step, record } => {
                match self.open.get(&step) {
                    Some(OpenStep::Work(at)) => self.settle(*at, &record),
                    Some(OpenStep::Lane) => self.settle_pick(&record),
                    _ => {}
                }
                self.on_result(&step, record)
            }
            Input::Waited { step, .. } => match self.open.remove(&step) {
                Some(OpenStep::Work(at)) => self.on_waited(at, &step),
                _ => self.unexpected(&format!("the end of the pause {step}")),
            },
            Input::Signal { name, .. } => self.unexpected(&format!("the signal {name}")),
            Input::Resumed {
                resume, changes, ..
            } => self.on_resumed(resume, changes),
        };
        let (commands, done) = match asked {
            NextStep::Steps(commands) => (commands, None),
            NextStep::Done(done) => (Vec::new(), Some(done)),
        };
        Turn {
            notices: std::mem::take(&mut self.notices),
            commands,
            done,
        }
    }

    fn is_local(op: &TaskOp) -> bool {
        match op {
            TaskOp::Backpressure { .. } => false,
            TaskOp::Lane(op) => match &**op {
                LaneOp::Review { op, .. } => ReviewMachine::is_local(op),
                _ => false,
            },
            TaskOp::Status { .. } => true,
        }
    }
}
