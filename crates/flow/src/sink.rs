//! Who receives what a run reports.

use review_types::Timestamp;

use crate::executor::Stop;
use crate::step::StepName;

/// An event with its place in the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered<E> {
    /// Number within the run, from 0.
    pub seq: u64,
    /// When it happened: the time of the journal record before it.
    pub at: Timestamp,
    /// The event.
    pub event: E,
}

/// What happens while steps are carried out. No journal holds it, and a replay
/// does not repeat it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A step is being carried out.
    StepStarted {
        /// Its name.
        step: StepName,
        /// How often it was started, this time included.
        attempt: u32,
        /// When.
        at: Timestamp,
    },
    /// A step was carried out.
    StepFinished {
        /// Its name.
        step: StepName,
        /// When.
        at: Timestamp,
        /// How long it took, in milliseconds.
        took_ms: u64,
    },
    /// The process stops before its run has ended.
    Stopped {
        /// Why.
        stop: Stop,
        /// When.
        at: Timestamp,
    },
}

/// Receives the events of a run, each after the journal record before it is
/// durable. Delivery is at least once.
///
/// A sink has no say in the run: one that fails keeps its error to itself and
/// reports it when the run is over.
pub trait Sink<E>: Send + Sync {
    /// Takes one event.
    fn emit(&self, event: Numbered<E>);

    /// Takes an event that an earlier process emitted, while its run is replayed
    /// to go on with it.
    fn recall(&self, _event: Numbered<E>) {}

    /// Takes what happens while steps are carried out.
    fn progress(&self, _progress: &Progress) {}
}

/// Drops every event.
pub(crate) struct NoSink;

impl<E> Sink<E> for NoSink {
    fn emit(&self, _event: Numbered<E>) {}
}
