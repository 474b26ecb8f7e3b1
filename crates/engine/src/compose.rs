//! One run: the review machine, then the task machine, over one journal.

use std::sync::Arc;
use std::time::Duration;

use review::events::{Event, MachineName, RunFinished, RunResumed, RunStarted};
use review::{
    BaseState, Budget, Clock, DriveError, Executor, Heard, Input, LogError, ReviewChanges,
    ReviewDone, ReviewMachine, RunLog, drive,
};
use review_tasks::{TaskChanges, TaskDone, TaskMachine, TaskOptions, TaskPlan};
use review_types::{BlockCode, Hash, ModelId, Outcome};

use crate::settings::CallLimits;

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

/// How a run came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunDone {
    /// How the review ended, if there was one.
    pub(crate) review: Option<ReviewDone>,
    /// How the tasks ended, if they had their turn.
    pub(crate) tasks: Option<TaskDone>,
    /// What the run became.
    pub(crate) finished: RunFinished,
    /// The artifact that the last review is about.
    pub(crate) passed_artifact: Option<Hash>,
    /// Who gave it.
    pub(crate) passed_by: Option<ModelId>,
}

impl RunDone {
    fn new(review: Option<ReviewDone>, tasks: Option<TaskDone>) -> Self {
        let blocked = match (&review, &tasks) {
            (Some(ReviewDone::Blocked { code, reason }), Some(tasks)) => {
                let besides = tasks.blocked.as_ref().map(|blocked| &blocked.reason);
                let besides = besides.map_or_else(String::new, |besides| format!("; {besides}"));
                Some((*code, format!("{reason}{besides}")))
            }
            (Some(ReviewDone::Blocked { code, reason }), None) => Some((*code, reason.clone())),
            (_, Some(tasks)) => tasks
                .blocked
                .as_ref()
                .map(|blocked| (blocked.code, blocked.reason.clone())),
            _ => None,
        };
        let outcome = match (&blocked, &review, &tasks) {
            (Some((code, _)), _, _) => code.outcome(),
            (None, None, tasks) if tasks.as_ref().is_none_or(|done| done.tasks.is_empty()) => {
                Outcome::Nothing
            }
            (None, Some(ReviewDone::Approved { .. }), _) => Outcome::Approved,
            (None, _, _) => Outcome::Passed,
        };
        let (block_code, block_reason) = blocked.unzip();
        Self {
            passed_artifact: None,
            passed_by: None,
            review,
            tasks,
            finished: RunFinished {
                outcome,
                block_code,
                block_reason: block_reason.unwrap_or_default(),
            },
        }
    }

    fn review_passed(&self) -> bool {
        !matches!(self.review, Some(ReviewDone::Blocked { .. }))
    }

    /// Whether a call failed, so that a resume tries it again in any case.
    fn failed(&self) -> bool {
        self.finished.block_code.is_some_and(BlockCode::is_failure)
    }
}

/// What a resume brings to a run that had ended.
pub(crate) struct Resume<'a> {
    /// New limits.
    pub(crate) raised: Raised,
    /// Reads the tasks as they are now.
    pub(crate) plan: &'a (dyn Fn() -> Result<Option<TaskPlan>, DriveError> + Sync),
    /// Reads the artifact as it is now.
    pub(crate) look: &'a (dyn Fn() -> Result<Option<BaseState>, DriveError> + Sync),
    /// How far what persons said reaches, if that is further than was heard.
    pub(crate) listen: &'a (dyn Fn(Heard) -> Option<Heard> + Sync),
}

/// Limits that a resume may raise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Raised {
    /// Rounds of review.
    pub max_iterations: Option<u32>,
    /// Calls of reviewer and applier.
    pub max_calls: Option<u32>,
    /// What calls may consume.
    pub budget: Budget,
    /// Time of the run.
    pub max_time: Option<Duration>,
    /// Time of one call.
    pub call_timeout: Option<Duration>,
    /// Time of one call without a byte of output.
    pub idle_timeout: Option<Duration>,
}

impl Raised {
    fn is_any(self) -> bool {
        self != Self::default()
    }

