//! G5.

use std::collections::BTreeSet;

use review_document::{Fault, FaultKind};

use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;
use crate::{Rule, Severity};

rule! {
    /// Finds a unit that waits for a unit that is not there, or for itself.
    ///
    /// ## What it does
    /// Looks up the names of a plan's `depends_on` among the units of the
    /// workspace, archived ones included, and follows them for cycles. Where
    /// the plans of the workspace name several units that are not there, only
    /// a part of the units is at hand, and the finding is a warning.
    ///
    /// ## Why is this bad
    /// A misspelt unit is waited for in vain, or not waited for at all.
    ///
    /// ## Example
    /// `depends_on: [event]` in a workspace whose unit is called `events`.
    ///
    /// ## Fix
    /// Write the name of the unit's folder.
    BrokenUnitDependency {
        code: "G5",
        name: "broken-unit-dependency",
        criterion: Consistency,
        severity: Error,
        summary: "A plan depends on a unit that does not exist, or units wait for one another.",
    }
}

impl BrokenUnitDependency {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let Some(unit) = &facts.workspace.unit else {
            return;
        };
        let Some(plan) = &unit.plan else {
            return;
        };
        sink.look_at(plan.depends_on.len());
        for fault in facts
            .faults(Rule::BrokenUnitDependency)
            .chain(facts.unit_faults())
        {
            match &fault.kind {
                FaultKind::UnknownUnit {
                    missing, nearest, ..
                } if fault.path == plan.path => {
                    let suggestion = match nearest.as_slice() {
                        [] => format!("Remove `{missing}` from `depends_on`, or add the unit."),
                        [near, ..] => format!("Write `{near}` instead of `{missing}`."),
                    };
                    let draft = sink.push_fault(fault, suggestion);
                    if is_part(facts.unit_faults()) {
                        draft.severity(Severity::Warning);
                    }
                }
                FaultKind::UnitCycle { path } if path.contains(&unit.id) => {
                    let suggestion =
                        "Remove one unit on this path from the `depends_on` of its plan.";
                    let own = Fault {
                        path: plan.path.clone(),
                        place: plan.depends_on_place.unwrap_or_default(),
                        kind: fault.kind.clone(),
                    };
                    sink.push_fault(&own, suggestion.to_owned());
                }
                _ => {}
            }
        }
    }
}

/// Whether several units are missing, so that only some are at hand.
fn is_part(faults: &[Fault]) -> bool {
    let missing: BTreeSet<&str> = faults
        .iter()
        .filter_map(|fault| match &fault.kind {
            FaultKind::UnknownUnit { missing, .. } => Some(missing.as_str()),
            _ => None,
        })
        .collect();
    missing.len() > 1
}
