//! Which tasks of a plan a user selects.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use review::events::TaskState;
use review_types::{TaskNumber, TaskStatus, UnitId, plural};

use super::plan::{PlannedTask, TaskPlan};
use super::queue::Queue;

/// A task as a user names it: `3`, or `web/3` with its unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskName {
    /// Its unit, if that is named.
    pub unit: Option<UnitId>,
    /// Its number.
    pub number: TaskNumber,
}

/// A string that names no task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" names no task; write its number, or UNIT/NUMBER")]
pub struct TaskNameError(String);

impl FromStr for TaskName {
    type Err = TaskNameError;

    fn from_str(text: &str) -> Result<Self, TaskNameError> {
        let wrong = || TaskNameError(text.to_owned());
        let (unit, number) = match text.rsplit_once('/') {
            Some((unit, number)) => (Some(UnitId::new(unit).map_err(|_| wrong())?), number),
            None => (None, text),
        };
        let number = number.parse().ok().and_then(TaskNumber::new);
        let number = number.ok_or_else(wrong)?;
        Ok(Self { unit, number })
    }
}

impl fmt::Display for TaskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.unit {
            Some(unit) => write!(f, "{unit}/{}", self.number),
            None => self.number.fmt(f),
        }
    }
}

/// The tasks that a user selects; none selects nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSelection {
    /// Single tasks.
    pub tasks: Vec<TaskName>,
    /// The first of a row of tasks, which goes on to the last task in the order in which
    /// they run one at a time.
    pub from: Option<TaskName>,
}

/// Why the selected tasks cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// A selected task does not exist.
    #[error("unit {unit} has no task {task}; {}", known(.tasks))]
    Unknown {
        /// The unit.
        unit: UnitId,
        /// The number that was given.
        task: TaskNumber,
        /// The tasks of the unit.
        tasks: Vec<TaskNumber>,
    },
    /// A selected task belongs to another unit than the run.
    #[error("task {task} is not of unit {unit}, whose tasks are run")]
    OtherUnit {
        /// The task.
        task: TaskName,
        /// The unit of the run.
        unit: UnitId,
    },
    /// Selected tasks depend on tasks that are neither selected nor complete.
    #[error("{}", unmet(.0))]
    Unmet(Vec<UnmetDependencies>),
}

/// The dependencies of a selected task that are neither selected nor complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmetDependencies {
    /// The selected task.
    pub task: TaskNumber,
    /// Each dependency with the status that its file claims.
    pub depends_on: Vec<(TaskNumber, TaskStatus)>,
}

fn known(tasks: &[TaskNumber]) -> String {
    match (tasks.first(), tasks.last()) {
        (Some(first), Some(last)) if first != last => {
            let count = plural(tasks.len(), "task", "tasks");
            format!("it has {count}, numbered from {first} to {last}")
        }
        (Some(only), _) => format!("it has only task {only}"),
        (None, _) => "it has no tasks".to_owned(),
    }
}

fn unmet(unmet: &[UnmetDependencies]) -> String {
    let tasks = unmet.iter().map(|unmet| {
        let missing = unmet.depends_on.iter();
        let missing = missing.map(|(task, status)| format!("task {task} ({status})"));
        let missing: Vec<_> = missing.collect();
        format!("task {} depends on {}", unmet.task, missing.join(", "))
    });
    let tasks: Vec<_> = tasks.collect();
    format!("{}: not selected and not complete", tasks.join("; "))
}

