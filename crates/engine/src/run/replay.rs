//! Runs that are reported again.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use review::events::{Envelope, RunEvent, RunFinished, RunInput};
use review::machine::Envelopes;
use review::{EventSink, MemorySink};
use review_flow::{
    self as flow, Clock, ContentStore, DriveError, Executed, Executor, LogError, Machine,
    MemoryBlobs, MemoryJournal, RunLog, RunRecord, Step, Stop,
};
use review_store::{RunDir, StateDir};
use review_tasks::PlannedTask;
use review_types::{Outcome, RunId, Timestamp};

use super::diff::ArtifactTexts;
use super::opened::machine;
use super::stored::Stored;
use crate::error::EngineError;
use crate::settings::{ReviewTarget, RunSettings};

/// The most runs in which the newest one on a spec is looked for.
const MAX_LOOKED_AT: usize = 5;

/// The journal of a run, read without going on with it.
#[derive(Clone)]
pub struct Replay {
    /// Its first record.
    pub record: RunRecord,
    /// What it is about, from that record.
    pub input: RunInput,
    /// What it was asked to do.
    pub settings: RunSettings,
    /// The folder that it was started in.
    pub cwd: PathBuf,
    /// All its events, and the progress of its steps.
    pub events: Vec<Envelope>,
    /// The tasks that it was to run, where it came to them.
    pub plan: Vec<PlannedTask>,
    /// Its end; `None` when it was cut off or still runs.
    pub finished: Option<RunFinished>,
    /// The versions of the artifact.
    pub(crate) texts: ArtifactTexts,
    /// The contents that its journal names.
    pub(crate) contents: Arc<ContentStore>,
}

impl Replay {
    /// The outcome of the run; `None` when it was cut off or still runs.
    pub fn outcome(&self) -> Option<Outcome> {
        self.finished.as_ref().map(|finished| finished.outcome)
    }
}

/// Replays a run for a report: nothing is carried out.
///
/// # Errors
/// [`EngineError`] when its journal cannot be read.
pub async fn replay(dir: &RunDir) -> Result<Replay, EngineError> {
    let contents = Arc::new(ContentStore::new(Arc::new(dir.state().blobs())));
    let mut journal = MemoryJournal::from_bytes(dir.read_journal()?);
    let mut log = RunLog::<RunEvent>::open(&mut journal, &contents)?;
    let record = log.run().clone();
    let (input, stored) = Stored::of(&record)?;
    let Stored {
        settings,
        base,
        cwd,
    } = stored;
    let sink = Recorded::default();
    let envelopes = Envelopes::new(record.run.clone(), input.unit.clone(), &sink);
    log.emit_to(&envelopes);
    log.emit_replayed();
    let mut machine = machine(&settings, &input, base, record.seed, dir.id())?;
    let clock = StoppedClock(record.at);
    let finished = match flow::run(&mut machine, &NoSteps, &mut log, &clock, None).await {
        Ok(done) => Some(done.finished),
        Err(DriveError::Interrupted) => None,
        Err(DriveError::Log(error @ LogError::AnotherVersion { .. })) => {
            return Err(EngineError::AnotherVersion {
                run: record.run,
                version: record.version,
                cause: error.to_string(),
            });
        }
        Err(error) => return Err(EngineError::of_drive(dir.id(), error)),
    };
    Ok(Replay {
        record,
        input,
        settings,
        cwd,
        events: sink.0.events(),
        plan: machine.planned_tasks().to_vec(),
        finished,
        texts: machine.artifact_texts(),
        contents: Arc::clone(&contents),
    })
}

/// The newest run on the same spec, among the last few, if it was interrupted.
///
/// # Errors
/// [`EngineError`] when the runs or its journal cannot be read.
pub async fn interrupted_before(
    state: &StateDir,
    target: &ReviewTarget,
) -> Result<Option<RunId>, EngineError> {
    for dir in state.runs()?.into_iter().take(MAX_LOOKED_AT) {
        if spec_of(&dir).as_deref() != Some(target.spec()) {
            continue;
        }
        let is_cut_off = replay(&dir).await?.finished.is_none() && !dir.is_live();
        return Ok(is_cut_off.then(|| dir.id().clone()));
    }
    Ok(None)
}

/// The spec of a run by the first line of its journal.
pub(super) fn spec_of(dir: &RunDir) -> Option<String> {
    let mut first = Vec::new();
    let file = review_store::open_file(&dir.journal_path()).ok()?;
    BufReader::new(file).read_until(b'\n', &mut first).ok()?;
    let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
    let mut journal = MemoryJournal::from_bytes(first);
    let log = RunLog::<RunEvent>::open(&mut journal, &texts).ok()?;
    let (input, _) = Stored::of(log.run()).ok()?;
    Some(input.spec)
}

/// Collects the events of a run, and the progress of its steps.
#[derive(Default)]
struct Recorded(MemorySink);

impl EventSink for Recorded {
    fn emit(&self, event: &Envelope) {
        self.0.emit(event);
    }

    fn progress(&self, event: &Envelope) {
        self.0.emit(event);
    }
}

/// Carries out nothing: a replay ends where the journal does.
struct NoSteps;

impl<M: Machine> Executor<M> for NoSteps {
    async fn exec(&self, _: Step, _: M::Op, _: &ContentStore) -> Result<Executed<M::Out>, Stop> {
        Err(Stop::Interrupted)
    }
}

/// Shows the time at which the run began: a replay ends no pause.
struct StoppedClock(Timestamp);

#[async_trait::async_trait]
impl Clock for StoppedClock {
    fn now(&self) -> Timestamp {
        self.0
    }

    async fn sleep(&self, _: Duration) -> Result<(), Stop> {
        Err(Stop::Interrupted)
    }
}