    /// The limits of a call with what is raised in place.
    pub(crate) fn call(self, limits: CallLimits) -> CallLimits {
        CallLimits {
            wall: self.call_timeout.unwrap_or(limits.wall),
            idle: self.idle_timeout.unwrap_or(limits.idle),
            ..limits
        }
    }
}

/// A run as a sequence of stages.
pub(crate) struct Composer<'a, R, T> {
    /// The loop.
    pub(crate) review: ReviewMachine,
    /// Who carries out its steps.
    pub(crate) review_executor: &'a R,
    /// Makes who carries out the steps of a plan's tasks.
    pub(crate) task_executor: &'a (dyn Fn(Arc<TaskPlan>, Option<BaseState>) -> T + Sync),
    /// When tasks run.
    pub(crate) tasks: TaskPolicy,
    /// Whether statuses of task files are rewritten.
    pub(crate) writes_status: bool,
    /// Reads the plan of the unit from the artifact that the review left.
    pub(crate) plan: &'a (dyn Fn(Option<BaseState>) -> Result<Option<TaskPlan>, DriveError> + Sync),
    /// The time.
    pub(crate) clock: &'a dyn Clock,
}

/// The tasks of a run, with who carries them out.
struct Tasks<T> {
    machine: TaskMachine,
    executor: T,
}

type TaskInput = Input<review_tasks::TaskOut, TaskChanges>;

