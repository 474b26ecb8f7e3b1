//! What a run does right now, for a terminal: a few lines that are drawn again and
//! again until nothing runs.
//!
//! [`LiveView`] is made of the events of a run and knows no terminal and no clock.

mod lines;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use review_events::{
    AgentAction, AgentActivity, AgentRole, CallStarted, Envelope, Event, StepCommand, TaskState,
};
use review_types::{TaskNumber, Timestamp, Usage, Usd};

use super::report::RunReport;
use super::timeline::task_of;
use super::usage::UsageReport;
use crate::text::one_line;

/// What a run does right now.
#[derive(Clone, Debug, Default)]
pub struct LiveView {
    /// When the run was started or resumed.
    since: Option<Timestamp>,
    /// The limit of rounds.
    max_iterations: Option<u32>,
    max_cost: Option<Usd>,
    /// What the calls that have ended consumed.
    usage: UsageReport,
    /// The number of tasks of the run, once one has started.
    tasks: Option<usize>,
    /// The tasks of the unit that were not selected.
    not_selected: usize,
    /// The titles of the tasks that have started.
    titles: BTreeMap<TaskNumber, String>,
    /// The tasks that have started and have no end yet.
    open: BTreeSet<TaskNumber>,
    /// How the other tasks ended.
    ended: BTreeMap<TaskNumber, TaskState>,
    running: Vec<Running>,
}

/// One piece of work.
#[derive(Clone, Debug)]
struct Running {
    /// The step, once it is known.
    step: Option<String>,
    /// The task that it is for.
    task: Option<TaskNumber>,
    started: Timestamp,
    /// When it last printed or did something.
    active: Timestamp,
    work: Work,
}

#[derive(Clone, Debug)]
enum Work {
    Call(Call),
    Command(CommandView),
    /// A task before its first step, or between two steps.
    Between,
    Pause {
        role: AgentRole,
        until: Timestamp,
    },
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

/// What a command of the project is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// The check before a review.
    Check,
    /// `lane.setup` in a checkout.
    Setup,
    /// The proof of a task.
    Proof,
    /// The proof of finished tasks on the commit that is to land, or together.
    Landing,
    /// The search for the task that broke an earlier one.
    Search,
}

/// A command of the project.
#[derive(Clone, Debug)]
struct CommandView {
    purpose: Purpose,
    command: String,
    time_limit: Option<Duration>,
    tests: Option<u64>,
    line: String,
}

impl LiveView {
    /// The view of a run whose events so far are in `report`.
    #[must_use]
    pub fn of(report: &RunReport) -> Self {
        let ended = report.tasks.iter().map(|task| (task.id, task.status));
        let titles = report.tasks.iter();
        Self {
            max_iterations: report.max_iterations,
            max_cost: report.limits.max_cost,
            usage: report.usage.unwrap_or_default(),
            not_selected: report.not_selected.len(),
            titles: titles.map(|task| (task.id, task.title.clone())).collect(),
            ended: ended.collect(),
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
                self.since = Some(at);
                self.max_iterations = resumed.max_iterations.or(self.max_iterations);
                self.max_cost = resumed.max_cost.or(self.max_cost);
            }
            Event::RunStarted(_) => self.since = Some(at),
            Event::CallStarted(call) => {
                let task = task_of(&call.step);
                self.start(Some(call.step.clone()), task, at, Work::from(call));
            }
            Event::AgentActivity(activity) => self.note_activity(activity, at),
            Event::CallEnded(call) => self.usage.add(call.usage.as_ref()),
            Event::CallRetried(retried) if retried.pause_ms > 0 => {
                let until = at.after(Duration::from_millis(retried.pause_ms));
                let role = retried.role;
                self.start(None, None, at, Work::Pause { role, until });
            }
            Event::TaskStarted(task) => {
                self.tasks = Some(task.tasks);
                self.titles.insert(task.task, task.title.clone());
                self.open.insert(task.task);
                self.start(None, Some(task.task), at, Work::Between);
            }
            Event::StepCommand(command) => {
                self.start_command(command, envelope.task.is_some(), at);
            }
            Event::StepOutput(output) => {
                if let Some(running) = self.of_step(&output.step) {
                    running.active = at;
                    if let Work::Command(command) = &mut running.work {
                        command.line.clone_from(&output.line);
                        command.tests = output.tests_run;
                    }
                }
            }
            Event::TaskFinished(task) => {
                self.open.remove(&task.task);
                self.ended.insert(task.task, task.state);
                self.running
                    .retain(|running| running.task != Some(task.task));
            }
            Event::LaneLanded(landed) => {
                let landed = landed.tasks.iter();
                self.ended
                    .extend(landed.map(|task| (*task, TaskState::Landed)));
            }
            Event::StepStarted(_) => self.end_pauses(),
            Event::StepFinished(step) => self.end_step(&step.step),
            Event::RunFinished(_) | Event::RunInterrupted(_) => {
                self.running.clear();
            }
            _ => {}
        }
    }

    /// Starts a piece of work, which takes the place of an earlier one of its step or task.
    fn start(&mut self, step: Option<String>, task: Option<TaskNumber>, at: Timestamp, work: Work) {
        self.end_pauses();
        let is_before = |running: &Running| {
            step.is_some() && running.step == step || task.is_some() && running.task == task
        };
        let place = self.running.iter().position(is_before);
        let running = Running {
            step,
            task,
            started: at,
            active: at,
            work,
        };
        match place {
            Some(place) => self.running[place] = running,
            None => self.running.push(running),
        }
    }

    fn start_command(&mut self, command: &StepCommand, is_proof: bool, at: Timestamp) {
        let before = self.of_step(&command.step);
        let tests = before.and_then(|running| running.tests());
        let (stage, word) = command.step.split_once('/').unwrap_or_default();
        let purpose = match stage.split('~').next() {
            Some("task") if is_proof => Purpose::Proof,
            Some("lane") if is_proof && word.starts_with("bisect") => Purpose::Search,
            Some("lane") if is_proof => Purpose::Landing,
            Some("task" | "lane") => Purpose::Setup,
            _ => Purpose::Check,
        };
        let work = Work::Command(CommandView {
            purpose,
            command: command.command.clone(),
            time_limit: Some(Duration::from_millis(command.time_limit_ms)),
            tests,
            line: String::new(),
        });
        let task = task_of(&command.step);
        self.start(Some(command.step.clone()), task, at, work);
    }

    /// Ends a step; its task keeps its line until it ends.
    fn end_step(&mut self, step: &str) {
        for running in &mut self.running {
            let is_open = running.task.is_some_and(|task| self.open.contains(&task));
            if is_open && running.step.as_deref() == Some(step) {
                running.step = None;
                running.work = Work::Between;
            }
        }
        self.running
            .retain(|running| running.step.as_deref() != Some(step));
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
    /// The number of tests that ended so far, if it is known.
    fn tests(&self) -> Option<u64> {
        match &self.work {
            Work::Command(command) => command.tests,
            Work::Call(_) | Work::Between | Work::Pause { .. } => None,
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
