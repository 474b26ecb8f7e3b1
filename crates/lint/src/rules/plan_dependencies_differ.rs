//! P2.

use std::collections::BTreeSet;

use review_document::markdown::Cell;
use review_document::{Fault, TaskFile};
use review_types::TaskNumber;

use crate::facts::numbers::{listed, without_remarks};
use crate::facts::{Facts, PlanTables};
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::{Sink, excerpt};

rule! {
    /// Finds a row of the plan whose dependencies are not those of the task.
    ///
    /// ## What it does
    /// Reads the numbers in the dependencies column of the plan's task tables,
    /// ranges included, and compares them with `depends_on` of the task file.
    /// A cell that says anything else is left alone.
    ///
    /// ## Why is this bad
    /// Tasks run by `depends_on`; whoever reads the plan expects another order.
    ///
    /// ## Example
    /// `| 3 | 03-loop.md | #1 |` where the file says `depends_on: [1, 2]`.
    ///
    /// ## Fix
    /// Write what the file says: `#1, #2`. Where the plan is right, change
    /// `depends_on` instead.
    PlanDependenciesDiffer {
        code: "P2",
        name: "plan-dependencies-differ",
        criterion: Consistency,
        severity: Warning,
        fixes: [Unsafe],
        summary: "The plan and the task file disagree on what a task depends on.",
    }
}

/// The most numbers that a message names.
const MAX_NAMED: usize = 12;

impl PlanDependenciesDiffer {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let Some(plan) = facts.plan() else { return };
        for table in &plan.tables {
            for row in &table.rows {
                if let (Some(cell), Some(task)) = (row.dependencies, row.task)
                    && let Some(planned) = &row.depends_on
                    && !task.faults.iter().any(Fault::stops_tasks)
                {
                    sink.look_at(1);
                    let Some(declared) = other_than(planned, task) else {
                        continue;
                    };
                    let span = plan.content(cell).unwrap_or_else(|| row.span());
                    let message = message(task, planned, &declared);
                    let text = listed(&declared, table.writes_hashes());
                    let suggestion =
                        format!("Write `{text}` in the plan, as the task file has it.");
                    sink.push(plan.document, span, message, suggestion)
                        .fix(fix(plan, cell, text));
                }
            }
        }
    }
}

/// What a task depends on, where the plan has something else.
fn other_than(planned: &BTreeSet<TaskNumber>, task: &TaskFile) -> Option<BTreeSet<TaskNumber>> {
    let declared = task.depends_on.iter().map(|number| number.value);
    if declared.clone().eq(planned.iter().copied()) {
        return None;
    }
    Some(declared.collect()).filter(|declared| planned != declared)
}

fn message(
    task: &TaskFile,
    planned: &BTreeSet<TaskNumber>,
    declared: &BTreeSet<TaskNumber>,
) -> String {
    format!(
        "The plan lists the dependencies of `{}` as {}, its `depends_on` as {}.",
        excerpt(task.file_name(), 120),
        named(planned),
        named(declared)
    )
}

/// Remarks in brackets would be lost.
fn fix(plan: &PlanTables<'_>, cell: Cell<'_>, text: String) -> Option<Fix> {
    let plain = without_remarks(cell.text) == cell.text;
    let span = plan.content(cell).filter(|_| plain)?;
    Some(Fix::one(Safety::Unsafe, span, text))
}

fn named(numbers: &BTreeSet<TaskNumber>) -> String {
    if numbers.len() > MAX_NAMED {
        let first = numbers.iter().take(MAX_NAMED).copied().collect();
        return format!("{} and more", listed(&first, true));
    }
    listed(numbers, true).replace("None", "none")
}
