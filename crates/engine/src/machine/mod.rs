//! A run as one pure machine: the review, then the tasks.
//!
//! ```text
//! Start ─► review … ─► passed, or tasks run in any case ─► plan ─► tasks … ─► Done
//!             │                                              ▲                 │
//!             └─ blocked ─► Done ── resumed ─► review or tasks┘◄── resumed ─────┘
//! ```

mod done;
mod notice;
mod op;
mod resume;
#[cfg(test)]
mod tests;

use std::num::NonZeroU32;
use std::sync::Arc;

use review::events::{RunFinished, RunResumed, RunStarted, TaskState};
use review::machine::CallBudget;
use review::machine::{BaseState, ReviewChanges, ReviewDone, ReviewMachine, ReviewOut};
use review_flow::{Command, Input, Machine, StepName, Turn};
use review_tasks::{
    LaneOptions, TaskChanges, TaskDone, TaskMachine, TaskOptions, TaskOut, TaskOutcome, TaskPlan,
};
use review_types::{BlockCode, Hash, Timestamp};

pub(crate) use self::done::RunDone;
use self::done::outcome;
pub(crate) use self::notice::RunNotice;
pub(crate) use self::op::{RunChanges, RunOp, RunOut, StageChanges};
pub(crate) use self::resume::Found;
pub use self::resume::{Destination, Raised};
use crate::run::ArtifactTexts;

/// When the tasks of a unit are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskPolicy {
    /// Never.
    Skip,
    /// When the review passed.
    AfterPass,
    /// Whatever the review said.
    KeepGoing,
    /// Without a review.
    Only,
}

/// How the stages of a run are gone through.
#[derive(Clone, Debug)]
pub(crate) struct StageOptions {
    /// When tasks run.
    pub(crate) policy: TaskPolicy,
    /// Whether statuses of task files are rewritten.
    pub(crate) writes_status: bool,
    /// How many tasks may have their turn at a time.
    pub(crate) jobs: NonZeroU32,
    /// How agents implement tasks; `None` when users do.
    pub(crate) lane: Option<LaneOptions>,
}

/// The machine of a run.
pub(crate) struct RunMachine {
    started: RunStarted,
    policy: TaskPolicy,
    options: TaskOptions,
    review: ReviewMachine,
    /// How the review ended, if it did.
    reviewed: Option<ReviewDone>,
    tasks: Option<TaskMachine>,
    /// The limits on calls that resumes have set again.
    raised: CallBudget,
    /// The plan that is being read.
    planning: Option<StepName>,
    /// The outcome of the run, if it has ended.
    finished: Option<RunFinished>,
    notices: Vec<RunNotice>,
}

/// What a stage asks for, or how the run ended.
enum Asked {
    Steps(Vec<Command<RunOp>>),
    Done(Box<RunDone>),
}

impl RunMachine {
    /// A machine at the start of its run, with the machine of its review.
    pub(crate) fn new(started: RunStarted, review: ReviewMachine, options: StageOptions) -> Self {
        Self {
            started,
            policy: options.policy,
            options: TaskOptions {
                writes_status: options.writes_status,
                jobs: options.jobs,
                resume: 0,
                lane: options.lane,
            },
            review,
            reviewed: None,
            tasks: None,
            raised: CallBudget::default(),
            planning: None,
            finished: None,
            notices: Vec::new(),
        }
    }

    /// The tasks that have no end yet.
    pub(crate) fn open_tasks(&self) -> Vec<TaskOutcome> {
        let tasks = self.tasks.iter().flat_map(TaskMachine::outcomes);
        tasks
            .filter(|task| task.state == TaskState::NotRun)
            .collect()
    }

    /// The texts that the artifact had so far.
    pub(crate) fn artifact_texts(&self) -> ArtifactTexts {
        let rounds = self.review.rounds().iter();
        let manifest = |state: BaseState| state.manifest;
        ArtifactTexts {
            reviewed: rounds
                .map(|round| (round.iteration, round.artifact.map(manifest)))
                .collect(),
            last: self.review.base().map(manifest),
        }
    }

