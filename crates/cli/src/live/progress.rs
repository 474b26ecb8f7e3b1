//! What is going on now, on a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use review::events::Event;

const TICK: Duration = Duration::from_millis(120);

/// A line on standard error that says what runs and since when, if there is
/// one: even a hidden line would start a thread for each event.
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    /// A line that is not shown before something runs; never shown at all
    /// unless `visible`.
    pub(super) fn new(visible: bool) -> Self {
        Self(visible.then(|| {
            let bar = ProgressBar::new_spinner();
            match ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        }))
    }

    /// Takes the line away while `print` writes.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Shows what runs after an event.
    pub(super) fn after(&self, event: &Event) {
        let Some(bar) = &self.0 else { return };
        match doing(event) {
            Some(doing) => {
                bar.set_message(doing);
                bar.reset_elapsed();
                bar.enable_steady_tick(TICK);
            }
            None => {
                bar.disable_steady_tick();
                bar.set_message("");
            }
        }
    }

    /// Takes the line away for good.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// What runs after an event; `None` when nothing that takes time does.
fn doing(event: &Event) -> Option<String> {
    match event {
        Event::ReviewStarted(_) => Some("reviewing".to_owned()),
        Event::ReviewMalformed(_) => Some("asking again".to_owned()),
        Event::ReviewFeedback(given) => Some(format!("round {}: applying", given.iteration)),
        Event::TaskStarted(task) => {
            let command = task.command.lines().next().unwrap_or_default();
            Some(format!("task {}: {command}", task.task))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use review::events::{RunStarted, TaskStarted};
    use review_types::TaskNumber;

    use super::*;

    #[test]
    fn a_running_task_is_named_with_its_first_command() {
        let task = TaskNumber::new(3).unwrap();
        let started = Event::TaskStarted(TaskStarted {
            task,
            title: "Index".to_owned(),
            command: "cargo build\ncargo test".to_owned(),
        });
        assert_eq!(doing(&started).as_deref(), Some("task 3: cargo build"));
        let run = RunStarted {
            prompts: Vec::new(),
            spec: String::new(),
            root: String::new(),
        };
        assert_eq!(doing(&Event::RunStarted(run)), None);
    }
}
