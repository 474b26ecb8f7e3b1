//! Everything that the rules of the embedded reviewer see, as one value.
//!
//! The value is gathered elsewhere, from files; nothing here touches one. What
//! was not looked for is left empty, and a rule that would need it is silent.

mod document;
mod paths;
mod recipes;
mod sibling;
mod siblings;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use review_types::UnitId;

pub use document::{Document, DocumentRole};
pub use paths::{Language, PathSet};
pub use recipes::{RecipeFile, RecipeTool};
pub use sibling::{Section, Sibling, section_key};
pub use siblings::Siblings;

use crate::command::Script;
use crate::graph::unknown_units;
use crate::near::{folded, is_same};
use crate::{Fault, FaultKind, Plan, Spanned, Unit, UnitGraph};

/// The unit or document under review, and what there is around it.
///
/// ```
/// use review_document::Unit;
/// use review_document::workspace::{Document, DocumentRole, PathSet, Workspace};
///
/// let files = [("tasks/web/01-store.md", "---\ntask: 1\nbackpressure: cargo test\n---\n# Store\n")];
/// let workspace = Workspace {
///     documents: files
///         .iter()
///         .map(|(path, text)| Document::parse(*path, DocumentRole::Task, *text))
///         .collect(),
///     unit: Some(Unit::load("web".parse()?, "tasks/web", files)),
///     paths: PathSet::from_iter(["tasks/web/01-store.md", "src/lib.rs"]),
///     ..Workspace::default()
/// };
/// assert!(workspace.document("tasks/web/01-store.md").is_some());
/// assert!(workspace.asked_programs().contains("cargo"));
/// # Ok::<(), review_types::IdError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workspace {
    /// The files under review: the spec, the plan, the tasks, or any others.
    pub documents: Vec<Document>,
    /// The unit under review, read from the same files; `None` for documents
    /// that belong to none.
    pub unit: Option<Unit>,
    /// The other units, archived ones included, with their plans.
    pub others: Vec<OtherUnit>,
    /// Other specs and plans, as far as they were read, and those under review.
    pub siblings: Siblings,
    /// The files that exist below the root, those under review included.
    pub paths: PathSet,
    /// The programs that were looked for, and whether each was found.
    pub programs: BTreeMap<String, bool>,
    /// The packages of the Cargo workspace.
    pub cargo: Vec<CargoPackage>,
    /// The packages of the npm workspace.
    pub node: Vec<NodePackage>,
    /// The justfiles and makefiles.
    pub recipes: Vec<RecipeFile>,
}

/// A unit beside the one under review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherUnit {
    /// Its id.
    pub id: UnitId,
    /// Its plan.
    pub plan: Option<Plan>,
}

/// A package of the Cargo workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CargoPackage {
    /// Its name.
    pub name: String,
    /// Its folder, relative to the root.
    pub folder: String,
    /// The names of its integration tests.
    pub tests: Vec<String>,
}

/// A `package.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodePackage {
    /// Its folder, relative to the root.
    pub folder: String,
    /// The names of its scripts.
    pub scripts: Vec<String>,
}

impl Workspace {
    /// The document at `path`.
    #[must_use]
    pub fn document(&self, path: &str) -> Option<&Document> {
        self.documents.iter().find(|document| document.path == path)
    }

    /// What is wrong between the plan under review and the other units: names
    /// that no unit has, and cycles that the unit is on.
    ///
    /// Faults of other plans are left out, and what it takes to find a cycle
    /// is done only where there is one.
    #[must_use]
    pub fn unit_faults(&self) -> Vec<Fault> {
        let Some(unit) = &self.unit else {
            return Vec::new();
        };
        let Some(plan) = unit
            .plan
            .as_ref()
            .filter(|plan| !plan.depends_on.is_empty())
        else {
            return Vec::new();
        };
        let plans = self.plans();
        let own = |name: &Spanned<String>| is_same(&name.value, unit.id.as_str());
        let waits = |plan: &Plan| plan.depends_on.iter().any(own);
        let others = self.others.iter();
        let mut others = others.filter_map(|other| other.plan.as_ref());
        let is_awaited = waits(plan) || others.any(waits);
        if !is_awaited || !is_on_cycle(unit, plan, &plans) {
            let own = folded(unit.id.as_str());
            let is_known = |name: &Cow<'_, str>| *name == own || plans.contains_key(name);
            let ids = std::iter::once(&unit.id).chain(self.others.iter().map(|other| &other.id));
            return unknown_units(&unit.id, plan, is_known, ids);
        }
        let others = self.others.iter();
        let others = others.map(|other| (&other.id, other.plan.as_ref()));
        let graph = UnitGraph::new(std::iter::once((&unit.id, Some(plan))).chain(others));
        let is_own = |fault: &&Fault| match &fault.kind {
            FaultKind::UnitCycle { path } => path.contains(&unit.id),
            _ => plan.path == fault.path,
        };
        graph.faults().iter().filter(is_own).cloned().collect()
    }

