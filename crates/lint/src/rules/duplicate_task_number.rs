//! G1.

use review_document::FaultKind;

use crate::Rule;
use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a task number that two tasks of a unit have.
    ///
    /// ## What it does
    /// Compares `task:` in all task files of the unit.
    ///
    /// ## Why is this bad
    /// `depends_on` and status reports refer to tasks by number. If two tasks have the
    /// same number the reference is ambiguous, and no task of the unit runs.
    ///
    /// ## Example
    /// `03-cache.md` and `04-index.md` both start with `task: 3`.
    ///
    /// ## Fix
    /// Give one of the two the next free number, and check the `depends_on` of the
    /// other tasks.
    DuplicateTaskNumber {
        code: "G1",
        name: "duplicate-task-number",
        criterion: Consistency,
        severity: Error,
        summary: "Two tasks of a unit have the same number.",
    }
}

impl DuplicateTaskNumber {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        sink.look_at(facts.task_count());
        for fault in facts.faults(Rule::DuplicateTaskNumber) {
            let FaultKind::DuplicateNumber { number, free, .. } = fault.kind else {
                continue;
            };
            sink.push_fault(
                fault,
                format!("Change `task: {number}` to `task: {free}` in this file."),
            );
        }
    }
}
