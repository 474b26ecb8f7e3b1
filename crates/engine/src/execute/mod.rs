//! Carries out what the machine of a run asks for.

mod records;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use review::machine::{ReviewMachine, ReviewOp, ReviewOut};
use review::{Artifact as _, LimitReached, Snapshot};
use review_agents::{AgentContext, Interruption};
use review_flow::{Clock, ContentStore, Executed, Executor, Step, Stop};
use review_tasks::{LaneOp, LaneOut, TaskExecutor, TaskOp, TaskOut};
use review_types::{AgentError, Failure, Hash, Timestamp};
use tokio::time::Instant;

use crate::error::halted;
use crate::lane::LaneExecutor;
use crate::machine::{RunMachine, RunOp, RunOut};
use crate::run::Opened;

pub(crate) use records::GuardedRecords;

/// Carries out the steps of a run as long as it goes on: a signal of the system
/// stops it, the end of its time is an outcome.
pub(crate) struct RunExecutor<'a, R> {
    pub(crate) run: &'a Opened<'a>,
    /// Carries out the steps of the review.
    pub(crate) review: R,
    /// Carries out those of tasks, where the run is about a unit.
    pub(crate) tasks: Option<TaskExecutor>,
    /// Carries out those of tasks that agents implement.
    pub(crate) lane: Option<LaneExecutor<'a>>,
    /// Who calls agents.
    pub(crate) context: Arc<AgentContext>,
    /// What a gate would believe, and no agent may write.
    pub(crate) records: Mutex<GuardedRecords>,
    /// The artifact that the first task found, where none was reviewed.
    pub(crate) found: OnceLock<Hash>,
}

impl<R: Executor<ReviewMachine>> Executor<RunMachine> for RunExecutor<'_, R> {
    async fn exec(
        &self,
        step: Step,
        op: RunOp,
        texts: &ContentStore,
    ) -> Result<Executed<RunOut>, Stop> {
        match op {
            RunOp::Review(op) => {
                let executed = self.review(step, *op, texts).await?;
                Ok(executed.map(RunOut::Review))
            }
            RunOp::Plan { base } => {
                let plan = self.run.plan(base, texts)?;
                Ok(Executed::local(RunOut::Plan(plan)))
            }
            RunOp::Task { op, reviewed } => {
                let executed = self.task(step, op, reviewed, texts).await?;
                Ok(executed.map(RunOut::Task))
            }
        }
    }

    fn left(&self, op: &RunOp, texts: &ContentStore) -> Result<Option<Hash>, Stop> {
        match op {
            RunOp::Review(op) => self.review.left(op, texts),
            RunOp::Plan { .. } | RunOp::Task { .. } => Ok(None),
        }
    }
}

