//! What holds for a whole run, around the steps of its machines.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use review::{
    Artifact, BaseState, Clock, Cut, Executed, Executor, Halt, ReviewMachine, ReviewOp, ReviewOut,
    Snapshot, Step, Texts,
};
use review_agents::{AgentContext, Interruption};
use review_store::KeptRecords;
use review_tasks::{TaskMachine, TaskOp, TaskOut};
use review_types::{AgentError, Failure, Hash, Timestamp};
use tokio::time::Instant;

use crate::error::halted;

/// Carries out steps as long as the run goes on: a signal halts it, the end of
/// its time is an output.
pub(crate) struct Bounded<E> {
    pub(crate) inner: E,
    pub(crate) context: Arc<AgentContext>,
    /// What a gate would believe, and no agent may write.
    pub(crate) records: Mutex<KeptRecords>,
}

impl<E> Bounded<E> {
    fn records(&self) -> MutexGuard<'_, KeptRecords> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn interrupted(&self) -> Result<Option<Executed<ReviewOut>>, Halt> {
        match self.context.interruption() {
            Some(Interruption::Stopped) => Err(Halt::Interrupted),
            Some(Interruption::RunTime) => Ok(Some(Executed::local(ReviewOut::Cut(Cut::RunTime)))),
            None => Ok(None),
        }
    }
}

impl<E: Executor<ReviewMachine>> Executor<ReviewMachine> for Bounded<E> {
    async fn exec(
        &self,
        step: Step,
        op: ReviewOp,
        texts: &Texts,
    ) -> Result<Executed<ReviewOut>, Halt> {
        // The end of the run's time is why the best artifact is put back.
        let puts_back = matches!(op, ReviewOp::Restore(_));
        if let Some(cut) = self.interrupted()?.filter(|_| !puts_back) {
            return Ok(cut);
        }
        let called = Called::of(&op);
        if called.is_some() {
            self.records().look().map_err(halted)?;
        }
        let executed = self.inner.exec(step, op, texts).await?;
        if let Some(called) = called {
            let forged = self.records().put_back().map_err(halted)?;
            if !forged.is_empty() {
                return Ok(called.forged(&forged, executed));
            }
        }
        if let Some(fault) = self.context.calls.fault() {
            return Err(Halt::Broken(fault));
        }
        match &executed.out {
            ReviewOut::Failed(_) => Ok(self.interrupted()?.unwrap_or(executed)),
            _ => Ok(executed),
        }
    }

    fn left(&self, op: &ReviewOp, texts: &Texts) -> Result<Option<Hash>, Halt> {
        self.inner.left(op, texts)
    }
}

/// Who is called by a step.
#[derive(Clone, Copy)]
enum Called {
    Reviewer,
    Applier,
}

impl Called {
    fn of(op: &ReviewOp) -> Option<Self> {
        match op {
            ReviewOp::Review(_) => Some(Self::Reviewer),
            ReviewOp::Apply(_) => Some(Self::Applier),
            ReviewOp::Inbox(_) | ReviewOp::Join(_) | ReviewOp::Restore(_) => None,
        }
    }

    /// What becomes of a call that wrote records, which were put back.
    fn forged(self, records: &[PathBuf], executed: Executed<ReviewOut>) -> Executed<ReviewOut> {
        let paths: Vec<_> = records
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let out = match self {
            Self::Reviewer => {
                let message = format!(
                    "the reviewer may only read, and wrote records: {}; they were put back",
                    paths.join(", ")
                );
                ReviewOut::Failed(AgentError::new(Failure::ReviewerWrote { paths }, message))
            }
            Self::Applier => ReviewOut::Strayed {
                paths: Vec::new(),
                put_back: paths,
            },
        };
        Executed { out, ..executed }
    }
}

/// A clock whose pauses end with the time of the run; the step after such a
/// pause is then cut.
pub(crate) struct BoundedClock<'a> {
    pub(crate) inner: &'a dyn Clock,
    pub(crate) deadline: Option<Instant>,
    /// Whether pauses take their time.
    pub(crate) pauses: bool,
}

#[async_trait]
impl Clock for BoundedClock<'_> {
    fn now(&self) -> Timestamp {
        self.inner.now()
    }

    async fn sleep(&self, duration: Duration) -> Result<(), Halt> {
        if !self.pauses {
            return Ok(());
        }
        let left = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        self.inner
            .sleep(left.map_or(duration, |left| duration.min(left)))
            .await
    }
}

/// Carries out the steps of tasks as long as the artifact is the one that was
/// reviewed, or without a review the one that the first task met.
pub(crate) struct Guarded<'a, E> {
    inner: E,
    artifact: &'a dyn Artifact,
    reviewed: OnceLock<Hash>,
}

impl<'a, E> Guarded<'a, E> {
    pub(crate) fn new(inner: E, artifact: &'a dyn Artifact, reviewed: Option<BaseState>) -> Self {
        Self {
            inner,
            artifact,
            reviewed: reviewed.map_or_else(OnceLock::new, |base| OnceLock::from(base.artifact)),
        }
    }

    fn look(&self) -> Result<Snapshot, Halt> {
        let now = self.artifact.snapshot(None);
        now.map_err(|error| Halt::Broken(format!("the artifact cannot be read: {error}")))
    }

    /// Whether the artifact is another one than was reviewed, which ends the run.
    fn is_another(&self, now: &Snapshot) -> bool {
        *self.reviewed.get_or_init(|| now.hash) != now.hash
    }
}

impl<E: Executor<TaskMachine>> Executor<TaskMachine> for Guarded<'_, E> {
    async fn exec(&self, step: Step, op: TaskOp, texts: &Texts) -> Result<Executed<TaskOut>, Halt> {
        if let TaskOp::Status { .. } = op {
            return self.inner.exec(step, op, texts).await;
        }
        let before = self.look()?;
        if self.is_another(&before) {
            let found = vec!["it is not the one that was reviewed".to_owned()];
            return Ok(Executed::local(TaskOut::Changed(found.into())));
        }
        let executed = self.inner.exec(step, op, texts).await?;
        let now = self.look()?;
        if !self.is_another(&now) {
            return Ok(executed);
        }
        let files = now.manifest.difference(&before.manifest).into();
        Ok(Executed::local(match executed.out {
            TaskOut::Ran(ran) if !ran.cached => TaskOut::ChangedMeanwhile { files, ran },
            _ => TaskOut::Changed(files),
        }))
    }
}

#[cfg(test)]
mod tests {
    use review::ManualClock;

    use super::*;

    #[tokio::test]
    async fn a_pause_takes_its_time_unless_it_is_played() {
        for (pauses, expected) in [(true, 5), (false, 0)] {
            let inner = ManualClock::default();
            let clock = BoundedClock {
                inner: &inner,
                deadline: None,
                pauses,
            };
            clock.sleep(Duration::from_secs(5)).await.unwrap();
            let slept = clock.now().since(Timestamp::UNIX_EPOCH);
            assert_eq!(slept, Duration::from_secs(expected));
        }
    }
}
