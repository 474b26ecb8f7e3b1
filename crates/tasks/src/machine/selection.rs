//! Which tasks of a plan a user selects.

use std::collections::BTreeSet;

use review::events::TaskState;
use review_types::{TaskNumber, TaskStatus, listed};

use super::plan::TaskPlan;
use super::queue::Queue;

/// Maximum number of tasks that a message lists.
const NAMED: usize = 10;

/// The tasks that a user selects; none selects nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSelection {
    /// Single tasks.
    pub tasks: Vec<TaskNumber>,
    /// The first of a row of tasks, which goes on to the last task in the order in which
    /// they run one at a time.
    pub from: Option<TaskNumber>,
}

/// Why the selected tasks cannot run, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SelectionError {
    message: String,
    /// The tasks that would have to be selected, too.
    pub missing: BTreeSet<TaskNumber>,
}

impl TaskPlan {
    /// Returns the tasks that a user selects.
    ///
    /// # Errors
    /// When one of them does not exist, or depends on a task that is neither selected nor
    /// complete. A plan with faults runs no task, whatever its dependencies are.
    pub fn select(
        &self,
        selection: &TaskSelection,
    ) -> Result<BTreeSet<TaskNumber>, SelectionError> {
        let mut named = selection.tasks.iter().chain(&selection.from);
        if let Some(unknown) = named.find(|number| self.task(**number).is_none()) {
            return Err(SelectionError {
                message: self.has_no(*unknown),
                missing: BTreeSet::new(),
            });
        }
        let mut selected: BTreeSet<_> = selection.tasks.iter().copied().collect();
        if let Some(from) = selection.from {
            let order = self.order().into_iter();
            selected.extend(order.skip_while(|number| *number != from));
        }
        let mut missing = BTreeSet::new();
        let mut reasons = Vec::new();
        let is_selected = |number: &TaskNumber| selected.contains(number);
        let tasks = self.tasks().iter().filter(|task| is_selected(&task.number));
        for task in tasks.filter(|_| self.faults().is_empty()) {
            let before = task.depends_on.iter().filter(|number| !is_selected(number));
            let before = before.filter_map(|number| self.task(*number));
            let unmet = before.filter(|before| before.claims != TaskStatus::Complete);
            let unmet: Vec<_> = unmet
                .map(|before| {
                    missing.insert(before.number);
                    format!("task {} ({})", before.number, before.claims)
                })
                .collect();
            if !unmet.is_empty() {
                let unmet = unmet.join(", ");
                reasons.push(format!("task {} depends on {unmet}", task.number));
            }
        }
        if missing.is_empty() {
            return Ok(selected);
        }
        let message = format!("{}: not selected and not complete", reasons.join("; "));
        Err(SelectionError { message, missing })
    }

    fn has_no(&self, task: TaskNumber) -> String {
        let numbers = self.tasks().iter().map(|task| task.number);
        let known = match self.tasks() {
            [] => "it has no tasks".to_owned(),
            _ => format!("its tasks are {}", listed(numbers, NAMED)),
        };
        format!("unit {} has no task {task}; {known}", self.unit)
    }

    /// The tasks in the order in which they run one at a time; those on a cycle never do.
    fn order(&self) -> Vec<TaskNumber> {
        let mut queue = Queue::new(self);
        let mut order = Vec::new();
        while let Some(at) = queue.pop() {
            order.push(self.tasks()[at].number);
            queue.decide(at, TaskState::Passed);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::tests::fixture::{faulty_plan, number, plan, task};

    fn selection(tasks: &[u32], from: Option<u32>) -> TaskSelection {
        TaskSelection {
            tasks: tasks.iter().copied().map(number).collect(),
            from: from.map(number),
        }
    }

    /// The tasks and the first of a row that are selected, and what comes of it.
    type Case = (
        &'static [u32],
        Option<u32>,
        Result<&'static [u32], &'static str>,
    );

    /// Task 1 is complete; 2 and 5 need it, 3 needs 5, 4 needs 2.
    fn five() -> TaskPlan {
        let mut done = task(1, &[]);
        done.claims = TaskStatus::Complete;
        let others = [task(2, &[1]), task(3, &[5]), task(4, &[2]), task(5, &[1])];
        plan([done].into_iter().chain(others).collect())
    }

    #[test]
    fn selected_tasks_need_their_dependencies_selected_or_complete() {
        let cases: [Case; 9] = [
            (&[2], None, Ok(&[2])),
            (&[2, 4], None, Ok(&[2, 4])),
            (&[2, 2], None, Ok(&[2])),
            // The order is 1, 2, 4, 5, 3.
            (&[], Some(5), Ok(&[3, 5])),
            (&[], Some(1), Ok(&[1, 2, 3, 4, 5])),
            (&[2], Some(4), Ok(&[2, 3, 4, 5])),
            (
                &[],
                Some(4),
                Err("task 4 depends on task 2 (pending): not selected and not complete"),
            ),
            (
                &[3, 4],
                None,
                Err(
                    "task 3 depends on task 5 (pending); task 4 depends on task 2 (pending): \
                     not selected and not complete",
                ),
            ),
            (
                &[9],
                None,
                Err("unit web has no task 9; its tasks are 1, 2, 3, 4, 5"),
            ),
        ];
        for (tasks, from, expected) in cases {
            let selected = five().select(&selection(tasks, from));
            let selected = selected.map_err(|error| error.to_string());
            let expected = expected.map(|numbers| numbers.iter().copied().map(number).collect());
            assert_eq!(
                selected,
                expected.map_err(str::to_owned),
                "{tasks:?} {from:?}"
            );
        }
    }

    #[test]
    fn the_missing_tasks_are_those_that_would_have_to_be_selected_too() {
        let error = five().select(&selection(&[3, 4], None)).unwrap_err();
        assert_eq!(error.missing, BTreeSet::from([2, 5].map(number)));
    }

    #[test]
    fn a_plan_with_faults_is_left_to_the_run_to_refuse() {
        let plan = faulty_plan(vec![task(1, &[]), task(2, &[1])], &["no"]);
        let selected = plan.select(&selection(&[2], None));
        assert_eq!(selected, Ok(BTreeSet::from([number(2)])));
    }
}
