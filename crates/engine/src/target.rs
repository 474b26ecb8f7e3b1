//! What a spec or a path is for a run.

use std::cell::OnceCell;
use std::path::Path;

use review_document::{Catalog, Plan, UnitError, UnitFiles, spec_name};
use review_store::{FileArtifact, Reader, Root};
use review_types::{ExitCode, UnitId};

use crate::error::EngineError;
use crate::settings::ReviewTarget;

/// A spec as what a run is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecTarget {
    /// The unit of the spec, or the spec alone if it has none.
    pub target: ReviewTarget,
    /// Where it has none, the units with names like its own that have no spec of
    /// their name, the nearest first.
    pub near: Vec<NearUnit>,
}

/// A unit that may be meant to belong to a spec without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearUnit {
    /// Its folder, relative to the root.
    pub dir: String,
    /// The folder that would belong to the spec.
    pub renamed: String,
    /// Its plan, which can name the spec.
    pub plan: Option<String>,
}

/// A root whose files are listed, to find the units of its specs.
#[derive(Clone, Debug)]
pub struct ListedRoot {
    root: Root,
    catalog: Catalog,
    strays: OnceCell<Vec<(String, String)>>,
}

impl ListedRoot {
    /// Lists the files of a root.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn list(root: Root) -> Result<Self, EngineError> {
        let catalog = Catalog::new(review_store::paths(&root)?);
        Ok(Self {
            root,
            catalog,
            strays: OnceCell::new(),
        })
    }

    /// The folders with tasks of specs that have another unit: of each the folder of that.
    fn strays(&self) -> &[(String, String)] {
        self.strays.get_or_init(|| {
            let mut reader = Reader::new(&self.root);
            self.catalog.stray_units(|path| reader.read(path).ok())
        })
    }

    /// The unit that belongs to a spec, or the spec alone.
    ///
    /// # Errors
    /// When the spec leads out of the root, several units could belong to it, or the file
    /// is in no folder of specs and the plan of its unit names another one.
    pub fn target_of(&self, spec: &Path) -> Result<SpecTarget, EngineError> {
        let spec = self.root.relative(spec)?;
        let mut reader = Reader::new(&self.root);
        let read = |path: &str| {
            let bytes = reader.read(path).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        match self.catalog.unit_of_spec(spec.as_str(), read) {
            Ok(unit) => {
                let of = match self.catalog.is_spec(spec.as_str()) {
                    true => None,
                    false => named_by_plan(&self.root, unit),
                };
                let of = of.filter(|of| of != spec.as_str());
                let (spec, dir) = (spec.to_string(), unit.dir.clone());
                if let Some((stray, _)) = self.strays().iter().find(|(_, owner)| *owner == dir) {
                    return Err(EngineError::hinted(
                        format!("tasks in {stray} name {spec}, whose tasks are in {dir}"),
                        format!("move them to {dir}, or give them a plan that names their spec"),
                    ));
                }
                if let Some(of) = of {
                    return Err(EngineError::hinted(
                        format!("the tasks in {dir} are those of {of}, not of {spec}"),
                        format!("name {of}"),
                    ));
                }
                let id = unit.id.clone();
                Ok(SpecTarget {
                    target: ReviewTarget::Unit { spec, id, dir },
                    near: Vec::new(),
                })
            }
            Err(UnitError::Unknown { nearest, .. }) => Ok(SpecTarget {
                target: ReviewTarget::File {
                    path: spec.to_string(),
                },
                near: nearest
                    .iter()
                    .filter_map(|id| near_unit(&self.catalog, id, spec.as_str()))
                    .collect(),
            }),
            Err(error) => Err(EngineError::new(error.to_string())),
        }
    }
}

impl ReviewTarget {
    /// The unit that belongs to a spec, or the spec alone.
    ///
    /// # Errors
    /// When the spec leads out of the root, or several units could belong to it.
    pub fn of_spec(root: &Root, spec: &Path) -> Result<SpecTarget, EngineError> {
        ListedRoot::list(root.clone())?.target_of(spec)
    }

    /// A file or folder as one artifact, without tasks.
    ///
    /// # Errors
    /// When there is nothing at the path, no Markdown file in the folder, or it
    /// leads out of the root.
    pub fn of_path(root: &Root, path: &Path) -> Result<Self, EngineError> {
        let relative = root.relative(path)?;
        let real = root.resolve(&relative)?;
        let path = relative.to_string();
        if real.is_dir() {
            let folder = FileArtifact::folder(root.clone(), relative);
            match folder.paths()?.is_empty() {
                true => {
                    let message = format!("no *.md file in {}", real.display());
                    Err(EngineError::of_code(ExitCode::Nothing, message))
                }
                false => Ok(Self::Folder { path }),
            }
        } else if real.is_file() {
            Ok(Self::File { path })
        } else {
            let path = real.display();
            Err(EngineError::new(format!("no such file or folder: {path}")))
        }
    }
}

/// The spec that the plan of a unit names, if it is there.
fn named_by_plan(root: &Root, unit: &UnitFiles) -> Option<String> {
    let path = unit.plan.as_deref()?;
    let plan = Plan::parse(path, root.read(path).ok()??);
    let spec = plan.spec?.value.trim_start_matches('/').to_owned();
    root.read(&spec).ok()??;
    Some(spec)
}

/// What a near name stands for; `None` where a spec has that name.
fn near_unit(catalog: &Catalog, id: &UnitId, spec: &str) -> Option<NearUnit> {
    if catalog.spec(id.as_str()).is_ok() {
        return None;
    }
    let unit = catalog.unit(id.as_str()).ok()?;
    let renamed = Path::new(&unit.dir).with_file_name(spec_name(spec).to_lowercase());
    Some(NearUnit {
        dir: unit.dir.clone(),
        renamed: renamed.to_str()?.to_owned(),
        plan: unit.plan.clone(),
    })
}
