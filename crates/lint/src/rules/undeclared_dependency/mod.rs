//! D1.

mod mentions;

use std::collections::BTreeSet;

use review_document::{Fault, Graph, TaskFile};
use review_types::TaskNumber;

use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

use mentions::MENTIONS;

rule! {
    /// Finds a task whose text names a dependency that `depends_on` lacks.
    ///
    /// ## What it does
    /// Reads sentences such as "Task #1 must be complete" and "Depends on task #1", and
    /// the items under a heading about dependencies that start with task numbers.
    /// Indirect dependencies are not reported, nor are "None (parallel with Task #1)"
    /// and out-of-scope sections.
    ///
    /// ## Why is this bad
    /// Only `depends_on` determines the order: this task may run before what it needs
    /// exists.
    ///
    /// ## Example
    /// `- Task #1 must be complete (provides: types)` with `depends_on: []`.
    ///
    /// ## Fix
    /// Add the number: `depends_on: [1]`.
    UndeclaredDependency {
        code: "D1",
        name: "undeclared-dependency",
        criterion: Consistency,
        severity: Warning,
        summary: "The body of a task names a dependency that its front matter lacks.",
    }
}

/// The maximum number of mentions that are looked up in the graph.
const MAX_LOOKED_UP: usize = 200;

impl UndeclaredDependency {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let unit = facts.workspace.unit.as_ref().zip(facts.graph());
        let (Some((unit, graph)), Some(mentions)) = (unit, MENTIONS.as_ref()) else {
            return;
        };
        let mut order = Order::new(graph);
        for task in &facts.tasks {
            let (task, document) = (task.file, task.document);
            let Some(own) = &task.number else {
                continue;
            };
            if task.faults.iter().any(Fault::stops_tasks) {
                continue;
            }
            let mut seen: BTreeSet<_> = task.depends_on.iter().map(|known| known.value).collect();
            seen.insert(own.value);
            for (number, span) in mentions.of(document, own.value) {
                sink.look_at(1);
                if !seen.insert(number) || unit.task(number).is_none() {
                    continue;
                }
                if order.comes_before(number, own.value) != Some(false) {
                    continue;
                }
                let message = format!(
                    "The text states a dependency on task #{number}, which `depends_on` lacks."
                );
                if order.comes_before(own.value, number) == Some(true) {
                    let suggestion = format!(
                        "Correct the text, or the dependencies of task #{number}, which depends on this one."
                    );
                    sink.push(document, span, message, suggestion);
                } else {
                    let suggestion = format!("Write `depends_on: {}`.", with(task, number));
                    sink.push(document, span, message, suggestion);
                }
            }
        }
    }
}

/// The order of tasks, looked up a limited number of times.
struct Order<'f> {
    graph: &'f Graph,
    left: usize,
}

impl<'f> Order<'f> {
    fn new(graph: &'f Graph) -> Self {
        Self {
            graph,
            left: MAX_LOOKED_UP,
        }
    }

    /// Whether `second` depends on `first`, directly or indirectly.
    fn comes_before(&mut self, first: TaskNumber, second: TaskNumber) -> Option<bool> {
        self.left = self.left.checked_sub(1)?;
        Some(self.graph.dependents(first).contains(&second))
    }
}

/// The dependencies of `task` with one more, inserted before the first larger one.
fn with(task: &TaskFile, number: TaskNumber) -> String {
    let mut numbers: Vec<_> = task.depends_on.iter().map(|known| known.value).collect();
    let larger = numbers.iter().position(|known| *known > number);
    numbers.insert(larger.unwrap_or(numbers.len()), number);
    let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
    format!("[{}]", numbers.join(", "))
}
