//! The journal of one run as the driver uses it: replayed first, then appended.

use std::collections::VecDeque;
use std::time::Duration;
use std::{fmt, io};

use review_events::{
    Begin, Body, End, EndReason, Envelope, Event, JournalError, MachineName, Record, Resumed,
    RunRecord, StepResult, Wait, Waited,
};
use review_types::{Hash, Timestamp};
use serde::Serialize;

use super::machine::{Executed, Stamped, StepName, Wire};
use super::{EventSink, Journal, MissingText, Texts};

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// It cannot be read or written.
    #[error("the journal cannot be {action}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// A line of it is no record.
    #[error(transparent)]
    Format(#[from] JournalError),
    /// It does not begin with a run.
    #[error("the journal does not begin with a run; nothing was recorded")]
    NoRun,
    /// It belongs to a program that takes other steps.
    #[error(
        "journal of another version: step {expected} was expected, found {found}; use the ralph that wrote it"
    )]
    AnotherVersion {
        /// The step that this program takes.
        expected: String,
        /// What the journal says.
        found: String,
    },
    /// A value has no JSON form, or a recorded one does not fit this program.
    #[error("step {step}: {message}")]
    Value {
        /// The step.
        step: String,
        /// What does not fit.
        message: String,
    },
    /// A text that an event needs is gone.
    #[error(transparent)]
    Text(#[from] MissingText),
}

/// The journal of one run, with its texts and the one who is told.
pub struct RunLog<'a> {
    journal: &'a mut dyn Journal,
    texts: &'a Texts,
    sink: &'a dyn EventSink,
    run: RunRecord,
    replay: VecDeque<Body>,
    next_n: u64,
    next_seq: u64,
    begins: u32,
    /// Whether a signal stopped the last attempt of the present step.
    was_stopped: bool,
    /// What each attempt of the present step found of the one before.
    found: Vec<Option<Hash>>,
    resumes: u32,
    spent: Duration,
    last_at: Timestamp,
    is_live: bool,
    tells_replayed: bool,
    unsynced: Vec<u8>,
    untold: Vec<Envelope>,
}

impl<'a> RunLog<'a> {
    /// Starts the journal of a new run. The record is written with the first
    /// step, together with the texts put so far.
    ///
    /// # Errors
    /// When a text could not be stored.
    pub fn create(
        journal: &'a mut dyn Journal,
        texts: &'a Texts,
        sink: &'a dyn EventSink,
        mut run: RunRecord,
    ) -> Result<Self, LogError> {
        run.texts = texts.flush().map_err(write_error)?;
        let mut log = Self::new(journal, texts, sink, run.clone());
        log.push(Body::Run(Box::new(run)))?;
        Ok(log)
    }

    /// Opens the journal of an earlier run; its records are replayed before
    /// anything is carried out, and their texts are there at once. A torn last
    /// line is cut off.
    ///
    /// # Errors
    /// When it cannot be read or is no journal of this format.
    pub fn open(
        journal: &'a mut dyn Journal,
        texts: &'a Texts,
        sink: &'a dyn EventSink,
    ) -> Result<Self, LogError> {
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
        let mut spent = Duration::ZERO;
        for body in &bodies {
            match body {
                Body::Result(result) => {
                    texts.load(&result.texts);
                    spent += Duration::from_millis(result.took_ms);
                }
                Body::Resumed(resumed) => texts.load(&resumed.texts),
                Body::Begin(begin) => texts.load(&begin.texts),
                Body::Run(_) | Body::Wait(_) | Body::Waited(_) | Body::End(_) => {}
            }
        }
        let mut log = Self::new(journal, texts, sink, *run);
        log.next_n = next_n;
        log.spent = spent;
        log.replay = bodies;
        Ok(log)
    }

    fn new(
        journal: &'a mut dyn Journal,
        texts: &'a Texts,
        sink: &'a dyn EventSink,
        run: RunRecord,
    ) -> Self {
        Self {
            journal,
            texts,
            sink,
            replay: VecDeque::new(),
            next_n: 0,
            next_seq: 0,
            begins: 0,
            was_stopped: false,
            found: Vec::new(),
            resumes: 0,
            spent: Duration::ZERO,
            last_at: run.at,
            is_live: false,
            tells_replayed: false,
            unsynced: Vec::new(),
            untold: Vec::new(),
            run,
        }
    }

    /// Tells replayed events too, instead of only those after the last record.
    pub fn tell_replayed(&mut self) {
        self.tells_replayed = true;
    }

