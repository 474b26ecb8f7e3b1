//! Passes on what steps do while they run.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use review::EventSink;
use review::events::{Envelope, Event, LiveEvents, RunEvent};
use review::machine::Envelopes;
use review_flow::{Clock, Numbered, Progress, Sink};
use review_types::Timestamp;
use tokio::sync::Notify;

use crate::project::Project;

/// The shortest time between two reports of the same: users see no more.
const INTERVAL: Duration = Duration::from_millis(100);

/// Passes each event on to all of these, in this order.
pub(crate) struct Sinks<'a, const N: usize>(pub(crate) [&'a dyn EventSink; N]);

impl<const N: usize> EventSink for Sinks<'_, N> {
    fn emit(&self, event: &Envelope) {
        self.0.iter().for_each(|sink| sink.emit(event));
    }

    fn recall(&self, event: &Envelope) {
        self.0.iter().for_each(|sink| sink.recall(event));
    }

    fn progress(&self, event: &Envelope) {
        self.0.iter().for_each(|sink| sink.progress(event));
    }
}

/// Delivers the events of a run, and before each of them what steps reported
/// in the meantime.
pub(crate) struct Live<'a> {
    envelopes: Envelopes<'a>,
    pending: Arc<Pending>,
}

/// What was reported and not passed on yet.
struct Pending {
    events: Mutex<Vec<(Timestamp, RunEvent)>>,
    changed: Notify,
    clock: Arc<dyn Clock>,
}

impl<'a> Live<'a> {
    /// Delivers the events in `envelopes`, and what steps report.
    pub(crate) fn new(envelopes: Envelopes<'a>, project: &Project<'_>) -> Self {
        Self {
            envelopes,
            pending: Arc::new(Pending {
                events: Mutex::default(),
                changed: Notify::new(),
                clock: Arc::clone(&project.clock),
            }),
        }
    }

    /// What steps report to.
    pub(crate) fn events(&self) -> LiveEvents {
        let pending = Arc::clone(&self.pending);
        LiveEvents::new(move |event| pending.take(event))
    }

    /// Passes on what is reported during `work`.
    pub(crate) async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        let done = tokio::select! {
            biased;
            done = work => done,
            never = self.pass_on() => match never {},
        };
        self.flush();
        done
    }

    async fn pass_on(&self) -> Infallible {
        loop {
            self.pending.changed.notified().await;
            self.flush();
            tokio::time::sleep(INTERVAL).await;
        }
    }

    fn flush(&self) {
        for (at, event) in std::mem::take(&mut *self.pending.events()) {
            self.envelopes.live(at, event);
        }
    }
}

impl Pending {
    fn events(&self) -> std::sync::MutexGuard<'_, Vec<(Timestamp, RunEvent)>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, event: RunEvent) {
        let mut events = self.events();
        events.retain(|(_, earlier)| !replaces(&event.event, &earlier.event));
        events.push((self.clock.now(), event));
        drop(events);
        self.changed.notify_one();
    }
}

/// Whether an event says all that an earlier one says, as it is now.
fn replaces(event: &Event, earlier: &Event) -> bool {
    match (event, earlier) {
        (Event::AgentActivity(event), Event::AgentActivity(earlier)) => event.step == earlier.step,
        (Event::StepOutput(event), Event::StepOutput(earlier)) => event.step == earlier.step,
        _ => false,
    }
}

impl Sink<RunEvent> for Live<'_> {
    fn emit(&self, event: Numbered<RunEvent>) {
        self.flush();
        self.envelopes.emit(event);
    }

    fn recall(&self, event: Numbered<RunEvent>) {
        self.envelopes.recall(event);
    }

    fn progress(&self, progress: &Progress) {
        self.flush();
        self.envelopes.progress(progress);
    }
}

#[cfg(test)]
mod tests {
    use review::events::{AgentActivity, AgentRole, StepOutput};
    use review_flow::ManualClock;

    use super::*;

    fn output(step: &str, line: &str) -> RunEvent {
        Event::StepOutput(StepOutput {
            step: step.to_owned(),
            line: line.to_owned(),
            tests_run: None,
        })
        .into()
    }

    #[test]
    fn only_the_most_recent_state_of_a_step_is_passed_on() {
        let pending = Pending {
            events: Mutex::default(),
            changed: Notify::new(),
            clock: Arc::new(ManualClock::default()),
        };
        let activity = Event::AgentActivity(AgentActivity {
            step: "a".to_owned(),
            role: AgentRole::Reviewer,
            iteration: 1,
            model: None,
            action: None,
            says: None,
            says_last: false,
            usage: None,
        });
        for event in [
            output("a", "1"),
            output("b", "2"),
            activity.clone().into(),
            output("a", "3"),
        ] {
            pending.take(event);
        }
        let events: Vec<_> = pending.events().drain(..).map(|(_, event)| event).collect();
        assert_eq!(
            events,
            [output("b", "2"), activity.into(), output("a", "3")]
        );
    }
}
