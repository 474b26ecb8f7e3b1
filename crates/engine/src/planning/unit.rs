//! The unit that a spec without tasks gets.

use std::path::Path;

use review_document::{Catalog, UnitError, spec_name};
use review_store::{Reader, Root};
use review_types::{UnitId, plural};

use crate::error::EngineError;

/// The folders of units, the usual one first.
const FOLDERS: [&str; 2] = ["tasks", "specs/tasks"];

/// The unit that a spec without tasks gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewUnit {
    /// The spec, relative to the root.
    pub spec: String,
    /// The id of the unit.
    pub id: UnitId,
    /// Its folder, relative to the root.
    pub dir: String,
    /// The files that it has already, none of them a task.
    pub existing: Vec<String>,
}

impl NewUnit {
    /// Returns the unit of `spec`: the folder that belongs to it, if there is one, else a
    /// new one of its name, next to other units of the project.
    ///
    /// # Errors
    /// [`EngineError`] when the spec leads out of the root, several units could belong
    /// to it, or it has tasks already.
    pub fn of_spec(root: &Root, spec: &Path) -> Result<Self, EngineError> {
        let spec = root.relative(spec)?.to_string();
        let catalog = Catalog::new(review_store::paths(root)?);
        let mut reader = Reader::new(root);
        match catalog.unit_of_spec(&spec, |path| reader.read(path).ok()) {
            Ok(unit) => match unit.load(|path| reader.read(path).ok()).tasks.len() {
                0 => Ok(Self {
                    spec,
                    id: unit.id.clone(),
                    dir: unit.dir.clone(),
                    existing: unit.files.clone(),
                }),
                tasks => {
                    let (tasks, dir) = (plural(tasks, "task", "tasks"), &unit.dir);
                    Err(EngineError::hinted(
                        format!("{spec} has {tasks} already, in {dir}"),
                        format!(
                            "`ralph run {spec}` runs them; remove them first to plan the spec \
                             again"
                        ),
                    ))
                }
            },
            Err(UnitError::Unknown { .. }) => {
                let id = UnitId::new(spec_name(&spec).to_lowercase())?;
                let has_units = |folder: &&&str| {
                    let mut units = catalog.units().iter();
                    units.any(|unit| Path::new(&unit.dir).parent() == Some(Path::new(*folder)))
                };
                let folder = FOLDERS.iter().find(has_units).unwrap_or(&FOLDERS[0]);
                Ok(Self {
                    spec,
                    dir: format!("{folder}/{id}"),
                    id,
                    existing: Vec::new(),
                })
            }
            Err(error) => Err(EngineError::new(error.to_string())),
        }
    }
}
