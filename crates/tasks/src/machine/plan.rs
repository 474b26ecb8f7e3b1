//! The plan: the tasks of a unit as the machine and its executor use them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use review_document::workspace::{Document, DocumentRole};
use review_document::{Fault, SourceText, TaskFile, Unit, listed_tests};
use review_types::{TaskNumber, TaskStatus, UnitId, listed};
use serde::{Deserialize, Serialize};

use crate::must_pass::why_unnamed;

/// The tasks of a unit, or the faults that keep all of them from running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskPlan {
    /// The unit.
    pub unit: UnitId,
    tasks: Vec<PlannedTask>,
    /// In words, with their places.
    faults: Vec<String>,
}

/// One task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedTask {
    /// Its number.
    pub number: TaskNumber,
    /// Its title; empty when it has none.
    pub title: String,
    /// Its file, relative to the root.
    pub path: String,
    /// The tasks that must pass first.
    pub depends_on: Vec<TaskNumber>,
    /// Its commands, one step each; empty when it has none.
    pub commands: Vec<String>,
    /// The tests that must run and pass, each once.
    pub must_pass: Vec<String>,
    /// The time limit of its commands together, if it has one.
    pub timeout: Option<Duration>,
    /// The status that its file claims.
    pub claims: TaskStatus,
    /// Patterns for protected files that its agent may change.
    pub may_change: Vec<String>,
    /// Patterns for files that no agent of its unit sees, those of all its tasks.
    pub hidden: Vec<String>,
}

impl TaskPlan {
    /// Returns which tasks list tests that their commands do not name, and why, in words.
    pub fn unnamed_tests(&self) -> Option<String> {
        let mut unnamed: BTreeMap<String, Vec<TaskNumber>> = BTreeMap::new();
        for task in self.tasks.iter().filter(|task| !task.must_pass.is_empty()) {
            if let Some(why) = why_unnamed(&task.commands) {
                unnamed.entry(why).or_default().push(task.number);
            }
        }
        let unnamed = unnamed.iter().map(|(why, tasks)| {
            let noun = if tasks.len() == 1 { "task" } else { "tasks" };
            format!("{noun} {}: {why}", listed(tasks, usize::MAX))
        });
        let unnamed = unnamed.collect::<Vec<_>>().join("; ");
        let message = format!("listed tests are not checked by name in {unnamed}");
        (!unnamed.is_empty()).then_some(message)
    }

    /// Returns the plan of the unit in a folder, from its files: paths relative to the
    /// root, with their contents.
    ///
    /// ```
    /// use review_tasks::TaskPlan;
    ///
    /// let files = [("tasks/web/01-a.md", "---\ntask: 1\nbackpressure: make check\n---\n# A\n")];
    /// let plan = TaskPlan::load("web".parse()?, "tasks/web", &files);
    /// assert_eq!(plan.tasks()[0].command(), "make check");
    /// assert!(plan.faults().is_empty());
    /// # Ok::<(), review_types::IdError>(())
    /// ```
    pub fn load<'s, P, T>(id: UnitId, dir: &str, files: &[(P, T)]) -> Self
    where
        P: AsRef<str>,
        T: Into<SourceText<'s>> + Clone,
    {
        let texts = || files.iter().map(|(path, text)| (path.as_ref(), text));
        let unit = Unit::load(id, dir, texts().map(|(path, text)| (path, text.clone())));
        let faults = unit.graph().runnable().err().unwrap_or_default();
        let texts: BTreeMap<_, _> = texts().collect();
        let must_pass = |task: &TaskFile| {
            let text = texts.get(task.path.as_str());
            text.map_or_else(Vec::new, |&text| listed_in(&task.path, text.clone()))
        };
        let tasks = unit.tasks.iter();
        Self::new(
            unit.id.clone(),
            tasks.filter_map(|task| PlannedTask::of(task, must_pass(task))),
            faults.iter().map(shown),
        )
    }

