//! The dependencies among the units of a workspace.

use std::collections::HashMap;

use review_types::UnitId;

use super::Edges;
use crate::fault::{Fault, FaultKind};
use crate::near::{fold, is_same, nearest};
use crate::plan::Plan;
use crate::span::{Place, Spanned};

/// Maximum number of unknown names with suggestions: each lookup compares with every
/// unit.
const MAX_NEAREST: usize = 50;

/// The dependencies among units, with their faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitGraph {
    units: Vec<UnitId>,
    edges: Edges,
    faults: Vec<Fault>,
}

impl UnitGraph {
    /// Builds the graph of units and their plans, archived ones included.
    ///
    /// Names are compared without case, and `_` equals `-`. If several units
    /// have one name, the first is used.
    #[must_use]
    pub fn new<'a>(units: impl IntoIterator<Item = (&'a UnitId, Option<&'a Plan>)>) -> Self {
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
                        let known = units.iter().map(|(id, _)| *id);
                        let near = near_units(&dependency.value, known, faults.len());
                        faults.push(unknown(id, plan, dependency, near));
                    }
                }
            }
        }
        let edges = Edges::new(units.len(), &list);
        faults.extend(
            edges
                .cycles()
                .into_iter()
                .map(|cycle| cycle_fault(&units, cycle)),
        );
        Self {
            units: units.iter().map(|(id, _)| (*id).clone()).collect(),
            edges,
            faults,
        }
    }

    /// Returns the faults among the units: unknown names and cycles.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Returns the units, each after those it depends on, without those on a cycle and
    /// after one.
    pub fn order(&self) -> impl Iterator<Item = &UnitId> {
        self.edges.order().into_iter().map(|unit| &self.units[unit])
    }
}

/// Returns the dependencies of one plan that match no unit.
pub(crate) fn unknown_units<'a>(
    id: &UnitId,
    plan: &Plan,
    is_known: impl Fn(&str) -> bool,
    known: impl Iterator<Item = &'a UnitId> + Clone,
) -> Vec<Fault> {
    let names = plan.depends_on.iter();
    let names = names.filter(|name| !is_known(&name.value));
    let faults = names.enumerate().map(|(before, name)| {
        let near = near_units(&name.value, known.clone(), before);
        unknown(id, plan, name, near)
    });
    faults.collect()
}

fn near_units<'a>(
    name: &str,
    known: impl Iterator<Item = &'a UnitId>,
    faults: usize,
) -> Vec<UnitId> {
    if faults >= MAX_NEAREST {
        return Vec::new();
    }
    nearest(name, known.map(UnitId::as_str), 3)
        .into_iter()
        .filter_map(|name| name.parse().ok())
        .collect()
}

fn unknown(id: &UnitId, plan: &Plan, name: &Spanned<String>, nearest: Vec<UnitId>) -> Fault {
    Fault {
        path: plan.path.clone(),
        place: name.place,
        kind: FaultKind::UnknownUnit {
            unit: id.clone(),
            missing: name.value.clone(),
            nearest,
        },
    }
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

    fn graph(list: &[(&str, &str)]) -> UnitGraph {
        let units: Vec<_> = list
            .iter()
            .map(|(name, depends_on)| {
                let text = format!("---\nunit: {name}\ndepends_on: [{depends_on}]\n---\n");
                (id(name), Plan::parse(format!("{name}/plan.md"), text))
            })
            .collect();
        UnitGraph::new(units.iter().map(|(id, plan)| (id, Some(plan))))
    }

    fn kinds(graph: &UnitGraph) -> Vec<FaultKind> {
        graph
            .faults()
            .iter()
            .map(|fault| fault.kind.clone())
            .collect()
    }

    #[test]
    fn units_come_after_those_they_depend_on() {
        let graph = graph(&[("web", "event_bus, GIT"), ("event-bus", ""), ("git", "")]);
        assert_eq!(graph.faults(), []);
        let order: Vec<_> = graph.order().map(UnitId::as_str).collect();
        assert_eq!(order, ["event-bus", "git", "web"]);
    }

    #[test]
    fn a_unit_without_a_plan_depends_on_nothing() {
        let (web, git) = (id("web"), id("git"));
        let plan = Plan::parse("p", "---\ndepends_on: [git]\n---\n");
        let graph = UnitGraph::new([(&web, Some(&plan)), (&git, None)]);
        assert_eq!(graph.order().collect::<Vec<_>>(), [&git, &web]);
    }

    #[test]
    fn an_unknown_unit_has_near_names() {
        let graph = graph(&[("web", "claud"), ("claude-git", ""), ("git", "")]);
        assert_eq!(
            kinds(&graph),
            [FaultKind::UnknownUnit {
                unit: id("web"),
                missing: "claud".to_owned(),
                nearest: vec![id("claude-git")],
            }]
        );
        assert_eq!(graph.faults()[0].path, "web/plan.md");
        assert_eq!(graph.faults()[0].place.position.line, 3);
    }

    #[test]
    fn suggestions_are_given_for_the_first_unknown_names_only() {
        let many = vec!["gti"; MAX_NEAREST + 1].join(", ");
        let graph = graph(&[("web", &many), ("git", "")]);
        let near: Vec<_> = graph
            .faults()
            .iter()
            .map(|fault| fault.hint().is_some())
            .collect();
        assert_eq!(near.iter().filter(|found| **found).count(), MAX_NEAREST);
        assert_eq!(near.last(), Some(&false));
    }

    #[test]
    fn a_cycle_of_units_is_a_path() {
        let graph = graph(&[("a", "B"), ("b", "c"), ("c", "a"), ("d", "d")]);
        assert_eq!(
            kinds(&graph),
            [
                FaultKind::UnitCycle {
                    path: ["a", "b", "c", "a"].map(id).to_vec()
                },
                FaultKind::UnitCycle {
                    path: ["d", "d"].map(id).to_vec()
                },
            ]
        );
        assert_eq!(graph.faults()[0].path, "a/plan.md");
        assert_eq!(graph.faults()[0].place.position.column, 14);
    }
}
