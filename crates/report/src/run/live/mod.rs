//! What a run does right now, for a terminal: a few lines that are drawn again and
//! again until nothing runs.
//!
//! [`LiveView`] is made of the events of a run and knows no terminal and no clock.

mod lines;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use review_events::{
    AgentAction, AgentActivity, AgentRole, CallStarted, Envelope, Event, StepCommand,
};
use review_types::{Timestamp, Usage};

use super::report::RunReport;
use super::usage::UsageReport;
use crate::text::one_line;

/// What a run does right now.
#[derive(Clone, Debug, Default)]
pub struct LiveView {
    /// The limit of rounds.
    max_iterations: Option<u32>,
    /// What the calls that have ended consumed.
    usage: UsageReport,
    /// The titles of the tasks that have started.
    titles: BTreeMap<String, String>,
    running: Vec<Running>,
}

/// One piece of work.
#[derive(Clone, Debug)]
struct Running {
    /// The step, once it is known.
    step: Option<String>,
    started: Timestamp,
    /// When it last printed or did something.
    active: Timestamp,
    work: Work,
}

#[derive(Clone, Debug)]
enum Work {
    Call(Call),
    Command(CommandView),
    Pause { role: AgentRole, until: Timestamp },
}

/// The call of an agent.
#[derive(Clone, Debug)]
struct Call {
    role: AgentRole,
    iteration: u32,
    asked_again: bool,
    agent: String,
    model: Option<String>,
    time_limit: Option<Duration>,
    idle_limit: Option<Duration>,
    /// Its last use of a tool.
    does: Option<AgentAction>,
    says: Option<String>,
    says_last: bool,
    usage: Option<Usage>,
}

/// A command of a task, or the check before a review.
#[derive(Clone, Debug)]
struct CommandView {
    /// The task, with its unit.
    task: Option<String>,
    command: String,
    time_limit: Option<Duration>,
    tests: Option<u64>,
    line: String,
}

impl LiveView {
    /// The view of a run whose events so far are in `report`.
    #[must_use]
    pub fn of(report: &RunReport) -> Self {
        Self {
            max_iterations: report.max_iterations,
            usage: report.usage.unwrap_or_default(),
            ..Self::default()
        }
    }

    /// Whether nothing runs that takes time.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Takes in one event.
    pub fn take(&mut self, envelope: &Envelope) {
        let at = envelope.timestamp;
        match &envelope.event {
            Event::ReviewStarted(started) => self.max_iterations = Some(started.max_iterations),
            Event::RunResumed(resumed) => {
                self.max_iterations = resumed.max_iterations.or(self.max_iterations);
            }
            Event::CallStarted(call) => self.start(Some(call.step.clone()), at, Work::from(call)),
            Event::AgentActivity(activity) => self.note_activity(activity, at),
            Event::CallEnded(call) => self.usage.add(call.usage.as_ref()),
            Event::CallRetried(retried) if retried.pause_ms > 0 => {
                let until = at.after(Duration::from_millis(retried.pause_ms));
                let role = retried.role;
                self.start(None, at, Work::Pause { role, until });
            }
            Event::TaskStarted(task) => {
                let id = envelope.task.clone().unwrap_or_default();
                self.titles.insert(id.clone(), task.title.clone());
                let command = task.command.lines().next().unwrap_or_default();
                let work = Work::Command(CommandView {
                    task: Some(id),
                    command: command.to_owned(),
                    time_limit: None,
                    tests: None,
                    line: String::new(),
                });
                self.start(None, at, work);
            }
            Event::StepCommand(command) => self.start_command(command, envelope.task.as_ref(), at),
            Event::StepOutput(output) => {
                if let Some(running) = self.of_step(&output.step) {
                    running.active = at;
                    if let Work::Command(command) = &mut running.work {
                        command.line.clone_from(&output.line);
                        command.tests = output.tests_run;
                    }
                }
            }
            Event::TaskFinished(_) => {
                let of_task = |running: &Running| running.task() == envelope.task.as_ref();
                self.running.retain(|running| !of_task(running));
            }
            Event::StepStarted(_) => self.end_pauses(),
            Event::StepFinished(step) => {
                let ended = Some(&step.step);
                self.running
                    .retain(|running| running.step.as_ref() != ended);
            }
            Event::RunFinished(_) | Event::RunInterrupted(_) => {
                self.running.clear();
            }
            _ => {}
        }
    }

    /// Starts a piece of work, which takes the place of an earlier one of its step.
    fn start(&mut self, step: Option<String>, at: Timestamp, work: Work) {
        self.end_pauses();
        if step.is_some() {
            self.running.retain(|running| running.step != step);
        }
        self.running.push(Running {
            step,
            started: at,
            active: at,
            work,
        });
    }

    fn start_command(&mut self, command: &StepCommand, task: Option<&String>, at: Timestamp) {
        let tests = self
            .of_step(&command.step)
            .and_then(|running| running.tests());
        // The command of a task takes the place that its task holds.
        let place = self.running.iter_mut().find(|running| {
            running.step.as_ref() == Some(&command.step)
                || (task.is_some() && running.task() == task)
        });
        let work = Work::Command(CommandView {
            task: task.cloned(),
            command: command.command.clone(),
            time_limit: Some(Duration::from_millis(command.time_limit_ms)),
            tests,
            line: String::new(),
        });
        match place {
            Some(place) => {
                *place = Running {
                    step: Some(command.step.clone()),
                    started: at,
                    active: at,
                    work,
                };
            }
            None => self.start(Some(command.step.clone()), at, work),
        }
    }

    fn end_pauses(&mut self) {
        self.running
            .retain(|running| !matches!(running.work, Work::Pause { .. }));
    }

    fn of_step(&mut self, step: &str) -> Option<&mut Running> {
        let mut running = self.running.iter_mut();
        running.find(|running| running.step.as_deref() == Some(step))
    }

    fn note_activity(&mut self, activity: &AgentActivity, at: Timestamp) {
        let Some(running) = self.of_step(&activity.step) else {
            return;
        };
        running.active = at;
        if let Work::Call(call) = &mut running.work {
            call.model = activity.model.clone().or(call.model.take());
            let action = activity.action.as_ref();
            call.does = action.map(|action| AgentAction {
                kind: action.kind,
                target: one_line(&action.target),
            });
            call.says = activity.says.as_deref().map(one_line);
            call.says_last = activity.says_last;
            call.usage = activity.usage;
        }
    }
}

impl Running {
    /// The task that it belongs to.
    fn task(&self) -> Option<&String> {
        match &self.work {
            Work::Command(command) => command.task.as_ref(),
            Work::Call(_) | Work::Pause { .. } => None,
        }
    }

    /// The number of tests that ended so far, if it is known.
    fn tests(&self) -> Option<u64> {
        match &self.work {
            Work::Command(command) => command.tests,
            Work::Call(_) | Work::Pause { .. } => None,
        }
    }
}

impl From<&CallStarted> for Work {
    fn from(call: &CallStarted) -> Self {
        Self::Call(Call {
            role: call.role,
            iteration: call.iteration,
            asked_again: call.asked_again,
            agent: one_line(&call.agent),
            model: call.model.clone(),
            time_limit: call.time_limit_ms.map(Duration::from_millis),
            idle_limit: call.idle_limit_ms.map(Duration::from_millis),
            does: None,
            says: None,
            says_last: false,
            usage: None,
        })
    }
}
