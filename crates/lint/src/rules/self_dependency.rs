//! G2.

use crate::Rule;
use crate::facts::Facts;
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
        summary: "A task depends on itself.",
    }
}

impl SelfDependency {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        sink.look_at(facts.task_count());
        for fault in facts.faults(Rule::SelfDependency) {
            let suggestion = "Remove the task's own number from `depends_on`.".to_owned();
            sink.push_fault(fault, suggestion);
        }
    }
}
