//! G5.

use review_document::{Fault, FaultKind};
use review_types::UnitId;

use crate::Severity;
use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a unit that depends on a missing unit, or on itself.
    ///
    /// ## What it does
    /// Looks up the names in a plan's `depends_on` among the units of the workspace,
    /// including archived ones, and follows them to detect cycles. If the plans of the
    /// workspace name several missing units, only some of the units may be present, and
    /// the finding is a warning.
    ///
    /// ## Why is this bad
    /// A misspelled unit never completes, or its order is not enforced.
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
        summary: "A plan depends on a unit that does not exist, or units form a dependency cycle.",
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
        let faults = facts.workspace.unit_faults();
        let is_part = !faults.is_empty() && facts.workspace.missing_units().len() > 1;
        for fault in &faults {
            match &fault.kind {
                FaultKind::UnknownUnit {
                    missing, nearest, ..
                } => {
                    let draft = sink.push_fault(fault, advice(missing, nearest));
                    if is_part {
                        draft.severity(Severity::Warning);
                    }
                }
                _ => {
                    let own = Fault {
                        path: plan.path.clone(),
                        place: plan.depends_on_place.unwrap_or_default(),
                        kind: fault.kind.clone(),
                    };
                    let advice = "Remove one unit of this cycle from the `depends_on` of its plan.";
                    sink.push_fault(&own, advice.to_owned());
                }
            }
        }
    }
}

fn advice(missing: &str, nearest: &[UnitId]) -> String {
    match nearest {
        [] => format!("Remove `{missing}` from `depends_on`, or add the unit."),
        [near, ..] => format!(
            "Write the name of a unit (the nearest to `{missing}` is `{near}`), or add the unit."
        ),
    }
}
