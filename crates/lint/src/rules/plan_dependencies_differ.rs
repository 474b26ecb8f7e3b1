//! P2.

use std::collections::{BTreeSet, HashSet};

use review_document::{Fault, FaultKind, TaskFile};
use review_types::TaskNumber;

use crate::Rule;
use crate::facts::Facts;
use crate::facts::numbers::listed;
use crate::finding::{Fix, Safety};
use crate::original::Original;
use crate::rule::rule;
use crate::sink::{Sink, excerpt};

rule! {
    /// Finds a row of the plan whose dependencies are not those of the task.
    ///
    /// ## What it does
    /// Reads the numbers in the dependencies column of the plan's task tables,
    /// ranges included, and compares them with `depends_on` of the task file.
    /// Whether `depends_on` names the task itself or one that does not exist
    /// makes no difference: `self-dependency` and `unknown-dependency` report
    /// that. A cell that says anything else is left alone.
    ///
    /// ## Why is this bad
    /// Tasks run by `depends_on`; a reader of the plan expects another order.
    ///
    /// ## Example
    /// `| 3 | 03-loop.md | #1 |` where the file says `depends_on: [1, 2]`.
    ///
    /// ## Fix
    /// Write what the file has: `#1, #2`. Where the plan is right, change
    /// `depends_on` instead. Where something is wrong with `depends_on` itself,
    /// correct that first.
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

const CORRECT_FIRST: &str =
    "Correct `depends_on` of the task file first, then list the same in the plan.";

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
                    let suggestion =
                        format!("Write `{text}` in the plan, as the task file has it.");
                    sink.push(plan.document, span, message, suggestion)
                        .fix(fix)
                        .copies(Original::of(task, CORRECT_FIRST).dependencies(task));
                }
            }
        }
    }
}

/// The tasks on the cycles that another rule reports.
fn on_cycle(facts: &Facts<'_>) -> HashSet<TaskNumber> {
    let faults = facts.faults(Rule::DependencyCycle);
    let paths = faults.filter_map(|fault| match &fault.kind {
        FaultKind::Cycle { path } => Some(path),
        _ => None,
    });
    paths.flatten().copied().collect()
}

/// What a task depends on.
struct Declared {
    all: BTreeSet<TaskNumber>,
    /// Without itself and tasks that do not exist, which other rules report.
    sound: BTreeSet<TaskNumber>,
}

/// What a task depends on, where the plan has something else.
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
        "The plan lists the dependencies of `{}` as {}, its `depends_on` as {}.",
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
