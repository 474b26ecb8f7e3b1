//! Receivers of the events of a run.

use review_types::{ModelId, Timestamp, Usage};

use crate::executor::Stop;
use crate::step::StepName;

/// An event with its position in the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered<E> {
    /// Number within the run, from 0.
    pub seq: u64,
    /// When it happened: the time of the previous journal record.
    pub at: Timestamp,
    /// The event.
    pub event: E,
}

/// Progress of steps: of those that run, and in a replay for a report of those that
/// the journal records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A step started.
    StepStarted {
        /// Its name.
        step: StepName,
        /// How often it was started, including this time.
        attempt: u32,
        /// The time.
        at: Timestamp,
    },
    /// A step finished.
    StepFinished {
        /// Its name.
        step: StepName,
        /// The time.
        at: Timestamp,
        /// How long it took, in milliseconds.
        took_ms: u64,
        /// The model or program that ran it.
        by: Option<ModelId>,
        /// Its usage.
        usage: Option<Usage>,
    },
    /// The process stops before its run has ended.
    Stopped {
        /// The reason.
        stop: Stop,
        /// The time.
        at: Timestamp,
    },
}

/// Receives the events of a run. Each event is delivered at least once, after the
/// journal record before it is durable.
///
/// A sink cannot stop the run: one that fails keeps its error and reports it when
/// the run is over.
pub trait Sink<E>: Send + Sync {
    /// Receives one event.
    fn emit(&self, event: Numbered<E>);

    /// Receives an event that an earlier process emitted, while its run is replayed
    /// for a resume.
    fn recall(&self, _event: Numbered<E>) {}

    /// Receives the progress of running steps.
    fn progress(&self, _progress: &Progress) {}
}

/// Discards every event.
pub(crate) struct NoSink;

impl<E> Sink<E> for NoSink {
    fn emit(&self, _event: Numbered<E>) {}
}
