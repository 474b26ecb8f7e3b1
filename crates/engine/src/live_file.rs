//! What the steps of a run do right now, in a file for other processes.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use review::EventSink;
use review::events::{
    AgentActivity, CallStarted, Envelope, Event, FORMAT_VERSION, StepCommand, StepFinished,
    StepOutput,
};
use review_store::RunDir;
use serde::Deserialize;
use tokio::sync::Notify;

/// The shortest time between two writes, and the time that a step runs before the first.
const INTERVAL: Duration = Duration::from_secs(1);
/// The most bytes of the file.
const MAX_BYTES: usize = 64 * 1024;

/// Keeps the last event of each kind of the open steps in the file of the run. It is not a log: it holds what no journal does, while that is of use.
pub(crate) struct LiveFile<'a> {
    dir: &'a RunDir,
    steps: Mutex<OpenSteps>,
    changed: Notify,
}

#[derive(Default)]
struct OpenSteps {
    events: BTreeMap<String, Vec<Envelope>>,
    is_written: bool,
}

impl<'a> LiveFile<'a> {
    pub(crate) fn new(dir: &'a RunDir) -> Self {
        Self {
            dir,
            steps: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Keeps the file during `work`. It is removed afterwards, and before, where a process that
    /// was killed left it.
    pub(crate) async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        self.remove();
        let done = tokio::select! {
            biased;
            done = work => done,
            never = self.keep() => match never {},
        };
        self.remove();
        done
    }

    fn remove(&self) {
        if let Err(error) = self.dir.remove_live() {
            tracing::warn!("what the run did last is left in its folder: {error}");
        }
    }

    async fn keep(&self) -> Infallible {
        loop {
            self.changed.notified().await;
            tokio::time::sleep(INTERVAL).await;
            if let Some(json) = self.json()
                && let Err(error) = self.dir.write_live(&json)
            {
                tracing::warn!("other processes do not see what the run does: {error}");
                std::future::pending::<()>().await;
            }
        }
    }

    /// What is to be written; `None` where there is nothing.
    fn json(&self) -> Option<Vec<u8>> {
        let mut steps = self.steps();
        if steps.events.is_empty() && !steps.is_written {
            return None;
        }
        steps.is_written = true;
        let mut json = format!("{{\"v\":{FORMAT_VERSION},\"events\":[");
        let mut between = "";
        for event in steps.events.values().flatten() {
            let event = serde_json::to_string(event).unwrap_or_default();
            if !event.is_empty() && json.len() + event.len() + 4 <= MAX_BYTES {
                json.push_str(between);
                json.push_str(&event);
                between = ",";
            }
        }
        json.push_str("]}\n");
        Some(json.into_bytes())
    }

    fn steps(&self) -> std::sync::MutexGuard<'_, OpenSteps> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, envelope: &Envelope) {
        let Some(step) = step_of(&envelope.event) else {
            return;
        };
        let mut steps = self.steps();
        match &envelope.event {
            Event::CallStarted(_) | Event::StepCommand(_) => {
                steps.events.insert(step.to_owned(), vec![envelope.clone()]);
            }
            Event::StepFinished(_) if steps.events.remove(step).is_none() => return,
            Event::StepFinished(_) => {}
            event => {
                let kind = event.event_type();
                let events = steps.events.entry(step.to_owned()).or_default();
                events.retain(|earlier| earlier.event.event_type() != kind);
                events.push(envelope.clone());
            }
        }
        self.changed.notify_one();
    }
}

/// The step of an event that says what it does right now, or that it ended.
pub(crate) fn step_of(event: &Event) -> Option<&str> {
    match event {
        Event::CallStarted(CallStarted { step, .. })
        | Event::AgentActivity(AgentActivity { step, .. })
        | Event::StepCommand(StepCommand { step, .. })
        | Event::StepOutput(StepOutput { step, .. })
        | Event::StepFinished(StepFinished { step, .. }) => Some(step),
        _ => None,
    }
}

impl EventSink for LiveFile<'_> {
    fn emit(&self, _event: &Envelope) {}

    fn progress(&self, event: &Envelope) {
        self.take(event);
    }
}

/// The events in the file of a run; none where it cannot be read or has another format.
pub(crate) fn live_events(dir: &RunDir) -> Vec<Envelope> {
    #[derive(Deserialize)]
    struct Kept {
        v: u32,
        events: Vec<Envelope>,
    }
    let json = dir.read_live().unwrap_or_default();
    match serde_json::from_slice::<Kept>(&json) {
        Ok(kept) if kept.v == FORMAT_VERSION => kept.events,
        Ok(_) | Err(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use review_store::StateDir;
    use review_types::{RunId, Timestamp};

    use super::*;

    #[tokio::test]
    async fn what_a_killed_process_left_is_gone_when_work_starts() {
        let state = StateDir::temporary().unwrap();
        let dir = state.create_run(&RunId::new("r1").unwrap()).unwrap();
        dir.write_live(b"old").unwrap();
        let file = LiveFile::new(&dir);
        file.during(async { assert_eq!(dir.read_live(), None) })
            .await;
    }

    #[test]
    fn the_file_is_read_in_its_own_format_alone() {
        let state = StateDir::temporary().unwrap();
        let dir = state.create_run(&RunId::new("r1").unwrap()).unwrap();
        let file = LiveFile::new(&dir);
        let output = Envelope {
            run: dir.id().clone(),
            seq: None,
            timestamp: Timestamp::UNIX_EPOCH,
            unit: None,
            task: None,
            event: Event::StepOutput(StepOutput {
                step: "a".to_owned(),
                line: "1".to_owned(),
                tests_run: None,
            }),
        };
        file.progress(&output);
        let json = String::from_utf8(file.json().unwrap()).unwrap();
        dir.write_live(json.as_bytes()).unwrap();
        assert_eq!(live_events(&dir), [output]);
        let next = FORMAT_VERSION + 1;
        let other = json.replacen(
            &format!("\"v\":{FORMAT_VERSION}"),
            &format!("\"v\":{next}"),
            1,
        );
        dir.write_live(other.as_bytes()).unwrap();
        assert_eq!(live_events(&dir), []);
    }
}