impl<R: Executor<ReviewMachine>> RunExecutor<'_, R> {
    fn records(&self) -> MutexGuard<'_, GuardedRecords> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn interrupted(&self) -> Result<Option<Executed<ReviewOut>>, Stop> {
        match self.context.interruption() {
            Some(Interruption::Stopped) => Err(Stop::Interrupted),
            Some(Interruption::RunTime) => {
                Ok(Some(Executed::local(ReviewOut::Cut(LimitReached::RunTime))))
            }
            None => Ok(None),
        }
    }

    async fn review(
        &self,
        step: Step,
        op: ReviewOp,
        texts: &ContentStore,
    ) -> Result<Executed<ReviewOut>, Stop> {
        // The end of the run's time is why the best artifact is put back.
        let puts_back = matches!(op, ReviewOp::Restore(_));
        if let Some(cut) = self.interrupted()?.filter(|_| !puts_back) {
            return Ok(cut);
        }
        let called = Called::of(&op);
        if called.is_some() {
            self.records().look().map_err(halted)?;
        }
        let executed = self.review.exec(step, op, texts).await?;
        if let Some(called) = called {
            let forged = self.records().restore().map_err(halted)?;
            if !forged.is_empty() {
                return Ok(called.forged(&forged, executed));
            }
        }
        match &executed.out {
            ReviewOut::Failed(_) => Ok(self.interrupted()?.unwrap_or(executed)),
            _ => Ok(executed),
        }
    }

    /// Carries out a step of a task as long as the artifact is the one that was
    /// reviewed, or without a review the one that the first task found.
    async fn task(
        &self,
        step: Step,
        op: TaskOp,
        reviewed: Option<Hash>,
        texts: &ContentStore,
    ) -> Result<Executed<TaskOut>, Stop> {
        let Some(tasks) = &self.tasks else {
            return Err(Stop::Broken("a run without a unit has no tasks".to_owned()));
        };
        let op = match op {
            TaskOp::Lane(op) => return self.lane(step, *op, texts).await,
            op => op,
        };
        if let TaskOp::Status { .. } = op {
            return tasks.exec(step, op, texts).await;
        }
        let before = self.artifact()?;
        let expected = reviewed.unwrap_or_else(|| *self.found.get_or_init(|| before.hash));
        if before.hash != expected {
            let files = "it is not the one that was reviewed".to_owned();
            return Ok(Executed::local(TaskOut::Changed { files, ran: None }));
        }
        let executed = tasks.exec(step, op, texts).await?;
        let now = self.artifact()?;
        if now.hash == expected {
            return Ok(executed);
        }
        let files = now.manifest.describe_difference(&before.manifest);
        Ok(executed.map(|out| match out {
            TaskOut::Cut(cut) => TaskOut::Cut(cut),
            TaskOut::Ran(ran) if !ran.cached => TaskOut::Changed {
                files,
                ran: Some(ran),
            },
            _ => TaskOut::Changed { files, ran: None },
        }))
    }

    /// Carries out a step on the lane. What it leads to is in checkouts of its own, so
    /// the user's artifact may change in the meantime.
    async fn lane(
        &self,
        step: Step,
        op: LaneOp,
        texts: &ContentStore,
    ) -> Result<Executed<TaskOut>, Stop> {
        let Some(lane) = &self.lane else {
            return Err(Stop::Broken("the run has no implementer".to_owned()));
        };
        let called = match &op {
            LaneOp::Review { op, .. } => {
                Called::of(op).filter(|called| *called == Called::Reviewer)
            }
            _ => None,
        };
        let calls_agent = matches!(op, LaneOp::Work { .. }) || called.is_some();
        if calls_agent {
            self.records().look().map_err(halted)?;
        }
        let executed = Box::pin(lane.exec(step, op, texts)).await?;
        if calls_agent {
            let forged = self.records().restore().map_err(halted)?;
            if let Some(called) = called.filter(|_| !forged.is_empty()) {
                let out = called.forged(&forged, executed);
                return Ok(out.map(|out| TaskOut::Lane(LaneOut::Reviewed(Box::new(out)))));
            }
            for path in forged {
                tracing::warn!(
                    "the implementer wrote the record {}; it was restored",
                    path.display()
                );
            }
        }
        Ok(executed.map(TaskOut::Lane))
    }

    fn artifact(&self) -> Result<Snapshot, Stop> {
        self.run.artifact.snapshot(None).map_err(unreadable)
    }
}

fn unreadable(error: impl std::fmt::Display) -> Stop {
    Stop::Broken(format!("the artifact cannot be read: {error}"))
}

/// A clock whose pauses end with the time of the run; the step after such a
/// pause is then cut.
pub(crate) struct RunClock<'a> {
    pub(crate) inner: &'a dyn Clock,
    pub(crate) deadline: Option<Instant>,
}

#[async_trait]
impl Clock for RunClock<'_> {
    fn now(&self) -> Timestamp {
        self.inner.now()
    }

    async fn sleep(&self, duration: Duration) -> Result<(), Stop> {
        let left = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        self.inner
            .sleep(left.map_or(duration, |left| duration.min(left)))
            .await
    }
}

/// Who is called by a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Called {
    Reviewer,
    Applier,
}

impl Called {
    fn of(op: &ReviewOp) -> Option<Self> {
        match op {
            ReviewOp::Review(_) => Some(Self::Reviewer),
            ReviewOp::Apply(_) => Some(Self::Applier),
            ReviewOp::Inbox(_) | ReviewOp::Ledger(_) | ReviewOp::Restore(_) => None,
        }
    }

    /// The result of a call that wrote records, which were restored.
    fn forged<Out>(self, records: &[PathBuf], executed: Executed<Out>) -> Executed<ReviewOut> {
        let paths: Vec<_> = records
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let out = match self {
            Self::Reviewer => {
                let message = format!(
                    "the reviewer may only read, and wrote records: {}; they were restored",
                    paths.join(", ")
                );
                ReviewOut::Failed(AgentError::new(Failure::WroteFiles { paths }, message))
            }
            Self::Applier => ReviewOut::OutOfScope {
                paths: Vec::new(),
                put_back: paths,
            },
        };
        executed.map(|_| out)
    }
}
