//! The dependencies among the units of a workspace.

use std::collections::HashMap;

use review_types::UnitId;

use super::Edges;
use crate::fault::{Fault, FaultKind};
use crate::plan::Plan;
use crate::span::Place;
use review_text::near::{fold, is_same, nearest};

/// Maximum number of unknown names with suggestions: each lookup compares with every
/// unit.
const MAX_NEAREST: usize = 50;

/// Returns the faults among units and their plans, archived ones included: unknown names
/// and cycles.
///
/// Names are compared without case, and `_` equals `-`. If several units have one name,
/// the first is used.
pub(crate) fn unit_faults<'a>(
    units: impl IntoIterator<Item = (&'a UnitId, Option<&'a Plan>)>,
) -> Vec<Fault> {
    let units: Vec<_> = units.into_iter().collect();
    let mut index = HashMap::with_capacity(units.len());
    for (at, (id, _)) in units.iter().enumerate() {
        index.entry(fold(id.as_str())).or_insert(at);
    }
    let mut faults = Vec::new();
    let mut list = Vec::new();
    for (at, (id, plan)) in units.iter().enumerate() {
        let Some(plan) = plan else { continue };
        for dependency in &plan.depends_on {
            match index.get(&fold(&dependency.value)) {
                Some(&before) => list.push((before, at)),
                None => {
                    let known = units.iter().map(|(id, _)| id.as_str());
                    let known = known.filter(|_| faults.len() < MAX_NEAREST);
                    let near = nearest(&dependency.value, known, 3).into_iter();
                    faults.push(Fault {
                        path: plan.path.clone(),
                        place: dependency.place,
                        kind: FaultKind::UnknownUnit {
                            unit: (*id).clone(),
                            missing: dependency.value.clone(),
                            nearest: near.filter_map(|name| name.parse().ok()).collect(),
                        },
                    });
                }
            }
        }
    }
    let cycles = Edges::new(units.len(), &list).cycles().into_iter();
    faults.extend(cycles.map(|cycle| cycle_fault(&units, cycle)));
    faults
}

fn cycle_fault(units: &[(&UnitId, Option<&Plan>)], mut cycle: Vec<usize>) -> Fault {
    cycle.reverse();
    let (_, plan) = units[cycle[0]];
    let next = units[cycle[1]].0.as_str();
    let edge = plan.and_then(|plan| {
        plan.depends_on
            .iter()
            .find(|edge| is_same(&edge.value, next))
    });
    Fault {
        path: plan.map(|plan| plan.path.clone()).unwrap_or_default(),
        place: edge.map_or_else(Place::default, |edge| edge.place),
        kind: FaultKind::UnitCycle {
            path: cycle
                .into_iter()
                .map(|unit| units[unit].0.clone())
                .collect(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> UnitId {
        name.parse().expect("a legal name")
    }

    fn faults(list: &[(&str, &str)]) -> Vec<Fault> {
        let units: Vec<_> = list
            .iter()
            .map(|(name, depends_on)| {
                let text = format!("---\nunit: {name}\ndepends_on: [{depends_on}]\n---\n");
                (id(name), Plan::parse(format!("{name}/plan.md"), text))
            })
            .collect();
        unit_faults(units.iter().map(|(id, plan)| (id, Some(plan))))
    }

    fn kinds(faults: &[Fault]) -> Vec<FaultKind> {
        faults.iter().map(|fault| fault.kind.clone()).collect()
    }

    #[test]
    fn a_unit_that_others_depend_on_needs_no_plan() {
        let known = [("web", "event_bus, GIT"), ("event-bus", ""), ("git", "")];
        assert_eq!(faults(&known), []);
        let (web, git) = (id("web"), id("git"));
        let plan = Plan::parse("p", "---\ndepends_on: [git]\n---\n");
        assert_eq!(unit_faults([(&web, Some(&plan)), (&git, None)]), []);
    }

    #[test]
    fn an_unknown_unit_has_near_names() {
        let faults = faults(&[("web", "claud"), ("claude-git", ""), ("git", "")]);
        assert_eq!(
            kinds(&faults),
            [FaultKind::UnknownUnit {
                unit: id("web"),
                missing: "claud".to_owned(),
                nearest: vec![id("claude-git")],
            }]
        );
        assert_eq!(faults[0].path, "web/plan.md");
        assert_eq!(faults[0].place.position.line, 3);
    }

    #[test]
    fn suggestions_are_given_for_the_first_unknown_names_only() {
        let many = vec!["gti"; MAX_NEAREST + 1].join(", ");
        let faults = faults(&[("web", &many), ("git", "")]);
        let near: Vec<_> = faults
            .iter()
            .map(|fault| fault.kind.hint().is_some())
            .collect();
        assert_eq!(near.iter().filter(|found| **found).count(), MAX_NEAREST);
        assert_eq!(near.last(), Some(&false));
    }

    #[test]
    fn a_cycle_of_units_is_a_path() {
        let faults = faults(&[("a", "B"), ("b", "c"), ("c", "a"), ("d", "d")]);
        assert_eq!(
            kinds(&faults),
            [
                FaultKind::UnitCycle {
                    path: ["a", "b", "c", "a"].map(id).to_vec()
                },
                FaultKind::UnitCycle {
                    path: ["d", "d"].map(id).to_vec()
                },
            ]
        );
        assert_eq!(faults[0].path, "a/plan.md");
        assert_eq!(faults[0].place.position.column, 14);
    }
}
