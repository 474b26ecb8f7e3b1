//! The input of the rules of the embedded reviewer, as one value.
//!
//! The value is collected elsewhere, from files; nothing here reads one. What
//! was not collected is empty, and a rule that needs it reports nothing.

mod document;
mod paths;
mod recipes;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use review_types::UnitId;

pub use document::{Document, DocumentRole};
pub use paths::{Language, PathSet};
pub use recipes::{RecipeFile, RecipeTool};

use crate::command::Script;
use crate::graph::unit_faults;
use crate::{Fault, FaultKind, Plan, Unit};
use review_text::near::fold;

/// The unit or document under review, and its surroundings.
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
    /// The unit under review, parsed from the same files; `None` for documents
    /// without a unit.
    pub unit: Option<Unit>,
    /// The units, archived ones included, with their plans; the one under
    /// review may be among them.
    pub units: Arc<[ListedUnit]>,
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

/// A unit as other units see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedUnit {
    /// Its folder, relative to the root.
    pub dir: String,
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
    /// Returns the document at `path`.
    pub fn document(&self, path: &str) -> Option<&Document> {
        self.documents.iter().find(|document| document.path == path)
    }

    /// Returns the faults between the plan under review and the other units: names
    /// without a unit, and cycles that the unit is on.
    ///
    /// Faults of other plans are ignored.
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
        let others = self.others();
        let others = others.map(|other| (&other.id, other.plan.as_ref()));
        let mut faults = unit_faults(std::iter::once((&unit.id, Some(plan))).chain(others));
        faults.retain(|fault| match &fault.kind {
            FaultKind::UnitCycle { path } => path.contains(&unit.id),
            _ => plan.path == fault.path,
        });
        faults
    }

    /// Returns the names in all plans that match no unit, folded.
    pub fn missing_units(&self) -> BTreeSet<String> {
        let own = self.unit.as_ref();
        let own = own.map(|unit| (&unit.id, unit.plan.as_ref())).into_iter();
        let units = own.chain(self.others().map(|other| (&other.id, other.plan.as_ref())));
        let known: HashSet<_> = units.clone().map(|(id, _)| fold(id.as_str())).collect();
        let named = units
            .filter_map(|(_, plan)| plan)
            .flat_map(|plan| &plan.depends_on);
        named
            .map(|name| fold(&name.value))
            .filter(|name| !known.contains(name))
            .collect()
    }

    /// Returns the units other than the one under review.
    pub fn others(&self) -> impl Iterator<Item = &ListedUnit> + Clone {
        self.units.iter().filter(|unit| self.is_other(unit))
    }

    fn is_other(&self, unit: &ListedUnit) -> bool {
        self.unit.as_ref().is_none_or(|own| own.dir != unit.dir)
    }

    /// Returns the programs that the unit's commands start by name:
    /// [`Workspace::programs`] should contain them.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plan;

    fn plan(unit: &str, depends_on: &str) -> Plan {
        let text = format!("---\nunit: {unit}\ndepends_on: [{depends_on}]\n---\n");
        Plan::parse(format!("tasks/{unit}/IMPLEMENTATION_PLAN.md"), text)
    }

    fn other(name: &str, depends_on: &str) -> ListedUnit {
        ListedUnit {
            dir: format!("tasks/{name}"),
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
            units: [other("events", ""), other("git", "")]
                .into_iter()
                .collect(),
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
                units: [
                    other("web", "web"),
                    other("a", "B"),
                    other("b", "web"),
                    other("c", "d"),
                    other("d", "c"),
                    ListedUnit {
                        dir: "old/b".to_owned(),
                        ..other("b", "")
                    },
                ]
                .into_iter()
                .collect(),
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
    fn missing_units_are_collected_from_all_plans() {
        let workspace = Workspace {
            unit: Some(unit("GIT, x_y, b", "cargo test")),
            units: [other("git", "x-y, z"), other("b", ""), other("web", "y")]
                .into_iter()
                .collect(),
            ..Workspace::default()
        };
        let missing: Vec<_> = workspace.missing_units().into_iter().collect();
        assert_eq!(missing, ["x-y", "z"]);
    }

    #[test]
    fn programs_are_listed_by_name() {
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
