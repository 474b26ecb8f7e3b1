//! Finds the unit of a spec, and the spec of a unit.

use review_types::UnitId;

use super::specs::near;
use super::{Catalog, UnitFiles, spec_name, split};
use crate::plan::Plan;
use crate::source::SourceText;
use crate::task::TaskFile;
use crate::unit::{FileRole, Unit};
use review_text::near::{fold, is_same, nearest};

/// An error in finding the unit of a spec or a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// Several units belong to the spec alike, or have the name.
    #[error("several units belong to \"{name}\": {}", dirs.join(", "))]
    Several {
        /// The spec or the name.
        name: String,
        /// Their folders.
        dirs: Vec<String>,
    },
    /// No unit has the name.
    #[error("no unit belongs to \"{name}\"{}", near(nearest))]
    Unknown {
        /// The spec or the name.
        name: String,
        /// The units with the nearest names.
        nearest: Vec<UnitId>,
    },
}

/// Returns the folders with a plan, and those in a folder `tasks` with a task. What is
/// below the folder of a unit belongs to it, unless it has a plan of its own.
pub(super) fn group(paths: &[String]) -> Vec<UnitFiles> {
    let mut units: Vec<UnitFiles> = Vec::new();
    let mut files: Vec<_> = paths
        .iter()
        .map(|path| (split(path).0, path))
        .filter(|(_, path)| FileRole::of(path) != FileRole::Other)
        .collect();
    files.sort_unstable();
    for folder in files.chunk_by(|a, b| a.0 == b.0) {
        let dir = folder[0].0;
        let with_role = |role| folder.iter().find(|(_, path)| FileRole::of(path) == role);
        let plan = with_role(FileRole::Plan).map(|(_, path)| (*path).clone());
        let paths = folder.iter().map(|(_, path)| (*path).clone());
        if plan.is_none()
            && let Some(outer) = outer(dir, &units)
        {
            units[outer].files.extend(paths);
            continue;
        }
        let below_tasks = dir.split('/').any(|part| part == "tasks");
        let is_unit = plan.is_some() || (below_tasks && with_role(FileRole::Task).is_some());
        if let (true, Ok(id)) = (is_unit, UnitId::new(split(dir).1)) {
            units.push(UnitFiles {
                id,
                dir: dir.to_owned(),
                plan,
                files: paths.collect(),
            });
        }
    }
    units
}

/// Returns the nearest unit above a folder, up to the next folder `tasks`.
fn outer(dir: &str, units: &[UnitFiles]) -> Option<usize> {
    let mut folder = split(dir).0;
    while !folder.is_empty() && split(folder).1 != "tasks" {
        let found = units.binary_search_by(|unit| unit.dir.as_str().cmp(folder));
        if let Ok(found) = found {
            return Some(found);
        }
        folder = split(folder).0;
    }
    None
}

impl Catalog {
    /// Returns the unit that belongs to a spec: the folder of its name in `tasks`, in
    /// `tasks` next to it, or in the `tasks` of `specs` and `specs/completed`; else the unit
    /// whose plan names it, or whose tasks do; else the folder in the `tasks` of `docs/prd`.
    ///
    /// `read` returns the content of a plan or task file; it is called only when the
    /// names of the folders are not enough.
    ///
    /// # Errors
    /// [`UnitError`] lists several units that belong to it alike, or near names.
    pub fn unit_of_spec<T: AsRef<[u8]>>(
        &self,
        spec: &str,
        mut read: impl FnMut(&str) -> Option<T>,
    ) -> Result<&UnitFiles, UnitError> {
        let (dir, _) = split(spec);
        let stem = fold(spec_name(spec));
        let beside = if dir.is_empty() {
            "tasks".to_owned()
        } else {
            format!("{dir}/tasks")
        };
        let named = |parents: &[&str]| -> Vec<&UnitFiles> {
            let units = self.units_named(&stem);
            units
                .filter(|unit| parents.contains(&split(&unit.dir).0))
                .collect()
        };
        let parents: [&[&str]; 3] = [
            &["tasks"],
            &[&beside],
            &["specs/tasks", "specs/completed/tasks"],
        ];
        let mut found = parents.into_iter().map(named);
        let mut found = found.find(|found| !found.is_empty()).unwrap_or_default();
        if found.is_empty() {
            let units = self.units.iter();
            found.extend(units.filter(|unit| self.plan_names(unit, spec, &stem, &mut read)));
        }
        if found.is_empty() {
            let units = self.units.iter();
            found.extend(units.filter(|unit| self.tasks_name(unit, spec, &mut read)));
        }
        if found.is_empty() {
            found = named(&["docs/prd/tasks"]);
        }
        match found[..] {
            [] => Err(self.unknown(spec, &stem)),
            [one] => Ok(one),
            _ => Err(UnitError::Several {
                name: spec.to_owned(),
                dirs: dirs(&found),
            }),
        }
    }

