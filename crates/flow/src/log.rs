//! The journal of one run as the driver uses it: replayed first, then appended to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use std::{fmt, io};

use review_types::{Hash, Timestamp, milliseconds};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::content::{ContentStore, MissingContent};
use crate::executor::{Executed, Stop};
use crate::journal::{
    Body, End, EndReason, JournalError, Record, Resumed, RunRecord, SignalRecord, StepResult,
    StepStart, Wait, Waited,
};
use crate::machine::{StepRecord, Wire};
use crate::sink::{NoSink, Numbered, Progress, Sink};
use crate::step::{Step, StepName};
use crate::storage::Journal;

/// An error that makes a journal unusable.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// It cannot be read or written.
    #[error("the journal cannot be {action}: {source}")]
    Io {
        /// The failed action.
        action: &'static str,
        /// The error.
        source: io::Error,
    },
    /// A line is not a valid record.
    #[error(transparent)]
    Format(#[from] JournalError),
    /// It does not start with a run record.
    #[error("the journal does not start with a run record; nothing was recorded")]
    NoRun,
    /// It was written by another version of the program, or with other parts or limits.
    #[error(
        "the journal was written by another version or with other settings: expected {expected}, found {found}"
    )]
    AnotherVersion {
        /// The steps that are open in this program.
        expected: String,
        /// The record in the journal.
        found: String,
    },
    /// A machine opens a step that is already open.
    #[error("step {0} is already open")]
    OpenTwice(StepName),
    /// A value cannot be serialized, or a recorded one does not match this program.
    #[error("step {step}: {message}")]
    Value {
        /// The step.
        step: String,
        /// The error.
        message: String,
    },
    /// Content that an event needs is missing.
    #[error(transparent)]
    Text(#[from] MissingContent),
}

/// The journal of one run, with its content and the sink of its events.
pub struct RunLog<'a, E> {
    journal: &'a mut dyn Journal,
    texts: &'a ContentStore,
    sink: &'a dyn Sink<E>,
    run: RunRecord,
    replay: VecDeque<Body>,
    next_n: u64,
    next_seq: u64,
    resumes: u32,
    spent: BusyTime,
    last_at: Timestamp,
    is_live: bool,
    emits_replayed: bool,
    unsynced: Vec<u8>,
    queue: Vec<Numbered<E>>,
    /// The number of queued events that an earlier process emitted, by the replayed
    /// records.
    emitted: usize,
    /// The steps that were started, by the replayed records.
    started: BTreeSet<StepName>,
}

impl<'a, E> RunLog<'a, E> {
    /// Starts the journal of a new run. The record is written with the first
    /// step, together with the content stored so far.
    ///
    /// # Errors
    /// When content could not be stored.
    pub fn create(
        journal: &'a mut dyn Journal,
        texts: &'a ContentStore,
        mut run: RunRecord,
    ) -> Result<Self, LogError> {
        run.texts = texts.flush().map_err(write_error)?;
        let mut log = Self::new(journal, texts, run.clone());
        log.push(Body::Run(Box::new(run)))?;
        Ok(log)
    }

    /// Opens the journal of an earlier run; its records are replayed before any step
    /// runs, and their content is available at once. An incomplete last line is cut
    /// off.
    ///
    /// # Errors
    /// When it cannot be read or is not a journal of this format.
    pub fn open(journal: &'a mut dyn Journal, texts: &'a ContentStore) -> Result<Self, LogError> {
        let bytes = journal.read().map_err(|source| LogError::Io {
            action: "read",
            source,
        })?;
        let (records, whole) = Record::read_all(&bytes)?;
        if whole < bytes.len() {
            journal.truncate(whole as u64).map_err(write_error)?;
        }
        let next_n = records.len() as u64;
        let mut bodies: VecDeque<_> = records.into_iter().map(|record| record.body).collect();
        let Some(Body::Run(run)) = bodies.pop_front() else {
            return Err(LogError::NoRun);
        };
        texts.load(&run.texts);
        let mut spent = BusyTime::default();
        for body in &bodies {
            match body {
                Body::Result(result) => {
                    texts.load(&result.texts);
                    spent.add(result.at, result.took_ms);
                }
                Body::Resumed(resumed) => texts.load(&resumed.texts),
                Body::Start(start) => texts.load(&start.texts),
                Body::Run(_) | Body::Wait(_) | Body::Waited(_) | Body::Signal(_) | Body::End(_) => {
                }
            }
        }
        let mut log = Self::new(journal, texts, *run);
        log.next_n = next_n;
        log.spent = spent;
        log.replay = bodies;
        Ok(log)
    }

