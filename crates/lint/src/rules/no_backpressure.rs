//! B1.

use crate::Rule;
use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a task without a command.
    ///
    /// ## What it does
    /// Checks that the front matter of each task has `backpressure:`.
    ///
    /// ## Why is this bad
    /// Nothing can prove that the task is done, so it always fails.
    ///
    /// ## Example
    /// A task file whose front matter ends after `depends_on: []`.
    ///
    /// ## Fix
    /// Add a command that fails until the task is done: `backpressure: "cargo test -p
    /// store cache"`.
    NoBackpressure {
        code: "B1",
        name: "no-backpressure",
        criterion: Testability,
        severity: Error,
        summary: "A task has no backpressure command.",
    }
}

impl NoBackpressure {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        sink.look_at(facts.task_count());
        for fault in facts.faults(Rule::NoBackpressure) {
            sink.push_fault(
                fault,
                "Add `backpressure: \"COMMAND\"` to the front matter, with a command that fails \
                 until the task is done."
                    .to_owned(),
            );
        }
    }
}