    /// The first record.
    #[must_use]
    pub fn run(&self) -> &RunRecord {
        &self.run
    }

    /// The texts of the run.
    #[must_use]
    pub fn texts(&self) -> &'a Texts {
        self.texts
    }

    /// Whether records are left to replay.
    #[must_use]
    pub fn is_replaying(&self) -> bool {
        !self.replay.is_empty()
    }

    /// Whether this process added anything to the run.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.is_live
    }

    /// When the last thing on record happened.
    #[must_use]
    pub fn last_at(&self) -> Timestamp {
        self.last_at
    }

    /// The time that all steps on record took.
    #[must_use]
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// How often the run was resumed so far.
    #[must_use]
    pub fn resumes(&self) -> u32 {
        self.resumes
    }

    /// Queues an event that happened at `at`; it is told when the record
    /// before it is durable.
    pub fn tell(&mut self, event: Event, task: Option<String>, at: Timestamp) {
        let seq = self.next_seq;
        self.next_seq += 1;
        self.untold.push(Envelope {
            run: self.run.run.clone(),
            seq: Some(seq),
            timestamp: at,
            unit: self.run.unit.clone(),
            task,
            event,
        });
    }

    /// Tells an event that belongs to no record, at once and without a number.
    pub fn tell_ephemeral(&self, event: Event, at: Timestamp) {
        self.sink.emit(&Envelope {
            run: self.run.run.clone(),
            seq: None,
            timestamp: at,
            unit: self.run.unit.clone(),
            task: None,
            event,
        });
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
        self.told_in_replay();
        self.resumes += 1;
        self.last_at = resumed.at;
        Some(resumed)
    }

    /// Records that the run goes on.
    ///
    /// # Errors
    /// When the changes have no JSON form or a text could not be stored.
    pub fn resume(
        &mut self,
        machine: MachineName,
        changes: &impl Serialize,
        at: Timestamp,
    ) -> Result<Resumed, LogError> {
        let resumed = Resumed {
            machine,
            changes: to_value("resume", changes)?,
            at,
            texts: self.texts.flush().map_err(write_error)?,
        };
        self.told_before();
        self.push(Body::Resumed(resumed.clone()))?;
        self.resumes += 1;
        self.last_at = at;
        Ok(resumed)
    }

    /// Makes everything so far durable and tells what was queued.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn sync(&mut self) -> Result<(), LogError> {
        if !self.unsynced.is_empty() {
            let lines = std::mem::take(&mut self.unsynced);
            self.journal.append(&lines).map_err(write_error)?;
        }
        for event in self.untold.drain(..) {
            self.sink.emit(&event);
        }
        Ok(())
    }

    /// Records that the process ends before the run.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub(super) fn end(
        &mut self,
        reason: EndReason,
        message: String,
        at: Timestamp,
    ) -> Result<(), LogError> {
        self.push(Body::End(End {
            reason,
            message,
            at,
        }))?;
        self.sync()
    }

    /// The recorded result of a step, if the journal has it.
    pub(super) fn replayed<Out: Wire>(
        &mut self,
        name: &StepName,
        key: Hash,
    ) -> Result<Option<Stamped<Out>>, LogError> {
        self.begins = 0;
        self.was_stopped = false;
        self.found.clear();
        while let Some(body) = self.replay.pop_front() {
            match body {
                Body::Begin(begin) if begin.step == name.as_str() && begin.key == key => {
                    self.begins = begin.attempt;
                    self.was_stopped = false;
                    self.found.push(begin.found);
                }
                Body::End(end) => {
                    self.was_stopped = end.reason == EndReason::Interrupted;
                }
                Body::Result(result) if result.step == name.as_str() => {
                    if self.begins > 0 {
                        self.told_in_replay();
                    }
                    return self.stamped(*result).map(Some);
                }
                other => return Err(another_version(name, &other)),
            }
        }
        Ok(None)
    }

    fn stamped<Out: Wire>(&mut self, result: StepResult) -> Result<Stamped<Out>, LogError> {
        self.last_at = result.at;
        Ok(Stamped {
            out: serde_json::from_value(result.out).map_err(|error| LogError::Value {
                step: result.step,
                message: format!("its recorded result does not fit: {error}"),
            })?,
            at: result.at,
            took_ms: result.took_ms,
            usage: result.usage,
            by: result.by,
            session: result.session,
            undone: self.undone(result.undone),
        })
    }

    /// What was undone in the present step: by earlier attempts what they had
    /// found, and by the last what its result names.
    fn undone(&mut self, by_last: Vec<Hash>) -> Vec<Hash> {
        self.found.pop();
        let earlier = std::mem::take(&mut self.found).into_iter().flatten();
        let mut undone: Vec<_> = earlier.chain(by_last).collect();
        undone.dedup();
        undone
    }

    /// What was queued before the step or pause whose end this is had been told
    /// when it began. The result of a local step shows nothing: it is written
    /// with what comes after it.
    fn told_in_replay(&mut self) {
        if self.tells_replayed {
            for event in self.untold.drain(..) {
                self.sink.emit(&event);
            }
        } else {
            self.told_before();
        }
    }

    fn told_before(&mut self) {
        for event in self.untold.drain(..) {
            self.sink.recall(&event);
        }
    }

    /// How often the present step was begun and cut off.
    pub(super) fn cut_off(&self) -> u32 {
        self.begins
    }

    /// Whether a signal stopped the last attempt of the present step, which then
    /// undid what it had done.
    pub(super) fn was_stopped(&self) -> bool {
        self.begins > 0 && self.was_stopped
    }

    /// Records that a step begins, makes it durable, and returns its attempt.
    /// What the attempt before left is found before anything of it is undone.
    pub(super) fn begin(
        &mut self,
        name: &StepName,
        key: Hash,
        base: Option<Hash>,
        found: Option<Hash>,
        at: Timestamp,
    ) -> Result<u32, LogError> {
        let attempt = self.begins.saturating_add(1);
        self.push(Body::Begin(Begin {
            step: name.as_str().to_owned(),
            key,
            attempt,
            base,
            found,
            at,
            texts: match found {
                Some(_) => self.texts.flush().map_err(write_error)?,
                None => Vec::new(),
            },
        }))?;
        self.sync()?;
        self.found.push(found);
        Ok(attempt)
    }

    /// Records the result of a step; it becomes durable with the next begin.
    pub(super) fn result<Out: Wire>(
        &mut self,
        name: &StepName,
        executed: Executed<Out>,
        began: Timestamp,
        at: Timestamp,
    ) -> Result<Stamped<Out>, LogError> {
        let took = at.since(began);
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let result = StepResult {
            step: name.as_str().to_owned(),
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
        self.spent += took;
        self.last_at = at;
        Ok(Stamped {
            out: result.out,
            at,
            took_ms,
            usage: result.usage,
            by: result.by,
            session: result.session,
            undone: self.undone(result.undone),
        })
    }

    /// The recorded end of a pause: when it is over, and whether it was.
    pub(super) fn replayed_wait(
        &mut self,
        name: &StepName,
    ) -> Result<Option<(Timestamp, Option<Timestamp>)>, LogError> {
        let mut until = None;
        while let Some(body) = self.replay.pop_front() {
            match body {
                Body::Wait(wait) if wait.step == name.as_str() => until = Some(wait.until),
                Body::End(_) => {}
                Body::Waited(waited) if waited.step == name.as_str() => {
                    self.told_in_replay();
                    return Ok(until.map(|until| (until, Some(waited.at))));
                }
                other => return Err(another_version(name, &other)),
            }
        }
        Ok(until.map(|until| (until, None)))
    }

    /// Records a pause and makes it durable.
    pub(super) fn wait(&mut self, name: &StepName, until: Timestamp) -> Result<(), LogError> {
        self.push(Body::Wait(Wait {
            step: name.as_str().to_owned(),
            until,
        }))?;
        self.sync()
    }

    /// Records the end of a pause.
    pub(super) fn waited(&mut self, name: &StepName, at: Timestamp) -> Result<(), LogError> {
        self.push(Body::Waited(Waited {
            step: name.as_str().to_owned(),
            at,
        }))
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

fn another_version(expected: &StepName, found: &Body) -> LogError {
    let found = match found {
        Body::Run(_) => "a second run".to_owned(),
        Body::Begin(begin) => format!("the begin of {}", begin.step),
        Body::Result(result) => format!("the result of {}", result.step),
        Body::Wait(wait) => format!("the pause {}", wait.step),
        Body::Waited(waited) => format!("the end of the pause {}", waited.step),
        Body::Resumed(_) => "a resume".to_owned(),
        Body::End(_) => "the end of a process".to_owned(),
    };
    LogError::AnotherVersion {
        expected: expected.to_string(),
        found,
    }
}
