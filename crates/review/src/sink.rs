//! Who receives the events of a run.

use std::sync::{Mutex, PoisonError};

use review_events::{Envelope, Event, RunEnded, RunEvent, StepFinished, StepStarted};
use review_flow::{Numbered, Progress, Sink, Stop};
use review_types::{RunId, Timestamp, UnitId};

/// Receives the events of a run, each after the journal record before it is
/// durable. Delivery is at least once.
///
/// A sink has no say in the run: one that fails keeps its error to itself and
/// reports it when the run is over.
pub trait EventSink: Send + Sync {
    /// Takes one event.
    fn emit(&self, event: &Envelope);

    /// Takes an event that an earlier process emitted, while its run is replayed
    /// to go on with it.
    fn recall(&self, _event: &Envelope) {}

    /// Takes an event that no journal holds: what happens while a step is carried
    /// out. It has no number, and a replay does not repeat it.
    fn progress(&self, _event: &Envelope) {}
}

/// Drops every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSink;

impl EventSink for NoSink {
    fn emit(&self, _event: &Envelope) {}
}

/// Keeps every event.
#[derive(Debug, Default)]
pub struct MemorySink(Mutex<Vec<Envelope>>);

impl MemorySink {
    /// The events so far, in the order of their delivery.
    #[must_use]
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

/// Addresses the events of one run to a sink.
pub struct Envelopes<'a> {
    run: RunId,
    unit: Option<UnitId>,
    sink: &'a dyn EventSink,
}

impl<'a> Envelopes<'a> {
    /// The events of `run`, which is about `unit`, for `sink`.
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
            Progress::StepFinished { step, at, took_ms } => {
                let event = Event::StepFinished(StepFinished {
                    step: step.to_string(),
                    took_ms: *took_ms,
                });
                self.sink.progress(&self.envelope(None, *at, event.into()));
            }
            Progress::Stopped { stop, at } => {
                let ended = RunEnded {
                    reason: stop.to_string(),
                };
                let event = match stop {
                    Stop::Interrupted => Event::RunInterrupted(ended),
                    Stop::Broken(_) => Event::RunBroken(ended),
                };
                self.sink.emit(&self.envelope(None, *at, event.into()));
            }
        }
    }
}
