//! P4.

use std::collections::HashSet;

use review_document::{TaskFile, markdown_stem};
use review_types::{TaskNumber, excerpt};

use crate::facts::{Facts, PlanTables};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a task file that the plan does not list.
    ///
    /// ## What it does
    /// Looks up every task file of the unit in the rows of the plan's task tables, and
    /// then anywhere in the plan. A plan without a task table is not checked.
    ///
    /// ## Why is this bad
    /// The task runs although it is not planned, or the plan is out of date.
    ///
    /// ## Example
    /// `04-events.md` next to a plan whose table ends with `03-criteria.md`.
    ///
    /// ## Fix
    /// Add the row, or remove the file.
    TaskNotInPlan {
        code: "P4",
        name: "task-not-in-plan",
        criterion: Completeness,
        severity: Warning,
        summary: "The plan does not list a task file.",
    }
}

/// The maximum number of findings that are examined.
const MAX_MISSING: usize = 200;

impl TaskNotInPlan {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let Some(plan) = facts.plan() else { return };
        let Some(table) = plan.tables.last() else {
            return;
        };
        sink.look_at(plan.unit.tasks.len());
        let known = Known::of(plan);
        let missing = plan.unlisted.iter().filter(|task| !known.has(task));
        for task in missing.take(MAX_MISSING) {
            let name = excerpt(task.file_name(), 120);
            sink.push(
                plan.document,
                table.head(),
                format!("The plan does not list `{name}`."),
                "Add its row to the plan.".to_owned(),
            );
        }
    }
}

/// The tasks that a plan mentions outside of their rows.
struct Known<'a> {
    /// The numbers of rows without a file, which another rule reports.
    numbers: HashSet<TaskNumber>,
    /// All words of the plan.
    words: HashSet<&'a str>,
}

impl<'a> Known<'a> {
    fn of(plan: &PlanTables<'a>) -> Self {
        let orphans = plan.rows().filter(|row| row.task.is_none());
        let is_name = |c: char| c.is_alphanumeric() || "-_.+".contains(c);
        let words = plan.document.source.split(|c| !is_name(c));
        Self {
            numbers: orphans.filter_map(|row| row.number).collect(),
            words: words.map(|word| word.trim_end_matches('.')).collect(),
        }
    }

    fn has(&self, task: &TaskFile) -> bool {
        let name = task.file_name();
        let stem = markdown_stem(name);
        let number = task.number.as_ref().map(|number| number.value);
        number.is_some_and(|number| self.numbers.contains(&number))
            || self.words.contains(name)
            || stem.is_some_and(|stem| self.words.contains(stem))
    }
}
