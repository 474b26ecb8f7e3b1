//! The unit that a spec without tasks gets.

use std::path::Path;

use review_document::{Catalog, UnitError, spec_name};
use review_store::{Reader, Root, RootPath, StateDir};
use review_types::UnitId;

use crate::error::EngineError;
use crate::target::TargetError;

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
    /// The files that were deleted, since a killed process had not written all of them.
    pub undone: Vec<RootPath>,
}

impl NewUnit {
    /// Returns the unit of `spec`: the folder that belongs to it, if there is one, else a
    /// new one of its name, next to other units of the project. Files that a process
    /// wrote which was killed before it had written all of them are deleted.
    ///
    /// # Errors
    /// [`EngineError`] when the spec leads out of the root, several units could belong
    /// to it, it has tasks already, or a file cannot be deleted.
    pub fn of_spec(root: &Root, state: &StateDir, spec: &Path) -> Result<Self, EngineError> {
        let found = Self::find(root, spec);
        let (Ok(Self { dir, .. }) | Err(EngineError::HasTasks { dir, .. })) = &found else {
            return found;
        };
        let undone = state.creation(&RootPath::new(dir)?)?.undo(root)?;
        match undone.as_slice() {
            [] => found,
            _ => Ok(Self {
                undone,
                ..Self::find(root, spec)?
            }),
        }
    }

    fn find(root: &Root, spec: &Path) -> Result<Self, EngineError> {
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
                    undone: Vec::new(),
                }),
                tasks => Err(EngineError::HasTasks {
                    spec,
                    dir: unit.dir.clone(),
                    tasks,
                }),
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
                    undone: Vec::new(),
                })
            }
            Err(error) => Err(TargetError::Unit(error).into()),
        }
    }
}
