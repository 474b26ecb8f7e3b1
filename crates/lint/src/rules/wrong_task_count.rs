//! D3.

use review_types::plural;

use crate::facts::Facts;
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a task whose text gives the wrong number of tasks.
    ///
    /// ## What it does
    /// Compares the count in `#3 of 7`, before the first section of a task, with the
    /// number of task files. A count that matches the plan's task table is not
    /// reported, since files may be missing.
    ///
    /// ## Why is this bad
    /// A reader looks for tasks that do not exist, or assumes too early that the unit
    /// is complete.
    ///
    /// ## Example
    /// `**Task**: #3 of 7 in implementation plan` in a unit of eight tasks.
    ///
    /// ## Fix
    /// Write the number of task files: `#3 of 8`.
    WrongTaskCount {
        code: "D3",
        name: "wrong-task-count",
        criterion: Consistency,
        severity: Info,
        fixes: [Safe],
        summary: "The body of a task gives the wrong number of tasks.",
    }
}

impl WrongTaskCount {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let Some(unit) = &facts.workspace.unit else {
            return;
        };
        let files = unit.tasks.len();
        let rows = facts.plan().map(|plan| plan.rows().count());
        for task in &facts.tasks {
            let Some(stated) = task.ordinal() else {
                continue;
            };
            sink.look_at(1);
            let count = usize::try_from(stated.count).unwrap_or(usize::MAX);
            if count == stated.right_count(files, rows) {
                continue;
            }
            let number = task.file.number.as_ref();
            let number = number.map_or(stated.number, |number| number.value.get());
            let tasks = plural(files, "task", "tasks");
            sink.push(
                task.document,
                stated.span,
                format!("The text gives the number of tasks as {count}, but the unit has {tasks}."),
                format!("Write `#{number} of {files}` instead."),
            )
            .fix(Some(Fix::one(
                Safety::Safe,
                stated.count_span,
                files.to_string(),
            )));
        }
    }
}