impl<R, T> Composer<'_, R, T>
where
    R: Executor<ReviewMachine>,
    T: Executor<TaskMachine>,
{
    /// Replays what the journal has, carries out the rest, and with `resume`
    /// goes on from a recorded end.
    pub(crate) async fn run(
        mut self,
        log: &mut RunLog<'_>,
        resume: Option<Resume<'_>>,
    ) -> Result<RunDone, DriveError> {
        let started = RunStarted {
            spec: log.run().spec.clone(),
            root: log.run().root.clone(),
            prompts: log.run().prompts.clone(),
        };
        let at = log.run().at;
        log.tell(Event::RunStarted(started), None, at);
        let mut tasks = None;
        let mut done = match self.tasks {
            TaskPolicy::Only => self.tasks_after(None, log, &mut tasks).await?,
            TaskPolicy::Skip | TaskPolicy::AfterPass | TaskPolicy::KeepGoing => {
                self.reviewed(log, Input::Start { at }, &mut tasks).await?
            }
        };
        let mut resume = resume;
        loop {
            let is_live = log.is_live();
            finish(log, &done);
            let resumed = match log.take_resumed() {
                Some(resumed) => resumed,
                None => {
                    let asked = resume.take().filter(|_| !is_live);
                    let Some(resumed) = self.resume_now(log, &done, asked)? else {
                        log.sync()?;
                        done.passed_artifact = self.review.base().map(|base| base.artifact);
                        let last = self.review.rounds().last();
                        done.passed_by = last.and_then(|round| round.by.clone());
                        return Ok(done);
                    };
                    resumed
                }
            };
            done = self.resumed(log, done, resumed, &mut tasks).await?;
        }
    }

    /// Drives the review, and the tasks if they have their turn.
    async fn reviewed(
        &mut self,
        log: &mut RunLog<'_>,
        first: Input<review::ReviewOut, ReviewChanges>,
        tasks: &mut Option<Tasks<T>>,
    ) -> Result<RunDone, DriveError> {
        let executor = self.review_executor;
        let done = drive(&mut self.review, executor, log, self.clock, first).await?;
        let is_passed = matches!(done, ReviewDone::Passed);
        match self.tasks {
            TaskPolicy::AfterPass if is_passed => self.tasks_after(Some(done), log, tasks).await,
            TaskPolicy::KeepGoing => self.tasks_after(Some(done), log, tasks).await,
            TaskPolicy::AfterPass | TaskPolicy::Skip | TaskPolicy::Only => {
                Ok(RunDone::new(Some(done), None))
            }
        }
    }

    /// Runs the tasks from the start.
    async fn tasks_after(
        &mut self,
        review: Option<ReviewDone>,
        log: &mut RunLog<'_>,
        tasks: &mut Option<Tasks<T>>,
    ) -> Result<RunDone, DriveError> {
        let Some(plan) = (self.plan)(self.review.base())? else {
            return Ok(RunDone::new(review, None));
        };
        let options = TaskOptions {
            writes_status: self.writes_status,
            resume: log.resumes(),
        };
        let plan = Arc::new(plan);
        let anew = tasks.insert(Tasks {
            executor: (self.task_executor)(Arc::clone(&plan), self.review.base()),
            machine: TaskMachine::new(plan, options),
        });
        let first = Input::Start { at: log.last_at() };
        drive_tasks(review, log, self.clock, anew, first).await
    }

    /// Records that an ended run goes on; `None` when there is nothing to do.
    fn resume_now(
        &self,
        log: &mut RunLog<'_>,
        done: &RunDone,
        asked: Option<Resume<'_>>,
    ) -> Result<Option<review::events::Resumed>, DriveError> {
        let Some(resume) = asked else { return Ok(None) };
        let now = (resume.look)()?;
        let known = self.review.base();
        let changed = match (known, now) {
            (Some(known), Some(now)) if known.artifact != now.artifact => Some(now),
            _ => None,
        };
        if matches!(done.finished.outcome, Outcome::Passed | Outcome::Approved) {
            return Ok(None);
        }
        let at = self.clock.now();
        let is_review = changed.is_some() || !done.review_passed();
        if !is_review || self.tasks == TaskPolicy::Only {
            let changes = TaskChanges {
                plan: (resume.plan)()?,
            };
            return Ok(Some(log.resume(MachineName::Task, &changes, at)?));
        }
        let heard = (resume.listen)(self.review.heard());
        let is_new = changed.is_some() || heard.is_some() || resume.raised.is_any();
        if !is_new && !done.failed() {
            return Ok(None);
        }
        let changes = ReviewChanges {
            base: changed,
            heard,
            max_iterations: resume.raised.max_iterations,
            max_calls: resume.raised.max_calls,
            budget: resume.raised.budget,
        };
        Ok(Some(log.resume(MachineName::Review, &changes, at)?))
    }

    /// Goes on as a record says.
    async fn resumed(
        &mut self,
        log: &mut RunLog<'_>,
        done: RunDone,
        resumed: review::events::Resumed,
        tasks: &mut Option<Tasks<T>>,
    ) -> Result<RunDone, DriveError> {
        let (resume, at) = (log.resumes(), resumed.at);
        let told = |artifact_changed| {
            Event::RunResumed(RunResumed {
                resume,
                artifact_changed,
            })
        };
        match resumed.machine {
            MachineName::Review => {
                let changes: ReviewChanges = changes_of(resumed.changes)?;
                log.tell(told(changes.base.is_some()), None, at);
                let first = Input::Resumed {
                    resume,
                    changes,
                    at,
                };
                self.reviewed(log, first, tasks).await
            }
            MachineName::Task => {
                let changes: TaskChanges = changes_of(resumed.changes)?;
                log.tell(told(changes.plan.is_some()), None, at);
                let Some(earlier) = tasks else {
                    return self.tasks_after(done.review, log, tasks).await;
                };
                let plan = changes.plan.clone().map(Arc::new);
                let plan = plan.unwrap_or_else(|| Arc::new(earlier.machine.plan().clone()));
                earlier.executor = (self.task_executor)(plan, self.review.base());
                let first = Input::Resumed {
                    resume,
                    changes,
                    at,
                };
                drive_tasks(done.review, log, self.clock, earlier, first).await
            }
        }
    }
}

async fn drive_tasks<T: Executor<TaskMachine>>(
    review: Option<ReviewDone>,
    log: &mut RunLog<'_>,
    clock: &dyn Clock,
    tasks: &mut Tasks<T>,
    first: TaskInput,
) -> Result<RunDone, DriveError> {
    let done = drive(&mut tasks.machine, &tasks.executor, log, clock, first).await?;
    Ok(RunDone::new(review, Some(done)))
}

fn finish(log: &mut RunLog<'_>, done: &RunDone) {
    let at = log.last_at();
    log.tell(Event::RunFinished(done.finished.clone()), None, at);
}

fn changes_of<T: serde::de::DeserializeOwned>(changes: serde_json::Value) -> Result<T, DriveError> {
    serde_json::from_value(changes).map_err(|error| {
        DriveError::Log(LogError::Value {
            step: "resume".to_owned(),
            message: error.to_string(),
        })
    })
}
