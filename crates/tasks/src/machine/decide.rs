//! The decisions of the task machine.

mod ending;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use review::events::TaskState;
use review_flow::{Command, Input, Machine, StepName, Turn};
use review_types::{BlockCode, TaskStatus};

use super::done::{Blocked, TaskDone, TaskOutcome};
use super::notice::TaskNotice;
use super::op::{Ran, TaskChanges, TaskOp, TaskOut};
use super::plan::{PlannedTask, TaskPlan};
use super::queue::Queue;

/// Options for running the tasks of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskOptions {
    /// Whether the statuses in task files are rewritten.
    pub writes_status: bool,
    /// Maximum number of tasks that run at a time.
    pub jobs: NonZeroU32,
    /// The number of resumes before the tasks first ran.
    pub resume: u32,
}

/// An open step: its task, and its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Command(usize),
    Status(usize, TaskStatus),
}

/// The data of a task apart from its state.
#[derive(Clone, Debug)]
struct Slot {
    status: TaskStatus,
    status_kept: Option<String>,
    ran: Option<Ran>,
}

/// The machine that runs the tasks of one unit.
#[derive(Clone, Debug)]
pub struct TaskMachine {
    plan: Arc<TaskPlan>,
    options: TaskOptions,
    queue: Queue,
    slots: Vec<Slot>,
    /// The open steps, at most one per task.
    open: BTreeMap<StepName, Open>,
    notices: Vec<TaskNotice>,
}

/// The next commands of the machine, or its end.
enum NextStep {
    Steps(Vec<Command<TaskOp>>),
    Done(TaskDone),
}

impl TaskMachine {
    /// Returns a machine at the start of its plan.
    #[must_use]
    pub fn new(plan: Arc<TaskPlan>, options: TaskOptions) -> Self {
        Self {
            queue: Queue::new(&plan),
            slots: plan.tasks().iter().map(Slot::new).collect(),
            plan,
            options,
            open: BTreeMap::new(),
            notices: Vec::new(),
        }
    }

    /// Returns the plan.
    #[must_use]
    pub fn plan(&self) -> &TaskPlan {
        &self.plan
    }

    /// Returns the state of every task, by number.
    #[must_use]
    pub fn outcomes(&self) -> Vec<TaskOutcome> {
        let tasks = self.plan.tasks().iter().zip(&self.slots).enumerate();
        tasks
            .map(|(at, (task, slot))| TaskOutcome {
                task: task.number,
                title: task.title.clone(),
                state: self.queue.state(at).unwrap_or(TaskState::NotRun),
                status: slot.status,
                status_kept: slot.status_kept.clone(),
                ran: slot.ran.clone(),
            })
            .collect()
    }

    /// Starts ready tasks, up to the limit.
    fn go_on(&mut self) -> NextStep {
        if !self.plan.faults().is_empty() {
            return self.finish();
        }
        let mut steps = Vec::new();
        while self.open.len() < self.jobs() {
            let ready = self.queue.pop();
            // What is left when nothing is ready or open is a cycle.
            let next = match self.open.is_empty() {
                true => ready.or_else(|| self.queue.first_undecided()),
                false => ready,
            };
            match next {
                Some(at) => steps.extend(self.turn(at)),
                None => break,
            }
        }
        match self.open.is_empty() {
            true => self.finish(),
            false => NextStep::Steps(steps),
        }
    }

    fn jobs(&self) -> usize {
        usize::try_from(self.options.jobs.get()).unwrap_or(usize::MAX)
    }

    /// Starts a task; `None` when it needs no work.
    fn turn(&mut self, at: usize) -> Option<Command<TaskOp>> {
        let plan = Arc::clone(&self.plan);
        let task = &plan.tasks()[at];
        let because_of = self.queue.blockers(&plan, at);
        if !because_of.is_empty() {
            self.queue.decide(at, TaskState::Skipped);
            self.notices.push(TaskNotice::Skipped {
                task: task.number,
                title: task.title.clone(),
                because_of,
            });
            return None;
        }
        if task.commands.is_empty() {
            let reason = "has no backpressure command, so nothing can prove it done";
            self.decide(at, TaskState::NoCommand, reason.to_owned(), None);
            return self.status(at);
        }
        self.notices.push(TaskNotice::Started {
            task: task.number,
            title: task.title.clone(),
            command: task.command(),
        });
        let op = TaskOp::Backpressure { task: task.clone() };
        Some(self.step("gate.1.1", op, Open::Command(at), task))
    }

    fn step(&mut self, word: &str, op: TaskOp, open: Open, task: &PlannedTask) -> Command<TaskOp> {
        let path = format_args!("{}/{word}", task.number);
        let step = StepName::new("task", self.options.resume, path);
        self.open.insert(step.clone(), open);
        Command::Do { step, op }
    }

    fn decide(&mut self, at: usize, state: TaskState, reason: String, ran: Option<Ran>) {
        self.queue.decide(at, state);
        self.tell_finished(at, state, reason, ran.clone().unwrap_or_default());
        self.slots[at].ran = ran;
    }

