//! G3.

use review_document::FaultKind;

use crate::Rule;
use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a dependency on a task that the unit does not have.
    ///
    /// ## What it does
    /// Looks up every number in `depends_on` among the tasks of the unit.
    ///
    /// ## Why is this bad
    /// The dependency can never complete, so no task of the unit runs. Usually a task
    /// was renumbered or split.
    ///
    /// ## Example
    /// `depends_on: [1, 9]` in a unit of four tasks.
    ///
    /// ## Fix
    /// Use the number of an existing task, or remove it.
    UnknownDependency {
        code: "G3",
        name: "unknown-dependency",
        criterion: Consistency,
        severity: Error,
        summary: "A task depends on a number that no task of the unit has.",
    }
}

impl UnknownDependency {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        sink.look_at(facts.task_count());
        for fault in facts.faults(Rule::UnknownDependency) {
            let FaultKind::UnknownDependency { missing, .. } = fault.kind else {
                continue;
            };
            let known = fault.kind.hint().unwrap_or_default();
            sink.push_fault(
                fault,
                format!("Remove {missing} from `depends_on`, or use a task of the unit: {known}."),
            );
        }
    }
}
