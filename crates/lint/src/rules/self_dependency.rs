//! G2.

use review_document::{Fault, FaultKind};

use crate::Rule;
use crate::copies::{Change, in_plan};
use crate::facts::Facts;
use crate::finding::Fix;
use crate::list_item::without;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a task that depends on itself.
    ///
    /// ## What it does
    /// Checks whether a task's `depends_on` has its own number.
    ///
    /// ## Why is this bad
    /// The task can never start, so no task of the unit runs.
    ///
    /// ## Example
    /// `task: 2` with `depends_on: [1, 2]`.
    ///
    /// ## Fix
    /// Remove the number: `depends_on: [1]`.
    SelfDependency {
        code: "G2",
        name: "self-dependency",
        criterion: Consistency,
        severity: Error,
        fixes: [Unsafe],
        summary: "A task depends on itself.",
    }
}

impl SelfDependency {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        sink.look_at(facts.task_count());
        for fault in facts.faults(Rule::SelfDependency) {
            let suggestion = "Remove the task's own number from `depends_on`.".to_owned();
            sink.push_fault(fault, suggestion)
                .fix(removal(facts, fault));
        }
    }
}

/// No fix if another task has the same number, which may be the intended one.
fn removal(facts: &Facts<'_>, fault: &Fault) -> Option<Fix> {
    let FaultKind::SelfDependency { number } = fault.kind else {
        return None;
    };
    let source = &facts.document(&fault.path)?.source;
    let fix = without(source, fault.place.span).filter(|_| !facts.is_ambiguous(number))?;
    in_plan(facts, &fault.path, Change::Removes(number), fix)
}
