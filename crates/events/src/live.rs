//! Events that a step reports while it runs.

use std::fmt;
use std::sync::Arc;

use crate::RunEvent;

/// Reports what a step does while it runs, to a receiver that is there or not. No
/// journal holds these events, and only the most recent one of a kind matters.
#[derive(Clone, Default)]
pub struct LiveEvents(Option<Arc<dyn Fn(RunEvent) + Send + Sync>>);

impl LiveEvents {
    /// Returns a reporter whose events `receive` takes.
    #[must_use]
    pub fn new(receive: impl Fn(RunEvent) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(receive)))
    }

    /// Returns whether there is a receiver. Without one nothing needs to be observed.
    pub fn is_watched(&self) -> bool {
        self.0.is_some()
    }

    /// Reports an event, which is made only for a receiver.
    pub fn report<E: Into<RunEvent>>(&self, event: impl FnOnce() -> E) {
        if let Some(receive) = &self.0 {
            receive(event().into());
        }
    }
}

impl fmt::Debug for LiveEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LiveEvents")
            .field(&self.is_watched())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{Event, EventType, RunEnded};

    fn ended() -> Event {
        Event::RunInterrupted(RunEnded {
            reason: String::new(),
        })
    }

    #[test]
    fn an_event_is_made_only_for_a_receiver() {
        let received = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&received);
        let live = LiveEvents::new(move |event| {
            list.lock().unwrap().push(event.event.event_type());
        });
        live.report(ended);
        assert_eq!(*received.lock().unwrap(), [EventType::RunInterrupted]);
        LiveEvents::default().report(|| -> RunEvent { panic!("made without a listener") });
    }
}
