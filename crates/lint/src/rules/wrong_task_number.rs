//! D2.

use crate::Rule;
use crate::facts::Facts;
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a task whose text gives a different number from its front matter.
    ///
    /// ## What it does
    /// Compares the number in `#3 of 7`, before the first section of a task,
    /// with `task`.
    ///
    /// ## Why is this bad
    /// Tasks refer to one another by number. A reader confuses this one with another.
    ///
    /// ## Example
    /// `**Task**: #3 of 7 in implementation plan` in a file with `task: 4`.
    ///
    /// ## Fix
    /// Write the number of the front matter: `#4 of 7` in a unit of 7 tasks.
    WrongTaskNumber {
        code: "D2",
        name: "wrong-task-number",
        criterion: Consistency,
        severity: Warning,
        fixes: [Safe],
        summary: "The body of a task gives a different number from its front matter.",
    }
}

impl WrongTaskNumber {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let Some(unit) = &facts.workspace.unit else {
            return;
        };
        let rows = facts.plan().map(|plan| plan.rows().count());
        let is_doubtful = facts.faults(Rule::DuplicateTaskNumber).next().is_some();
        for task in &facts.tasks {
            let (Some(number), Some(stated)) = (&task.file.number, task.ordinal()) else {
                continue;
            };
            sink.look_at(1);
            let number = number.value.get();
            if stated.number == number {
                continue;
            }
            let count = stated.right_count(unit.tasks.len(), rows);
            sink.push(
                task.document,
                stated.span,
                format!(
                    "The text gives the task number #{}, but the front matter has #{number}.",
                    stated.number
                ),
                format!("Write `#{number} of {count}` instead."),
            )
            .fix(
                (!is_doubtful)
                    .then(|| Fix::one(Safety::Safe, stated.number_span, number.to_string())),
            );
        }
    }
}