    /// Gives the review its turn.
    fn review(&mut self, input: Input<ReviewOut, ReviewChanges>) -> Asked {
        let turn = self.review.next(input);
        let notices = turn
            .notices
            .into_iter()
            .map(Box::new)
            .map(RunNotice::Review);
        self.notices.extend(notices);
        let Some(done) = turn.done else {
            let commands = turn.commands.into_iter();
            return Asked::Steps(
                commands
                    .map(|asked| asked.map(|op| RunOp::Review(Box::new(op))))
                    .collect(),
            );
        };
        let has_passed = matches!(done, ReviewDone::Passed);
        self.reviewed = Some(done);
        if self.options.lane.is_none() {
            self.tasks = None;
        }
        match self.policy {
            TaskPolicy::AfterPass if has_passed => self.plan(),
            TaskPolicy::KeepGoing => self.plan(),
            TaskPolicy::AfterPass | TaskPolicy::Skip | TaskPolicy::Only => self.end(None),
        }
    }

    /// Asks for the tasks of the unit.
    fn plan(&mut self) -> Asked {
        let step = StepName::new("task", self.options.resume, "plan");
        self.planning = Some(step.clone());
        let base = self.review.base();
        let op = RunOp::Plan { base };
        Asked::Steps(vec![Command::Do { step, op }])
    }

    fn on_plan(&mut self, plan: Option<TaskPlan>, at: Timestamp) -> Asked {
        match plan {
            None => self.end(None),
            // What is on the lane stays there while the spec is reviewed once more.
            Some(plan) if self.tasks.is_some() => self.task(Input::Resumed {
                resume: self.options.resume,
                changes: TaskChanges {
                    plan: Some(plan),
                    limits: self.raised,
                    ..TaskChanges::default()
                },
                at,
            }),
            Some(plan) => {
                if let Some(lane) = &mut self.options.lane {
                    lane.limits = self.raised.or(lane.limits);
                }
                self.tasks = Some(TaskMachine::new(Arc::new(plan), self.options.clone()));
                self.task(Input::Start { at })
            }
        }
    }

    /// Gives the tasks their turn; they are read before.
    fn task(&mut self, input: Input<TaskOut, TaskChanges>) -> Asked {
        let Some(tasks) = &mut self.tasks else {
            return self.plan();
        };
        // One budget holds for the calls of both.
        tasks.set_consumed(self.review.consumed());
        let turn = tasks.next(input);
        if let Some(consumed) = tasks.consumed() {
            self.review.set_consumed(consumed);
        }
        let notices = turn.notices.into_iter().map(RunNotice::Task);
        self.notices.extend(notices);
        if let Some(done) = turn.done {
            return self.end(Some(done));
        }
        let reviewed = self.reviewed_artifact();
        let commands = turn.commands.into_iter();
        Asked::Steps(
            commands
                .map(|asked| asked.map(|op| RunOp::Task { op, reviewed }))
                .collect(),
        )
    }

    /// The artifact that the tasks are held to, if it was reviewed.
    fn reviewed_artifact(&self) -> Option<Hash> {
        match self.policy {
            TaskPolicy::Only => None,
            TaskPolicy::Skip | TaskPolicy::AfterPass | TaskPolicy::KeepGoing => {
                self.review.base().map(|base| base.artifact)
            }
        }
    }

    fn on_resumed(&mut self, resume: u32, changes: RunChanges, at: Timestamp) -> Asked {
        self.finished = None;
        self.options.resume = resume;
        let RunChanges {
            max_time,
            jobs,
            stage,
        } = changes;
        if let Some(jobs) = jobs {
            self.options.jobs = jobs;
            if let Some(tasks) = &mut self.tasks {
                tasks.set_jobs(jobs);
            }
        }
        let max_time = max_time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let resumed = match &stage {
            StageChanges::Review(changes) => RunResumed {
                resume,
                artifact_changed: changes.base.is_some(),
                max_calls: changes.max_calls,
                max_tokens: changes.budget.max_tokens,
                max_cost: changes.budget.max_cost,
                max_time_ms: max_time,
                max_iterations: Some(self.review.allowed_after(changes)),
            },
            StageChanges::Tasks(changes) => RunResumed {
                resume,
                artifact_changed: self.are_other_tasks(changes),
                max_calls: changes.limits.max_calls,
                max_tokens: changes.limits.budget.max_tokens,
                max_cost: changes.limits.budget.max_cost,
                max_time_ms: max_time,
                max_iterations: None,
            },
        };
        self.notices.push(RunNotice::Resumed(resumed));
        let limits = match &stage {
            StageChanges::Review(changes) => CallBudget {
                max_calls: changes.max_calls,
                budget: changes.budget,
            },
            StageChanges::Tasks(changes) => changes.limits,
        };
        self.raised = limits.or(self.raised);
        match stage {
            StageChanges::Review(changes) => self.review(Input::Resumed {
                resume,
                changes,
                at,
            }),
            StageChanges::Tasks(changes) => self.task(Input::Resumed {
                resume,
                changes,
                at,
            }),
        }
    }

