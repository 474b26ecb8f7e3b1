//! A run as one pure machine: the review, then the tasks.
//!
//! ```text
//! Start ─► review … ─► passed, or tasks run in any case ─► plan ─► tasks … ─► Done
//!             │                                              ▲                 │
//!             └─ blocked ─► Done ── resumed ─► review or tasks┘◄── resumed ─────┘
//! ```

mod op;
mod resume;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use review::events::{RunFinished, RunResumed, RunStarted};
use review::machine::{BaseState, ReviewChanges, ReviewDone, ReviewMachine, ReviewOut};
use review_flow::{Command, Input, Machine, StepName, Turn};
use review_tasks::{
    PlannedTask, TaskChanges, TaskDone, TaskMachine, TaskOptions, TaskOut, TaskPlan,
};
use review_types::{BlockCode, Hash, Timestamp, milliseconds};

use self::op::outcome;
pub(crate) use self::op::{RunChanges, RunDone, RunNotice, RunOp, RunOut, StageChanges};
pub(crate) use self::resume::Found;
pub use self::resume::{Destination, ResumeRequest};
use crate::run::ArtifactTexts;
use crate::settings::{Stages, call_budget};

/// The machine of a run.
pub(crate) struct RunMachine {
    started: RunStarted,
    stages: Stages,
    options: TaskOptions,
    review: ReviewMachine,
    /// How the review ended, if it did.
    reviewed: Option<ReviewDone>,
    tasks: Option<TaskMachine>,
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
    pub(crate) fn new(
        started: RunStarted,
        review: ReviewMachine,
        stages: Stages,
        options: TaskOptions,
    ) -> Self {
        Self {
            started,
            stages,
            options,
            review,
            reviewed: None,
            tasks: None,
            planning: None,
            finished: None,
            notices: Vec::new(),
        }
    }

    /// The tasks that it runs, once it has planned them.
    pub(crate) fn planned_tasks(&self) -> &[PlannedTask] {
        self.tasks
            .as_ref()
            .map_or(&[], |tasks| tasks.plan().tasks())
    }

    /// The versions that the artifact had so far.
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
        match self.stages {
            Stages::ReviewThenTasks if has_passed => self.plan(),
            Stages::ReviewAndTasks => self.plan(),
            Stages::ReviewThenTasks | Stages::Review | Stages::Tasks => self.end(None),
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
                    ..TaskChanges::default()
                },
                at,
            }),
            Some(plan) => {
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
        let base = self.review.base();
        base.filter(|_| self.stages != Stages::Tasks)
            .map(|base| base.artifact)
    }

    fn on_resumed(&mut self, resume: u32, changes: RunChanges, at: Timestamp) -> Asked {
        self.finished = None;
        self.options.resume = resume;
        let (limits, of_review) = (changes.calls().unwrap_or_default(), changes.of_review());
        let max_time_ms = changes.max_time().map(milliseconds);
        let calls = call_budget(&changes.config);
        self.options.jobs = changes.config.task.jobs;
        if let Some(lane) = &mut self.options.lane {
            lane.limits = calls;
        }
        if let Some(tasks) = &mut self.tasks {
            tasks.set_limits(changes.config.task.jobs, calls);
        }
        let (artifact_changed, max_iterations) = match &changes.stage {
            StageChanges::Review { base, .. } => {
                (base.is_some(), Some(self.review.allowed_after(&of_review)))
            }
            StageChanges::Tasks(changes) => (self.are_other_tasks(changes), None),
        };
        self.notices.push(RunNotice::Resumed(RunResumed {
            resume,
            artifact_changed,
            max_calls: limits.max_calls,
            max_tokens: limits.max_tokens,
            max_cost: limits.max_cost,
            max_time_ms,
            max_iterations,
        }));
        match changes.stage {
            StageChanges::Review { .. } => self.review(Input::Resumed {
                resume,
                changes: of_review,
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
                match self.stages {
                    Stages::Tasks => self.plan(),
                    Stages::Review | Stages::ReviewThenTasks | Stages::ReviewAndTasks => {
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
