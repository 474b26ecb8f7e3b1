//! The agent picks the next of several tasks that are ready.

use review::events::AgentRole;
use review_flow::{Command, StepRecord};
use review_lane::Pick;
use review_types::TaskNumber;

use super::{LaneOp, LaneOut, LaneState, NextStep, TaskMachine, TaskOp, TaskOut};
use crate::machine::lane::ReadyTask;

/// Which task starts next.
pub(in crate::machine) enum Next {
    /// This one, if one is ready.
    Start(Option<usize>),
    /// The one that the agent picks.
    Ask(Box<Command<TaskOp>>),
}

impl TaskMachine {
    /// Takes the next task, or has the agent pick it from those that it can implement.
    pub(in crate::machine) fn choose(&mut self) -> Next {
        let is_asked = |lane: &LaneState| lane.options.pick == Pick::Agent;
        if !self.lane.as_ref().is_some_and(is_asked) {
            return Next::Start(self.queue.pop());
        }
        let needs_none = self.queue.ready().find(|at| !self.needs_agent(*at));
        if let Some(at) = needs_none {
            return Next::Start(self.queue.take(at));
        }
        match self.ask() {
            Some(ask) => Next::Ask(Box::new(ask)),
            None => Next::Start(self.queue.pop()),
        }
    }

    /// Whether an agent is called for a ready task, to judge by its file.
    fn needs_agent(&self, at: usize) -> bool {
        !self.plan.tasks()[at].commands.is_empty()
            && !self.slots[at].is_complete()
            && self.queue.blockers(&self.plan, at).is_empty()
    }

    /// Asks the agent, if there is a choice and a call left for what it picks.
    fn ask(&mut self) -> Option<Command<TaskOp>> {
        let tasks: Vec<_> = self.queue.ready().map(|at| self.ready_task(at)).collect();
        let lane = self.lane.as_mut().filter(|_| tasks.len() > 1)?;
        let allowance = lane.ledger.reserve_pick()?;
        lane.picks += 1;
        let word = format!("pick-{}", lane.picks);
        Some(self.lane_step(&word, LaneOp::Pick { tasks, allowance }))
    }

    fn ready_task(&self, at: usize) -> ReadyTask {
        let task = &self.plan.tasks()[at];
        let waiting: Vec<_> = self.queue.waiting(at).collect();
        ReadyTask {
            task: task.number,
            title: task.title.clone(),
            waiting: self.numbers(&waiting),
        }
    }

    /// Starts the task that the agent picked, or the lowest one.
    pub(super) fn on_picked(&mut self, picked: Option<TaskNumber>) -> NextStep {
        let at = picked.and_then(|task| self.plan.position(task));
        let at = at.and_then(|at| self.queue.take(at));
        let turn = at.or_else(|| self.queue.pop());
        let step = turn.and_then(|at| self.turn(at));
        self.go_on(Vec::from_iter(step))
    }

    /// Settles what the call consumed that picks a task, and reports it.
    pub(in crate::machine) fn settle_pick(&mut self, record: &StepRecord<TaskOut>) {
        let is_free = match &record.out {
            TaskOut::Lane(LaneOut::Picked(_)) => false,
            TaskOut::Lane(LaneOut::NotPicked(error)) => error.is_free(),
            _ => return,
        };
        let picks = self.lane.as_ref().map_or(0, |lane| lane.picks);
        self.settle_call((None, AgentRole::Implementer, picks), record, is_free);
    }
}
