//! Runs that are told again.

use std::sync::Arc;
use std::time::Duration;

use review::events::{RunFinished, RunRecord};
use review::{
    BaseState, Clock, DriveError, EventSink, Executed, Executor, Halt, LogError, Machine,
    MemoryJournal, MissingText, RunLog, Step, Texts,
};
use review_store::RunDir;
use review_tasks::TaskPlan;
use review_types::Timestamp;

use super::opened::machine;
use super::plan::recorded_plan;
use super::stored::Stored;
use crate::compose::Composer;
use crate::error::EngineError;
use crate::settings::RunSettings;

/// What the journal of a run says, without going on with it.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Its first record.
    pub record: RunRecord,
    /// What it was asked to do.
    pub settings: RunSettings,
    /// What it became; `None` when it was cut off or still runs.
    pub finished: Option<RunFinished>,
}

/// Replays a run for a report: every event is told to `sink` again.
///
/// # Errors
/// [`EngineError`] when its journal cannot be read.
pub async fn replay(dir: &RunDir, sink: &dyn EventSink) -> Result<Replay, EngineError> {
    let texts = Texts::new(Arc::new(dir.state().blobs()));
    let mut journal = MemoryJournal::from_bytes(dir.read_journal()?);
    let mut log = RunLog::open(&mut journal, &texts, sink)?;
    log.tell_replayed();
    let record = log.run().clone();
    let Stored { settings, base, .. } = Stored::of(&record)?;
    let composer = Composer {
        review: machine(&settings, base, record.seed, dir.id())?,
        review_executor: &Nobody,
        task_executor: &|_, _| Nobody,
        tasks: settings.task_policy(),
        writes_status: settings.apply,
        plan: &|base| plan_for_replay(&settings, base, &texts),
        clock: &StoppedClock(record.at),
    };
    let finished = match composer.run(&mut log, None).await {
        Ok(done) => Some(done.finished),
        Err(DriveError::Interrupted) => None,
        Err(error) => return Err(EngineError::of_drive(dir.id(), error)),
    };
    Ok(Replay {
        record,
        settings,
        finished,
    })
}

/// The tasks for a report. A run that may not touch a file keeps the texts of
/// its task files with their results; before the first there is no plan.
fn plan_for_replay(
    settings: &RunSettings,
    base: Option<BaseState>,
    texts: &Texts,
) -> Result<Option<TaskPlan>, DriveError> {
    match recorded_plan(settings, base, texts) {
        Err(DriveError::Log(LogError::Text(MissingText::Gone(_)))) if !settings.apply => Ok(None),
        plan => plan,
    }
}

/// Carries out nothing: a replay ends where the journal does.
struct Nobody;

impl<M: Machine> Executor<M> for Nobody {
    async fn exec(&self, _: Step, _: M::Op, _: &Texts) -> Result<Executed<M::Out>, Halt> {
        Err(Halt::Interrupted)
    }
}

/// Shows the time at which the run began: a replay ends no pause.
struct StoppedClock(Timestamp);

#[async_trait::async_trait]
impl Clock for StoppedClock {
    fn now(&self) -> Timestamp {
        self.0
    }

    async fn sleep(&self, _: Duration) -> Result<(), Halt> {
        Err(Halt::Interrupted)
    }
}