    fn new(journal: &'a mut dyn Journal, texts: &'a ContentStore, run: RunRecord) -> Self {
        Self {
            journal,
            texts,
            sink: &NoSink,
            replay: VecDeque::new(),
            next_n: 0,
            next_seq: 0,
            resumes: 0,
            spent: BusyTime::default(),
            last_at: run.at,
            is_live: false,
            emits_replayed: false,
            unsynced: Vec::new(),
            queue: Vec::new(),
            emitted: 0,
            started: BTreeSet::new(),
            run,
        }
    }

    /// Emits the events of the run to `sink`.
    pub fn emit_to(&mut self, sink: &'a dyn Sink<E>) {
        self.sink = sink;
    }

    /// Emits what is replayed, events and the progress of steps, instead of what happens
    /// after the last record: nothing runs where a run is only read.
    pub fn emit_replayed(&mut self) {
        self.emits_replayed = true;
    }

    /// Returns the first record.
    pub fn run(&self) -> &RunRecord {
        &self.run
    }

    /// Returns the content of the run.
    pub fn texts(&self) -> &'a ContentStore {
        self.texts
    }

    /// Returns whether records are left to replay.
    pub fn is_replaying(&self) -> bool {
        !self.replay.is_empty()
    }

    /// Returns whether this process added anything to the run.
    pub fn is_live(&self) -> bool {
        self.is_live
    }

    /// Returns the time of the last record.
    pub fn last_at(&self) -> Timestamp {
        self.last_at
    }

    /// Returns the time during which any recorded step ran: steps that overlap count
    /// once.
    pub fn spent(&self) -> Duration {
        self.spent.total()
    }

    /// Returns how often the run was resumed so far.
    pub fn resumes(&self) -> u32 {
        self.resumes
    }

    /// Returns the resumes that are left to replay.
    pub fn recorded_resumes(&self) -> impl Iterator<Item = &Resumed> {
        self.replay.iter().filter_map(|body| match body {
            Body::Resumed(resumed) => Some(resumed),
            _ => None,
        })
    }

    /// Queues an event that happened at `at`; it is emitted when the previous record is
    /// durable.
    pub fn queue(&mut self, event: E, at: Timestamp) {
        let seq = self.next_seq;
        self.next_seq += 1;
        self.queue.push(Numbered { seq, at, event });
    }

    /// Reports progress of this process.
    pub(crate) fn progress(&self, progress: &Progress) {
        if !self.emits_replayed {
            self.sink.progress(progress);
        }
    }

    /// Takes the next record if it resumes the run.
    pub fn take_resumed(&mut self) -> Option<Resumed> {
        let is_end = |body: &Body| matches!(body, Body::End(_));
        while self.replay.front().is_some_and(is_end) {
            self.replay.pop_front();
        }
        match self.replay.front() {
            Some(Body::Resumed(_)) => {}
            _ => return None,
        }
        let Some(Body::Resumed(resumed)) = self.replay.pop_front() else {
            return None;
        };
        self.emitted = self.queue.len();
        self.pass_emitted();
        self.resumes += 1;
        self.last_at = resumed.at;
        Some(resumed)
    }

    /// Rejects records after the end of the machine without a resume.
    pub(crate) fn refuse_rest(&self) -> Result<(), LogError> {
        match self.replay.front() {
            None => Ok(()),
            Some(body) => Err(LogError::AnotherVersion {
                expected: "a resume".to_owned(),
                found: body.to_string(),
            }),
        }
    }

    /// Records that the run continues.
    ///
    /// # Errors
    /// When the changes cannot be serialized or content could not be stored.
    pub fn resume(&mut self, changes: &impl Serialize, at: Timestamp) -> Result<Resumed, LogError> {
        let resumed = Resumed {
            changes: to_value("resume", changes)?,
            at,
            texts: self.texts.flush().map_err(write_error)?,
        };
        for event in self.queue.drain(..) {
            self.sink.recall(event);
        }
        self.push(Body::Resumed(resumed.clone()))?;
        self.resumes += 1;
        self.last_at = at;
        Ok(resumed)
    }

    /// Makes everything so far durable and emits the queued events.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn sync(&mut self) -> Result<(), LogError> {
        if !self.unsynced.is_empty() {
            let lines = std::mem::take(&mut self.unsynced);
            self.journal.append(&lines).map_err(write_error)?;
        }
        for event in self.queue.drain(..) {
            self.sink.emit(event);
        }
        self.emitted = 0;
        Ok(())
    }

    /// Records that the process ends before the run, and reports it.
    pub(crate) fn end(&mut self, stop: &Stop, at: Timestamp) -> Result<(), LogError> {
        self.push(Body::End(End {
            reason: match stop {
                Stop::Interrupted => EndReason::Interrupted,
                Stop::Broken(_) => EndReason::Broken,
            },
            message: stop.to_string(),
            at,
        }))?;
        self.sync()?;
        self.progress(&Progress::Stopped {
            stop: stop.clone(),
            at,
        });
        Ok(())
    }

    /// Takes the next record of the journal.
    pub(crate) fn next_recorded(&mut self) -> Option<Body> {
        let body = self.replay.pop_front()?;
        match &body {
            // The events before it were emitted once it was durable, which the
            // next input shows.
            Body::Start(start) => {
                self.emitted = self.queue.len();
                self.started.insert(start.step.clone());
                self.repeat(|| Progress::StepStarted {
                    step: start.step.clone(),
                    attempt: start.attempt,
                    at: start.at,
                });
            }
            Body::Wait(_) => self.emitted = self.queue.len(),
            Body::Result(result) => {
                // While a non-local step was open, everything was emitted.
                let is_reported = self.started.remove(&result.step);
                if is_reported {
                    self.emitted = self.queue.len();
                }
                self.pass_emitted();
                self.last_at = result.at;
                if is_reported {
                    self.repeat(|| Progress::StepFinished {
                        step: result.step.clone(),
                        at: result.at,
                        took_ms: result.took_ms,
                        by: result.by.clone(),
                        usage: result.usage,
                    });
                }
            }
            Body::Waited(_) => {
                self.emitted = self.queue.len();
                self.pass_emitted();
            }
            Body::Signal(_) => self.pass_emitted(),
            Body::End(end) => self.repeat(|| Progress::Stopped {
                stop: match end.reason {
                    EndReason::Interrupted => Stop::Interrupted,
                    EndReason::Broken => Stop::Broken(end.message.clone()),
                },
                at: end.at,
            }),
            Body::Run(_) | Body::Resumed(_) => {}
        }
        Some(body)
    }

    /// Reports recorded progress where what is replayed is emitted, after the events
    /// before it.
    fn repeat(&mut self, progress: impl FnOnce() -> Progress) {
        if self.emits_replayed {
            self.emitted = self.queue.len();
            self.pass_emitted();
            self.sink.progress(&progress());
        }
    }

    /// Passes on the events that an earlier process emitted.
    fn pass_emitted(&mut self) {
        for event in self.queue.drain(..std::mem::take(&mut self.emitted)) {
            if self.emits_replayed {
                self.sink.emit(event);
            } else {
                self.sink.recall(event);
            }
        }
    }

    /// Records that a step is started; it becomes durable with the next sync.
    /// Changes of the previous attempt are recorded before they are undone.
    pub(crate) fn start(
        &mut self,
        step: &Step,
        base: Option<Hash>,
        found: Option<Hash>,
        at: Timestamp,
    ) -> Result<(), LogError> {
        let texts = match found {
            Some(_) => self.texts.flush().map_err(write_error)?,
            None => Vec::new(),
        };
        self.push(Body::Start(StepStart {
            step: step.name.clone(),
            key: step.key,
            attempt: step.attempt,
            base,
            found,
            at,
            texts,
        }))
    }

    /// Records the result of a step; it becomes durable with the next sync.
    pub(crate) fn result<Out: Wire>(
        &mut self,
        name: &StepName,
        executed: Executed<Out>,
        started: Timestamp,
        at: Timestamp,
    ) -> Result<StepRecord<Out>, LogError> {
        let took_ms = milliseconds(at.since(started));
        let result = StepResult {
            step: name.clone(),
            at,
            took_ms,
            usage: executed.usage,
            by: executed.by,
            session: executed.session,
            out: executed.out,
            undone: executed.undone,
            texts: self.texts.flush().map_err(write_error)?,
        };
        let appended = result.append_to(self.next_n, &mut self.unsynced);
        self.pushed(appended, name)?;
        self.spent.add(at, took_ms);
        self.last_at = at;
        Ok(result.into())
    }

    /// Records a pause; it becomes durable with the next sync.
    pub(crate) fn wait(&mut self, name: &StepName, until: Timestamp) -> Result<(), LogError> {
        self.push(Body::Wait(Wait {
            step: name.clone(),
            until,
        }))
    }

    /// Records the end of a pause.
    pub(crate) fn waited(&mut self, name: &StepName, at: Timestamp) -> Result<(), LogError> {
        self.push(Body::Waited(Waited {
            step: name.clone(),
            at,
        }))
    }

    /// Records an external signal.
    pub(crate) fn signal(&mut self, signal: SignalRecord) -> Result<(), LogError> {
        self.push(Body::Signal(signal))
    }

    fn push(&mut self, body: Body) -> Result<(), LogError> {
        let record = Record {
            n: self.next_n,
            body,
        };
        let appended = record.append_to(&mut self.unsynced);
        self.pushed(appended, &format_args!("record {}", record.n))
    }

    /// Counts a record of `what` that was appended.
    fn pushed(
        &mut self,
        appended: serde_json::Result<()>,
        what: &dyn fmt::Display,
    ) -> Result<(), LogError> {
        appended.map_err(|error| LogError::Value {
            step: what.to_string(),
            message: error.to_string(),
        })?;
        self.next_n += 1;
        self.is_live = true;
        Ok(())
    }
}