    /// The names in all plans that no unit has, folded.
    #[must_use]
    pub fn missing_units(&self) -> BTreeSet<Cow<'_, str>> {
        let ids = self.unit.iter().map(|unit| &unit.id);
        let known: HashSet<Cow<'_, str>> = ids
            .chain(self.others.iter().map(|other| &other.id))
            .map(|id| folded(id.as_str()))
            .collect();
        let own = self.unit.iter().filter_map(|unit| unit.plan.as_ref());
        let plans = own.chain(self.others.iter().filter_map(|other| other.plan.as_ref()));
        let named = plans.flat_map(|plan| &plan.depends_on);
        named
            .map(|name| folded(&name.value))
            .filter(|name| !known.contains(name))
            .collect()
    }

    /// The plans of the other units, by their folded names.
    fn plans(&self) -> HashMap<Cow<'_, str>, Option<&Plan>> {
        let others = self.others.iter();
        others
            .map(|other| (folded(other.id.as_str()), other.plan.as_ref()))
            .collect()
    }

    /// The programs that the unit's commands start by name: what
    /// [`Workspace::programs`] should say something about.
    #[must_use]
    pub fn asked_programs(&self) -> BTreeSet<String> {
        let tasks = self.unit.iter().flat_map(|unit| &unit.tasks);
        let mut asked = BTreeSet::new();
        for step in tasks.flat_map(|task| &task.backpressure) {
            let script = Script::parse(&step.value);
            asked.extend(script.programs().map(|word| word.text.to_string()));
        }
        asked
    }
}

/// Whether what a unit depends on, directly and through others, leads back to
/// it.
fn is_on_cycle(unit: &Unit, plan: &Plan, plans: &HashMap<Cow<'_, str>, Option<&Plan>>) -> bool {
    let own = folded(unit.id.as_str());
    let mut seen = BTreeSet::new();
    let mut open = vec![plan];
    while let Some(plan) = open.pop() {
        for name in plan.depends_on.iter().map(|name| folded(&name.value)) {
            if name == own {
                return true;
            }
            if let Some(&Some(next)) = plans.get(&name)
                && seen.insert(name)
            {
                open.push(next);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(unit: &str, depends_on: &str) -> Plan {
        let text = format!("---\nunit: {unit}\ndepends_on: [{depends_on}]\n---\n");
        Plan::parse(format!("tasks/{unit}/IMPLEMENTATION_PLAN.md"), text)
    }

    fn other(name: &str, depends_on: &str) -> OtherUnit {
        OtherUnit {
            id: name.parse().expect("a legal name"),
            plan: Some(plan(name, depends_on)),
        }
    }

    fn unit(depends_on: &str, command: &str) -> Unit {
        let plan = format!("---\nunit: web\ndepends_on: [{depends_on}]\n---\n");
        let task = format!("---\ntask: 1\nbackpressure: {command}\n---\n");
        Unit::load(
            "web".parse().expect("a legal name"),
            "tasks/web",
            [
                ("tasks/web/IMPLEMENTATION_PLAN.md", plan),
                ("tasks/web/01-a.md", task),
            ],
        )
    }

    #[test]
    fn unit_dependencies_are_looked_up_among_the_others() {
        let workspace = Workspace {
            unit: Some(unit("events, gti", "cargo test")),
            others: vec![other("events", ""), other("git", "")],
            ..Workspace::default()
        };
        let messages: Vec<_> = workspace
            .unit_faults()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            messages,
            ["unit web depends on unit \"gti\", which does not exist"]
        );
    }

    #[test]
    fn a_cycle_counts_when_the_unit_is_on_it() {
        let faults = |own: &str| {
            let workspace = Workspace {
                unit: Some(unit(own, "cargo test")),
                others: vec![
                    other("a", "B"),
                    other("b", "web"),
                    other("c", "d"),
                    other("d", "c"),
                ],
                ..Workspace::default()
            };
            let faults = workspace.unit_faults();
            faults.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(faults("a").len(), 1);
        assert!(faults("a")[0].starts_with("units depend on one another: "));
        assert_eq!(faults("c"), [""; 0]);
        assert_eq!(faults("web").len(), 1);
        assert_eq!(Workspace::default().unit_faults(), []);
    }

    #[test]
    fn missing_units_are_those_of_all_plans() {
        let workspace = Workspace {
            unit: Some(unit("GIT, x_y, b", "cargo test")),
            others: vec![other("git", "x-y, z"), other("b", "")],
            ..Workspace::default()
        };
        let missing: Vec<_> = workspace.missing_units().into_iter().collect();
        assert_eq!(missing, ["x-y", "z"]);
    }

    #[test]
    fn programs_are_asked_for_by_name() {
        let workspace = Workspace {
            unit: Some(unit(
                "",
                "cd a && env X=1 go test ./... | ./filter.sh && npx x && $Y && [ -f a ]",
            )),
            ..Workspace::default()
        };
        let asked: Vec<_> = workspace.asked_programs().into_iter().collect();
        assert_eq!(asked, ["go", "npx"]);
    }
}
