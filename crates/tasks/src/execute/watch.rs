//! What a command prints, for users who watch it.

use std::time::Duration;

use review::events::{Event, LiveEvents, RunEvent, StepCommand, StepOutput};
use review_flow::Step;
use review_types::{TaskNumber, milliseconds};

/// Maximum number of bytes of a line that is reported.
const MAX_LINE: usize = 1024;

/// Reports what the commands of one step print.
pub(super) struct StepWatch<'a> {
    live: &'a LiveEvents,
    step: String,
    task: Option<TaskNumber>,
    /// The last line of the current command.
    line: String,
    /// The number of tests of the earlier commands.
    tests_before: Option<u64>,
}

impl<'a> StepWatch<'a> {
    /// Watches the commands of a step, if anyone does.
    pub(super) fn start(
        live: &'a LiveEvents,
        step: &Step,
        task: Option<TaskNumber>,
    ) -> Option<Self> {
        live.is_watched().then(|| Self {
            live,
            step: step.name.to_string(),
            task,
            line: String::new(),
            tests_before: None,
        })
    }

    /// Reports the start of a command.
    pub(super) fn begin(&mut self, command: &str, limit: Duration, tests_before: Option<u64>) {
        self.line.clear();
        self.tests_before = tests_before;
        self.live.report(|| RunEvent {
            task: self.task,
            event: Event::StepCommand(StepCommand {
                step: self.step.clone(),
                command: command.to_owned(),
                time_limit_ms: milliseconds(limit),
            }),
        });
    }

    /// Takes a line.
    pub(super) fn prints(&mut self, line: &str) {
        line[..line.floor_char_boundary(MAX_LINE)].clone_into(&mut self.line);
    }

    /// Reports the last line, and the number of tests of the current command.
    pub(super) fn report(&self, tests: impl FnOnce() -> Option<u64>) {
        self.live.report(|| {
            let tests = [self.tests_before, tests()].into_iter().flatten();
            RunEvent {
                task: self.task,
                event: Event::StepOutput(StepOutput {
                    step: self.step.clone(),
                    line: self.line.clone(),
                    tests_run: tests.reduce(u64::saturating_add),
                }),
            }
        });
    }
}