impl Resumed {
    /// Returns the changes as the machine of the run knows them.
    ///
    /// # Errors
    /// When they are of another version of the program.
    pub fn parsed<Changes: DeserializeOwned>(&self) -> Result<Changes, LogError> {
        Changes::deserialize(&self.changes).map_err(|error| LogError::Value {
            step: "resume".to_owned(),
            message: error.to_string(),
        })
    }
}

/// The time during which anything was done: overlapping intervals count once.
#[derive(Clone, Debug, Default)]
struct BusyTime(BTreeMap<Timestamp, Timestamp>);

impl BusyTime {
    /// Adds the `took_ms` milliseconds before `end`.
    fn add(&mut self, end: Timestamp, took_ms: u64) {
        let (mut start, mut end) = (end.before(Duration::from_millis(took_ms)), end);
        while let Some((&from, &to)) = self.0.range(..=end).next_back()
            && to >= start
        {
            start = start.min(from);
            end = end.max(to);
            self.0.remove(&from);
        }
        self.0.insert(start, end);
    }

    fn total(&self) -> Duration {
        let lengths = self.0.iter().map(|(start, end)| end.since(*start));
        lengths.fold(Duration::ZERO, Duration::saturating_add)
    }
}

fn write_error(source: io::Error) -> LogError {
    LogError::Io {
        action: "written",
        source,
    }
}

fn to_value(step: &str, value: &impl Serialize) -> Result<serde_json::Value, LogError> {
    serde_json::to_value(value).map_err(|error| LogError::Value {
        step: step.to_owned(),
        message: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_in_which_steps_overlap_counts_once() {
        let at = Timestamp::from_unix_ms;
        let steps = [
            (10_i64, 5_u64),
            (20, 3),
            (12, 4),
            (20, 1),
            (17, 9),
            (30, u64::MAX),
        ];
        for (count, total) in [(1, 5), (2, 8), (3, 10), (4, 10), (5, 15)] {
            let mut busy = BusyTime::default();
            for (end, took_ms) in &steps[..count] {
                busy.add(at(*end), *took_ms);
            }
            assert_eq!(busy.total(), Duration::from_millis(total), "{count} steps");
        }
        let mut busy = BusyTime::default();
        for (end, took_ms) in [(30, u64::MAX), (31, u64::MAX), (40, 1)] {
            busy.add(at(end), took_ms);
        }
        assert!(busy.total() > Duration::from_secs(1_000_000));
    }
}
