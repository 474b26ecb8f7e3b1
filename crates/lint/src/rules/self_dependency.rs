//! G2.

use review_document::{Fault, Span};

use crate::Rule;
use crate::facts::Facts;
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a task that depends on itself.
    ///
    /// ## What it does
    /// Looks for a task's own number in its `depends_on`.
    ///
    /// ## Why is this bad
    /// The task waits for itself and can never start, so no task of the unit
    /// runs.
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
            sink.push_fault(fault, suggestion)
                .fix(removal(facts, fault));
        }
    }
}

/// Removes an item of a flow list with one of its commas.
fn removal(facts: &Facts<'_>, fault: &Fault) -> Option<Fix> {
    let source = &facts.document(&fault.path)?.source;
    let item = fault.place.span;
    let before = source.get(..item.start)?.trim_end_matches([' ', '\t']);
    let after = source.get(item.end..)?;
    let behind = after.len() - after.trim_start_matches([' ', '\t']).len();
    let next = after[behind..].chars().next();
    let span = match (before.chars().next_back(), next) {
        (Some(','), Some(',' | ']')) => Span::new(before.len() - 1, item.end),
        (Some('['), Some(',')) => {
            let rest = &after[behind + 1..];
            let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            Span::new(item.start, item.end + behind + 1 + blank)
        }
        (Some('['), Some(']')) => item,
        _ => return None,
    };
    Some(Fix::one(Safety::Unsafe, span, ""))
}