    /// Returns a plan of tasks in any order; of several with one number the first
    /// counts.
    pub(crate) fn new(
        unit: UnitId,
        tasks: impl IntoIterator<Item = PlannedTask>,
        faults: impl IntoIterator<Item = String>,
    ) -> Self {
        let mut tasks: Vec<_> = tasks.into_iter().collect();
        tasks.sort_by_key(|task| task.number);
        tasks.dedup_by_key(|task| task.number);
        let hidden: BTreeSet<_> = tasks.iter().flat_map(|task| task.hidden.clone()).collect();
        for task in &mut tasks {
            task.hidden = hidden.iter().cloned().collect();
        }
        Self {
            unit,
            tasks,
            faults: faults.into_iter().collect(),
        }
    }

    /// Returns the tasks by number, each number once.
    pub fn tasks(&self) -> &[PlannedTask] {
        &self.tasks
    }

    /// Returns the faults that keep all tasks from running; usually empty.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// Returns whether the other plan has the same tasks with the same commands,
    /// ignoring the statuses that their files claim.
    pub fn asks_the_same(&self, other: &Self) -> bool {
        let unclaimed = |plan: &Self| {
            let mut plan = plan.clone();
            for task in &mut plan.tasks {
                task.claims = TaskStatus::Pending;
            }
            plan
        };
        unclaimed(self) == unclaimed(other)
    }

    /// Returns the task with this number.
    pub fn task(&self, number: TaskNumber) -> Option<&PlannedTask> {
        self.position(number).map(|at| &self.tasks[at])
    }

    /// Returns the plan of some of its tasks, without the others as dependencies.
    pub fn only(&self, numbers: &BTreeSet<TaskNumber>) -> Self {
        let tasks = self.tasks.iter();
        let mut tasks: Vec<_> = tasks
            .filter(|task| numbers.contains(&task.number))
            .cloned()
            .collect();
        for task in &mut tasks {
            task.depends_on.retain(|before| numbers.contains(before));
        }
        Self {
            unit: self.unit.clone(),
            tasks,
            faults: self.faults.clone(),
        }
    }

    pub(crate) fn position(&self, number: TaskNumber) -> Option<usize> {
        self.tasks
            .binary_search_by_key(&number, |task| task.number)
            .ok()
    }
}

impl PlannedTask {
    fn of(file: &TaskFile, must_pass: Vec<String>) -> Option<Self> {
        let number = file.number.as_ref()?.value;
        Some(Self {
            number,
            title: file
                .title
                .as_ref()
                .map_or_else(String::new, |t| t.value.clone()),
            path: file.path.clone(),
            depends_on: file.depends_on.iter().map(|edge| edge.value).collect(),
            commands: file.backpressure.iter().map(|c| c.value.clone()).collect(),
            must_pass,
            timeout: file.timeout.as_ref().map(|timeout| timeout.value),
            claims: file.status,
            may_change: file.may_change.iter().map(|p| p.value.clone()).collect(),
            hidden: file.hidden.iter().map(|p| p.value.clone()).collect(),
        })
    }

    /// Returns whether the same commands and tests prove both tasks.
    pub(crate) fn is_proved_like(&self, other: &Self) -> bool {
        self.commands == other.commands && self.must_pass == other.must_pass
    }

    /// Returns its commands as one string, one step per line.
    pub fn command(&self) -> String {
        self.commands.join("\n")
    }
}

/// Returns the names of the tests that a task file lists, each once.
fn listed_in<'s>(path: &str, text: impl Into<SourceText<'s>>) -> Vec<String> {
    let document = Document::parse(path, DocumentRole::Task, text);
    let mut seen = BTreeSet::new();
    let tests = listed_tests(&document.outline).into_iter();
    let names = tests
        .map(|test| test.name)
        .filter(|name| seen.insert(*name));
    names.map(str::to_owned).collect()
}

/// A fault with its place, and a suggestion for the fix if there is one.
fn shown(fault: &Fault) -> String {
    let hint = fault
        .kind
        .hint()
        .map_or_else(String::new, |hint| format!("; {hint}"));
    format!(
        "{}:{}: {fault}{hint}",
        fault.path, fault.place.position.line
    )
}
