//! Who is told what happens.

use std::sync::{Mutex, PoisonError};

use review_events::Envelope;

/// Receives the events of a run, each after the journal record before it is
/// durable. Delivery is at least once.
///
/// A sink has no say in the run: one that fails keeps its error to itself and
/// reports it when the run is over.
pub trait EventSink: Send + Sync {
    /// Takes one event.
    fn emit(&self, event: &Envelope);

    /// Takes an event that an earlier process told, while its run is replayed to
    /// go on with it.
    fn recall(&self, _event: &Envelope) {}
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