impl SelectionError {
    /// The tasks that would have to be selected, too.
    #[must_use]
    pub fn missing(&self) -> BTreeSet<TaskNumber> {
        match self {
            Self::Unknown { .. } | Self::OtherUnit { .. } => BTreeSet::new(),
            Self::Unmet(unmet) => {
                let missing = unmet.iter().flat_map(|unmet| &unmet.depends_on);
                missing.map(|(task, _)| *task).collect()
            }
        }
    }
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
        for name in selection.tasks.iter().chain(&selection.from) {
            self.knows(name)?;
        }
        let mut selected: BTreeSet<_> = selection.tasks.iter().map(|name| name.number).collect();
        if let Some(from) = &selection.from {
            let order = self.order().into_iter();
            selected.extend(order.skip_while(|number| *number != from.number));
        }
        if !self.faults().is_empty() {
            return Ok(selected);
        }
        let unmet: Vec<_> = self
            .tasks()
            .iter()
            .filter(|task| selected.contains(&task.number))
            .filter_map(|task| self.unmet(task, &selected))
            .collect();
        match unmet.is_empty() {
            true => Ok(selected),
            false => Err(SelectionError::Unmet(unmet)),
        }
    }

    fn knows(&self, name: &TaskName) -> Result<(), SelectionError> {
        if name.unit.as_ref().is_some_and(|unit| *unit != self.unit) {
            return Err(SelectionError::OtherUnit {
                task: name.clone(),
                unit: self.unit.clone(),
            });
        }
        match self.task(name.number) {
            Some(_) => Ok(()),
            None => Err(SelectionError::Unknown {
                unit: self.unit.clone(),
                task: name.number,
                tasks: self.tasks().iter().map(|task| task.number).collect(),
            }),
        }
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

    fn unmet(
        &self,
        task: &PlannedTask,
        selected: &BTreeSet<TaskNumber>,
    ) -> Option<UnmetDependencies> {
        let depends_on = task.depends_on.iter().filter_map(|number| {
            let before = self.task(*number)?;
            let is_met = selected.contains(number) || before.claims == TaskStatus::Complete;
            (!is_met).then_some((*number, before.claims))
        });
        let depends_on: Vec<_> = depends_on.collect();
        (!depends_on.is_empty()).then_some(UnmetDependencies {
            task: task.number,
            depends_on,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::tests::fixture::{faulty_plan, number, plan, task};

    fn selection(tasks: &[&str], from: Option<&str>) -> TaskSelection {
        TaskSelection {
            tasks: tasks.iter().map(|name| name.parse().unwrap()).collect(),
            from: from.map(|name| name.parse().unwrap()),
        }
    }

    /// The tasks and the first of a row that are selected, and what comes of it.
    type Case = (
        &'static [&'static str],
        Option<&'static str>,
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
    fn a_task_is_named_by_its_number_or_with_its_unit() {
        for text in ["3", "web/3"] {
            assert_eq!(text.parse::<TaskName>().unwrap().to_string(), text);
        }
        for text in ["", "0", "-1", "3a", "web/", "/3", "web/0", "a/b/3", "../3"] {
            let error = text.parse::<TaskName>().unwrap_err();
            let expected = format!("\"{text}\" names no task; write its number, or UNIT/NUMBER");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn selected_tasks_need_their_dependencies_selected_or_complete() {
        let cases: [Case; 10] = [
            (&["2"], None, Ok(&[2])),
            (&["web/2", "4"], None, Ok(&[2, 4])),
            (&["2", "2"], None, Ok(&[2])),
            // The order is 1, 2, 4, 5, 3.
            (&[], Some("5"), Ok(&[3, 5])),
            (&[], Some("1"), Ok(&[1, 2, 3, 4, 5])),
            (&["2"], Some("4"), Ok(&[2, 3, 4, 5])),
            (
                &[],
                Some("4"),
                Err("task 4 depends on task 2 (pending): not selected and not complete"),
            ),
            (
                &["3", "4"],
                None,
                Err(
                    "task 3 depends on task 5 (pending); task 4 depends on task 2 (pending): \
                     not selected and not complete",
                ),
            ),
            (
                &["9"],
                None,
                Err("unit web has no task 9; it has 5 tasks, numbered from 1 to 5"),
            ),
            (
                &["api/2"],
                None,
                Err("task api/2 is not of unit web, whose tasks are run"),
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
        let error = five().select(&selection(&["3", "4"], None)).unwrap_err();
        assert_eq!(error.missing(), BTreeSet::from([2, 5].map(number)));
    }

    #[test]
    fn a_plan_with_faults_is_left_to_the_run_to_refuse() {
        let plan = faulty_plan(vec![task(1, &[]), task(2, &[1])], &["no"]);
        let selected = plan.select(&selection(&["2"], None));
        assert_eq!(selected, Ok(BTreeSet::from([number(2)])));
    }
}