    /// Returns the unit with this id or folder.
    ///
    /// # Errors
    /// [`UnitError`] lists several units of that name, or near names.
    pub fn unit(&self, name: &str) -> Result<&UnitFiles, UnitError> {
        let path = name.trim_start_matches("./").trim_matches('/');
        if let Some(unit) = self.units.iter().find(|unit| unit.dir == path) {
            return Ok(unit);
        }
        let folded = fold(path);
        let found: Vec<_> = self.units_named(&folded).collect();
        match found[..] {
            [] => Err(self.unknown(name, &folded)),
            [one] => Ok(one),
            _ => Err(UnitError::Several {
                name: name.to_owned(),
                dirs: dirs(&found),
            }),
        }
    }

    /// Returns the folders of the units that no spec is looked for in, with that in which
    /// their tasks belong: they have no plan, and their tasks name a spec that has another unit.
    pub fn stray_units<T>(&self, mut read: impl FnMut(&str) -> Option<T>) -> Vec<(String, String)>
    where
        T: AsRef<[u8]> + Into<SourceText<'static>>,
    {
        let nameless = self
            .units
            .iter()
            .filter(|unit| unit.plan.is_none() && self.spec(unit.id.as_str()).is_err());
        let mut strays = Vec::new();
        for unit in nameless {
            let loaded = unit.load(&mut read);
            let owner = self
                .spec_of_unit(&loaded)
                .and_then(|spec| self.unit_of_spec(spec, &mut read).ok());
            if let Some(owner) = owner.filter(|owner| owner.dir != unit.dir) {
                strays.push((unit.dir.clone(), owner.dir.clone()));
            }
        }
        strays
    }

    /// Returns the spec that a unit implements: named by its plan, else by its own name,
    /// else the first parent that its tasks name.
    pub fn spec_of_unit(&self, unit: &Unit) -> Option<&str> {
        let plan = unit.plan.as_ref();
        let named = plan.and_then(|plan| plan.spec.as_ref());
        let described = plan.and_then(|plan| plan.design_spec.as_ref());
        let parents = unit
            .tasks
            .iter()
            .filter_map(|task| task.parent_spec.as_ref());
        let by_text = |reference: &str| self.locate(&unit.dir, reference);
        named
            .and_then(|spec| by_text(&spec.value))
            .or_else(|| self.spec(unit.id.as_str()).ok())
            .or_else(|| described.and_then(|spec| by_text(&spec.value)))
            .or_else(|| parents.into_iter().find_map(|spec| by_text(&spec.value)))
    }

    fn plan_names<T: AsRef<[u8]>>(
        &self,
        unit: &UnitFiles,
        spec: &str,
        stem: &str,
        read: &mut impl FnMut(&str) -> Option<T>,
    ) -> bool {
        let text = unit
            .plan
            .as_deref()
            .and_then(|path| Some((path, read(path)?)));
        text.is_some_and(|(path, text)| {
            let plan = Plan::parse(path, text.as_ref());
            let named = plan.unit.is_some_and(|unit| is_same(&unit.value, stem));
            let spec = |found: Option<crate::Spanned<String>>| {
                found.is_some_and(|found| self.means(&found.value, spec))
            };
            named || spec(plan.spec) || spec(plan.design_spec)
        })
    }

    fn tasks_name<T: AsRef<[u8]>>(
        &self,
        unit: &UnitFiles,
        spec: &str,
        read: &mut impl FnMut(&str) -> Option<T>,
    ) -> bool {
        let mut tasks = unit
            .files
            .iter()
            .filter(|path| FileRole::of(path) == FileRole::Task);
        tasks.any(|path| {
            let task = read(path).map(|text| TaskFile::parse(path.as_str(), text.as_ref()));
            task.and_then(|task| task.parent_spec)
                .is_some_and(|parent| self.means(&parent.value, spec))
        })
    }

    fn unknown(&self, name: &str, stem: &str) -> UnitError {
        let ids = self.units.iter().map(|unit| unit.id.as_str());
        UnitError::Unknown {
            name: name.to_owned(),
            nearest: nearest(stem, ids, 3)
                .into_iter()
                .filter_map(|id| id.parse().ok())
                .collect(),
        }
    }
}

fn dirs(units: &[&UnitFiles]) -> Vec<String> {
    units.iter().map(|unit| unit.dir.clone()).collect()
}
