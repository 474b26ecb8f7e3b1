//! Selects the next task: the lowest one whose dependencies are all decided.

use std::collections::BTreeSet;

use review::events::TaskState;
use review_types::TaskNumber;

use super::plan::TaskPlan;

/// The states of the tasks of a plan, by their position in it.
///
/// Total over every plan: a dependency without a task is never met, and tasks on a
/// cycle are never ready.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    states: Vec<Option<TaskState>>,
    dependents: Vec<Vec<usize>>,
    undecided: Vec<usize>,
    ready: BTreeSet<usize>,
    /// Every task before this one is decided.
    decided: usize,
}

impl Queue {
    /// Returns a queue in which nothing is decided.
    pub(super) fn new(plan: &TaskPlan) -> Self {
        let len = plan.tasks().len();
        let mut queue = Self {
            states: vec![None; len],
            dependents: vec![Vec::new(); len],
            undecided: vec![0; len],
            ready: BTreeSet::new(),
            decided: 0,
        };
        for (at, task) in plan.tasks().iter().enumerate() {
            for before in &task.depends_on {
                if let Some(before) = plan.position(*before) {
                    queue.dependents[before].push(at);
                    queue.undecided[at] += 1;
                }
            }
            if queue.undecided[at] == 0 {
                queue.ready.insert(at);
            }
        }
        queue
    }

    /// Takes the lowest task whose dependencies are decided.
    pub(super) fn pop(&mut self) -> Option<usize> {
        self.ready.pop_first()
    }

    /// Takes a task, if it is ready.
    pub(super) fn take(&mut self, at: usize) -> Option<usize> {
        self.ready.take(&at)
    }

    /// Returns the tasks whose dependencies are decided, in order.
    pub(super) fn ready(&self) -> impl Iterator<Item = usize> {
        self.ready.iter().copied()
    }

    /// Returns the undecided tasks that depend on a task.
    pub(super) fn waiting(&self, at: usize) -> impl Iterator<Item = usize> {
        let dependents = self.dependents[at].iter().copied();
        dependents.filter(|dependent| self.states[*dependent].is_none())
    }

    /// Decides a task, and thereby whether others are ready.
    pub(super) fn decide(&mut self, at: usize, state: TaskState) {
        self.ready.remove(&at);
        if self.states[at].replace(state).is_some() {
            return;
        }
        for &dependent in &self.dependents[at] {
            self.undecided[dependent] -= 1;
            if self.undecided[dependent] == 0 && self.states[dependent].is_none() {
                self.ready.insert(dependent);
            }
        }
    }

    /// Returns the state of a task, if it is decided.
    pub(super) fn state(&self, at: usize) -> Option<TaskState> {
        self.states[at]
    }

    /// Returns the lowest task that is not decided.
    pub(super) fn first_undecided(&mut self) -> Option<usize> {
        while self.states.get(self.decided)?.is_some() {
            self.decided += 1;
        }
        Some(self.decided)
    }

    /// Returns the dependencies of a task that keep it from starting.
    pub(super) fn blockers(&self, plan: &TaskPlan, at: usize) -> Vec<TaskNumber> {
        let is_met = |number: &&TaskNumber| {
            let before = plan.position(**number);
            let state = before.and_then(|before| self.states[before]);
            state.is_some_and(TaskState::meets_dependency)
        };
        let depends_on = plan.tasks()[at].depends_on.iter();
        depends_on
            .filter(|number| !is_met(number))
            .copied()
            .collect()
    }
}
