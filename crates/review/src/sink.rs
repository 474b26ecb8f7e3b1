//! Receivers of the events of a run.

use std::sync::{Mutex, PoisonError};

use review_events::{Envelope, Event, RunEnded, RunEvent, StepFinished, StepStarted};
use review_flow::{Numbered, Progress, Sink};
use review_types::{RunId, Timestamp, UnitId};

/// Receives the events of a run. Each event is delivered at least once, after the
/// journal record before it is durable.
///
/// A sink cannot stop the run: one that fails keeps its error and reports it when
/// the run is over.
pub trait EventSink: Send + Sync {
    /// Receives one event.
    fn emit(&self, event: &Envelope);

    /// Receives an event that an earlier process emitted, while its run is replayed
    /// for a resume.
    fn recall(&self, _event: &Envelope) {}

    /// Receives the progress of a step. It has no number; a replay for a report repeats
    /// that a step started and ended, and nothing else of it.
    fn progress(&self, _event: &Envelope) {}
}

/// Discards every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSink;

impl EventSink for NoSink {
    fn emit(&self, _event: &Envelope) {}
}

/// Collects every event.
#[derive(Debug, Default)]
pub struct MemorySink(Mutex<Vec<Envelope>>);

impl MemorySink {
    /// Returns the events so far, in the order of their delivery.
    pub fn events(&self) -> Vec<Envelope> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl EventSink for MemorySink {
    fn emit(&self, event: &Envelope) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(event.clone());
    }
}

/// Wraps the events of one run for a sink.
pub struct Envelopes<'a> {
    run: RunId,
    unit: Option<UnitId>,
    sink: &'a dyn EventSink,
}

impl<'a> Envelopes<'a> {
    /// Returns a wrapper for the events of `run` about `unit`, for `sink`.
    #[must_use]
    pub fn new(run: RunId, unit: Option<UnitId>, sink: &'a dyn EventSink) -> Self {
        Self { run, unit, sink }
    }

    fn envelope(&self, seq: Option<u64>, timestamp: Timestamp, event: RunEvent) -> Envelope {
        Envelope {
            run: self.run.clone(),
            seq,
            timestamp,
            unit: self.unit.clone(),
            task: event.task.map(|number| match &self.unit {
                Some(unit) => format!("{unit}/{number}"),
                None => number.to_string(),
            }),
            event: event.event,
        }
    }

    /// Delivers an event that a step reports while it runs.
    pub fn live(&self, at: Timestamp, event: RunEvent) {
        self.sink.progress(&self.envelope(None, at, event));
    }

    fn numbered(&self, numbered: Numbered<RunEvent>) -> Envelope {
        self.envelope(Some(numbered.seq), numbered.at, numbered.event)
    }
}

impl Sink<RunEvent> for Envelopes<'_> {
    fn emit(&self, event: Numbered<RunEvent>) {
        self.sink.emit(&self.numbered(event));
    }

    fn recall(&self, event: Numbered<RunEvent>) {
        self.sink.recall(&self.numbered(event));
    }

    fn progress(&self, progress: &Progress) {
        match progress {
            Progress::StepStarted { step, attempt, at } => {
                let event = Event::StepStarted(StepStarted {
                    step: step.to_string(),
                    attempt: *attempt,
                });
                self.sink.progress(&self.envelope(None, *at, event.into()));
            }
            Progress::StepFinished {
                step,
                at,
                took_ms,
                by,
                usage,
            } => {
                let event = Event::StepFinished(StepFinished {
                    step: step.to_string(),
                    took_ms: *took_ms,
                    by: by.clone(),
                    usage: *usage,
                });
                self.sink.progress(&self.envelope(None, *at, event.into()));
            }
            Progress::Stopped { stop, at } => {
                let event = Event::RunInterrupted(RunEnded {
                    reason: stop.to_string(),
                });
                self.sink.emit(&self.envelope(None, *at, event.into()));
            }
        }
    }
}
