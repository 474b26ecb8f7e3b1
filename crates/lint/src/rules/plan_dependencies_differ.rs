//! P2.

use std::collections::{BTreeSet, HashSet};

use review_document::{Fault, FaultKind, TaskFile};
use review_types::{TaskNumber, excerpt};

use crate::Rule;
use crate::facts::Facts;
use crate::facts::numbers::listed;
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a row of the plan whose dependencies differ from those of the task.
    ///
    /// ## What it does
    /// Reads the numbers in the dependencies column of the plan's task tables,
    /// including ranges, and compares them with `depends_on` in the task file.
    /// Dependencies on the task itself or on missing tasks are ignored:
    /// `self-dependency` and `unknown-dependency` report them. A cell with other
    /// content is not checked.
    ///
    /// ## Why is this bad
    /// Tasks run in the order of `depends_on`; a reader of the plan expects another
    /// order.
    ///
    /// ## Example
    /// `| 3 | 03-loop.md | #1 |` where the file has `depends_on: [1, 2]`.
    ///
    /// ## Fix
    /// Write the numbers of the task file: `#1, #2`. If the plan is right, change
    /// `depends_on` instead. If `depends_on` itself has a problem, correct that first.
    PlanDependenciesDiffer {
        code: "P2",
        name: "plan-dependencies-differ",
        criterion: Consistency,
        severity: Warning,
        fixes: [Unsafe],
        summary: "The plan and the task file disagree on the dependencies of a task.",
    }
}

/// The maximum number of task numbers in a message.
const MAX_NAMED: usize = 12;

const CORRECT_FIRST: &str =
    "Correct `depends_on` in the task file first, then copy it to the plan.";

impl PlanDependenciesDiffer {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let Some(plan) = facts.plan() else { return };
        let on_cycle = on_cycle(facts);
        for table in &plan.tables {
            for row in &table.rows {
                if let (Some(cell), Some(task)) = (row.dependencies, row.task)
                    && let Some(planned) = &row.depends_on
                    && !task.faults.iter().any(Fault::stops_tasks)
                {
                    sink.look_at(1);
                    let Some(declared) = other_than(planned, task, facts) else {
                        continue;
                    };
                    let span = plan.content(cell).unwrap_or_else(|| row.span());
                    let message = message(task, planned, &declared.all);
                    let text = listed(&declared.sound, table.writes_hashes);
                    let number = task.number.as_ref().map(|number| number.value);
                    if number.is_some_and(|number| on_cycle.contains(&number)) {
                        sink.push(plan.document, span, message, CORRECT_FIRST.to_owned());
                        continue;
                    }
                    let fix = plan.rewritten(cell, text.clone());
                    let fix = fix.map(|edit| Fix::of(Safety::Unsafe, vec![edit]));
                    let suggestion = format!("Write `{text}` in the plan, as in the task file.");
                    sink.push(plan.document, span, message, suggestion).fix(fix);
                }
            }
        }
    }
}

/// The tasks on cycles, which another rule reports.
fn on_cycle(facts: &Facts<'_>) -> HashSet<TaskNumber> {
    let faults = facts.faults(Rule::DependencyCycle);
    let paths = faults.filter_map(|fault| match &fault.kind {
        FaultKind::Cycle { path } => Some(path),
        _ => None,
    });
    paths.flatten().copied().collect()
}

/// The dependencies of a task.
struct Declared {
    all: BTreeSet<TaskNumber>,
    /// Without the task itself and missing tasks, which other rules report.
    sound: BTreeSet<TaskNumber>,
}

/// The dependencies of a task, if the plan has different ones.
fn other_than(
    planned: &BTreeSet<TaskNumber>,
    task: &TaskFile,
    facts: &Facts<'_>,
) -> Option<Declared> {
    let declared = task.depends_on.iter().map(|number| number.value);
    if declared.clone().eq(planned.iter().copied()) {
        return None;
    }
    let declared = Declared {
        all: declared.clone().collect(),
        sound: facts.sound(task, declared),
    };
    (declared.all != *planned && declared.sound != *planned).then_some(declared)
}

fn message(
    task: &TaskFile,
    planned: &BTreeSet<TaskNumber>,
    declared: &BTreeSet<TaskNumber>,
) -> String {
    format!(
        "The plan lists the dependencies of `{}` as {}, but its `depends_on` lists {}.",
        excerpt(task.file_name(), 120),
        named(planned),
        named(declared)
    )
}

fn named(numbers: &BTreeSet<TaskNumber>) -> String {
    if numbers.len() > MAX_NAMED {
        let first = numbers.iter().take(MAX_NAMED).copied().collect();
        return format!("{} and more", listed(&first, true));
    }
    listed(numbers, true).replace("None", "none")
}