    /// Whether the tasks are others than those that the run knows.
    fn are_other_tasks(&self, changes: &TaskChanges) -> bool {
        match (&self.tasks, &changes.plan) {
            (Some(known), Some(now)) => !known.plan().asks_the_same(now),
            (None, Some(_)) | (_, None) => false,
        }
    }

    fn end(&mut self, tasks: Option<TaskDone>) -> Asked {
        let finished = outcome(self.reviewed.as_ref(), tasks.as_ref());
        self.notices.push(RunNotice::Finished(finished.clone()));
        self.finished = Some(finished.clone());
        let last = self.review.rounds().last();
        Asked::Done(Box::new(RunDone {
            review: self.reviewed.clone(),
            tasks,
            finished,
            artifact: self.review.base().map(|base| base.artifact),
            reviewed_by: last.and_then(|round| round.by.clone()),
        }))
    }

    fn unexpected(&mut self, what: &str) -> Asked {
        self.reviewed = Some(ReviewDone::Blocked {
            code: BlockCode::TaskFailed,
            reason: format!("the run received {what}, which it did not ask for"),
        });
        self.end(None)
    }
}

impl Machine for RunMachine {
    type Op = RunOp;
    type Out = RunOut;
    type Notice = RunNotice;
    type Done = RunDone;
    type Changes = RunChanges;

    fn next(&mut self, input: Input<RunOut, RunChanges>) -> Turn<Self> {
        let asked = match input {
            Input::Start { at } => {
                self.notices.push(RunNotice::Started(self.started.clone()));
                match self.policy {
                    TaskPolicy::Only => self.plan(),
                    TaskPolicy::Skip | TaskPolicy::AfterPass | TaskPolicy::KeepGoing => {
                        self.review(Input::Start { at })
                    }
                }
            }
            Input::Finished { step, record } => {
                let at = record.at;
                let (out, record) = record.split();
                match out {
                    RunOut::Review(out) => {
                        let record = record.map(|()| out);
                        self.review(Input::Finished { step, record })
                    }
                    RunOut::Task(out) if self.tasks.is_some() => {
                        let record = record.map(|()| out);
                        self.task(Input::Finished { step, record })
                    }
                    RunOut::Plan(plan) if self.planning.take() == Some(step.clone()) => {
                        self.on_plan(plan, at)
                    }
                    RunOut::Plan(_) | RunOut::Task(_) => {
                        self.unexpected(&format!("the result of {step}"))
                    }
                }
            }
            Input::Waited { step, at } => match &self.tasks {
                Some(tasks) if tasks.is_open(&step) => self.task(Input::Waited { step, at }),
                Some(_) | None => self.review(Input::Waited { step, at }),
            },
            Input::Signal { name, value, at } => self.review(Input::Signal { name, value, at }),
            Input::Resumed {
                resume,
                changes,
                at,
            } => self.on_resumed(resume, changes, at),
        };
        let (commands, done) = match asked {
            Asked::Steps(commands) => (commands, None),
            Asked::Done(done) => (Vec::new(), Some(*done)),
        };
        Turn {
            notices: std::mem::take(&mut self.notices),
            commands,
            done,
        }
    }

    fn is_local(op: &RunOp) -> bool {
        op.is_local()
    }

    fn base(op: &RunOp) -> Option<Hash> {
        op.base()
    }
}
