//! G4.

use crate::Rule;
use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds tasks that depend on one another in a cycle.
    ///
    /// ## What it does
    /// Follows `depends_on` from task to task and reports the path of a cycle.
    ///
    /// ## Why is this bad
    /// None of the tasks on the cycle can start, so no task of the unit runs.
    ///
    /// ## Example
    /// Task 2 has `depends_on: [3]`, task 3 has `depends_on: [2]`.
    ///
    /// ## Fix
    /// Remove one dependency of the cycle; if both tasks really need each other, move
    /// what they share into a task of its own.
    DependencyCycle {
        code: "G4",
        name: "dependency-cycle",
        criterion: Architecture,
        severity: Error,
        summary: "Tasks depend on one another in a cycle.",
    }
}

impl DependencyCycle {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        sink.look_at(facts.task_count());
        for fault in facts.faults(Rule::DependencyCycle) {
            sink.push_fault(
                fault,
                "Remove one number of this cycle from the `depends_on` of its task.".to_owned(),
            );
        }
    }
}
