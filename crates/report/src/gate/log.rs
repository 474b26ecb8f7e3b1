//! What a gate runs, where no terminal shows it: a line when it starts and one when it
//! ends.

use review_events::{Envelope, Event};
use review_types::Timestamp;

use crate::text::{one_line, seconds};

/// The calls and commands of a gate, as they start and end.
#[derive(Clone, Debug, Default)]
pub struct GateLog {
    running: Vec<Running>,
}

/// What runs in a step.
#[derive(Clone, Debug)]
struct Running {
    step: String,
    started: Timestamp,
    what: String,
}

impl GateLog {
    /// Takes in one event, and returns the lines of what it starts and ends.
    pub fn take(&mut self, envelope: &Envelope) -> String {
        let at = envelope.timestamp;
        let (step, what) = match &envelope.event {
            Event::StepCommand(command) => {
                let of = envelope.task.as_deref().unwrap_or("check");
                (
                    &command.step,
                    format!("{of}: {}", one_line(&command.command)),
                )
            }
            Event::CallStarted(call) => {
                let (role, agent) = (call.role.as_str(), one_line(&call.agent));
                (&call.step, format!("{role}: {agent}"))
            }
            Event::StepFinished(step) => return self.end(&step.step, at),
            _ => return String::new(),
        };
        // A step runs its commands one after the other.
        let ended = self.end(step, at);
        let started = format!("{ended}runs  {what}\n");
        self.running.push(Running {
            step: step.clone(),
            started: at,
            what,
        });
        started
    }

    /// Ends what runs in a step.
    fn end(&mut self, step: &str, at: Timestamp) -> String {
        let mut ended = self.running.extract_if(.., |running| running.step == step);
        ended.next().map_or_else(String::new, |running| {
            let took = seconds(at.since(running.started));
            format!("ended {}  {took}\n", running.what)
        })
    }
}

#[cfg(test)]
mod tests {
    use review_events::{StepCommand, StepFinished};
    use review_types::RunId;

    use super::*;

    #[test]
    fn a_command_has_a_line_when_it_starts_and_one_with_its_time_when_it_ends() {
        let mut log = GateLog::default();
        let mut take = |ms: i64, task: Option<&str>, event| {
            log.take(&Envelope {
                run: RunId::new("r").unwrap(),
                seq: None,
                timestamp: Timestamp::from_unix_ms(ms),
                unit: None,
                task: task.map(str::to_owned),
                event,
            })
        };
        let command = |step: &str, command: &str| {
            Event::StepCommand(StepCommand {
                step: step.to_owned(),
                command: command.to_owned(),
                time_limit_ms: 1,
            })
        };
        let finished = |step: &str| {
            Event::StepFinished(StepFinished {
                step: step.to_owned(),
                took_ms: 0,
                by: None,
                usage: None,
            })
        };
        let shown = [
            take(0, Some("web/1"), command("a", "npm ci")),
            take(10, None, command("b", "make\n\u{1b}[31mlint")),
            take(1_500, Some("web/1"), command("a", "npm test")),
            take(1_900, None, finished("b")),
            take(63_500, None, finished("a")),
            take(63_500, None, finished("a")),
        ];
        assert_eq!(
            shown.concat(),
            "runs  web/1: npm ci\n\
             runs  check: make \u{fffd}[31mlint\n\
             ended web/1: npm ci  1.5s\n\
             runs  web/1: npm test\n\
             ended check: make \u{fffd}[31mlint  1.8s\n\
             ended web/1: npm test  1m2s\n"
        );
    }
}