    fn tell_finished(&mut self, at: usize, state: TaskState, reason: String, ran: Ran) {
        let task = &self.plan.tasks()[at];
        self.notices.push(TaskNotice::Finished {
            task: task.number,
            title: task.title.clone(),
            state,
            reason,
            ran,
        });
    }

    /// Requests the status that a decided task should have, if its file claims
    /// another.
    fn status(&mut self, at: usize) -> Option<Command<TaskOp>> {
        let claims = self.slots[at].status;
        let status = match (self.queue.state(at), claims) {
            (Some(TaskState::Passed), TaskStatus::Complete) => return None,
            (Some(TaskState::Passed), _) => TaskStatus::Complete,
            (_, TaskStatus::Complete) => TaskStatus::Pending,
            _ => return None,
        };
        if !self.options.writes_status {
            return None;
        }
        let plan = Arc::clone(&self.plan);
        let task = plan.tasks()[at].clone();
        let op = TaskOp::Status { task, status };
        Some(self.step("status", op, Open::Status(at, status), &plan.tasks()[at]))
    }

    fn on_result(&mut self, step: &StepName, out: TaskOut) -> NextStep {
        let status = match (self.open.remove(step), out) {
            (Some(Open::Command(at)), TaskOut::Ran(ran)) => {
                let reason = ran.failure.as_ref();
                let reason = reason.map_or_else(String::new, ToString::to_string);
                self.decide(at, ran.state(), reason, Some(ran));
                self.status(at)
            }
            (Some(Open::Command(at)), TaskOut::Cut(cut)) => {
                let reason = format!("the run's limit of {cut} is used up");
                let code = cut.block_code();
                return self.on_stop(at, Blocked { code, reason }, None);
            }
            (Some(Open::Command(at)), TaskOut::Changed(files)) => {
                let reason =
                    format!("another process changed the artifact during the run: {files}");
                let code = BlockCode::ArtifactChanged;
                return self.on_stop(at, Blocked { code, reason }, None);
            }
            (Some(Open::Command(at)), TaskOut::ChangedMeanwhile { files, ran }) => {
                let ran_beside = self.open.values().filter_map(|open| match open {
                    Open::Command(at) => Some(*at),
                    Open::Status(..) => None,
                });
                let mut numbers: Vec<_> = ran_beside.chain([at]).collect();
                numbers.sort_unstable();
                let numbers = numbers
                    .iter()
                    .map(|at| self.plan.tasks()[*at].number.to_string());
                let numbers: Vec<_> = numbers.collect();
                let commands = match &numbers[..] {
                    [task] => format!("the command of task {task}"),
                    several => format!("the commands of tasks {}", several.join(", ")),
                };
                let reason = format!("the artifact changed while {commands} ran: {files}");
                let code = BlockCode::ArtifactChanged;
                return self.on_stop(at, Blocked { code, reason }, Some(ran));
            }
            (Some(Open::Status(at, status)), TaskOut::StatusWritten) => {
                self.slots[at].status = status;
                let task = &self.plan.tasks()[at];
                self.notices.push(TaskNotice::StatusWritten {
                    task: task.number,
                    path: task.path.clone(),
                    status,
                });
                None
            }
            (Some(Open::Status(at, status)), TaskOut::StatusKept { reason }) => {
                self.slots[at].status_kept = Some(reason.clone());
                let task = &self.plan.tasks()[at];
                self.notices.push(TaskNotice::StatusKept {
                    task: task.number,
                    path: task.path.clone(),
                    status,
                    reason,
                });
                None
            }
            (
                Some(Open::Command(_) | Open::Status(..)) | None,
                TaskOut::Ran(_)
                | TaskOut::Cut(_)
                | TaskOut::Changed(_)
                | TaskOut::ChangedMeanwhile { .. }
                | TaskOut::StatusWritten
                | TaskOut::StatusKept { .. },
            ) => return self.unexpected(&format!("the result of {step}")),
        };
        match status {
            // A task keeps its slot until its status is written.
            Some(status) => NextStep::Steps(vec![status]),
            None => self.go_on(),
        }
    }

    /// Starts over: tasks that passed are proved by their records, unless the tree has
    /// changed.
    fn on_resumed(&mut self, resume: u32, changes: TaskChanges) -> NextStep {
        self.options.resume = resume;
        let reread = changes.plan.map(Arc::new);
        let plan = Arc::clone(reread.as_ref().unwrap_or(&self.plan));
        let before = std::mem::replace(self, Self::new(plan, self.options));
        if reread.is_none() {
            for (slot, old) in self.slots.iter_mut().zip(before.slots) {
                slot.status = old.status;
            }
        }
        self.go_on()
    }
}

impl Slot {
    fn new(task: &PlannedTask) -> Self {
        Self {
            status: task.claims,
            status_kept: None,
            ran: None,
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
        let asked = match input {
            Input::Start { .. } => self.go_on(),
            Input::Finished { step, record } => self.on_result(&step, record.out),
            Input::Waited { step, .. } => self.unexpected(&format!("the end of the pause {step}")),
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
            TaskOp::Status { .. } => true,
        }
    }
}
