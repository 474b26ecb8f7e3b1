//! Finds the specs and units of a root from a list of paths, and which unit belongs
//! to which spec.

mod locate;
mod specs;
mod units;

use std::collections::HashMap;

use review_types::UnitId;

use crate::path::markdown_stem;
use crate::source::SourceText;
use crate::unit::{FileRole, Unit};
use crate::workspace::PathSet;
use review_text::near::fold;

pub use specs::SpecError;
pub use units::UnitError;

/// The specs and units of a root.
///
/// ```
/// use review_document::Catalog;
///
/// let catalog = Catalog::new(["specs/WEB.md", "tasks/web/01-page.md"]);
/// let spec = catalog.spec("web")?;
/// assert_eq!(spec, "specs/WEB.md");
/// let unit = catalog.unit_of_spec(spec, |_| None::<String>)?;
/// assert_eq!(unit.dir, "tasks/web");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalog {
    paths: PathSet,
    specs: Vec<String>,
    units: Vec<UnitFiles>,
    units_by_id: HashMap<String, Vec<usize>>,
}

/// A unit before its files are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitFiles {
    /// Its id: the name of its folder.
    pub id: UnitId,
    /// Its folder, relative to the root.
    pub dir: String,
    /// Its plan.
    pub plan: Option<String>,
    /// Its plan and every Markdown file in its folder and below that is or may be a task.
    pub files: Vec<String>,
}

impl UnitFiles {
    /// Reads the unit. A file that cannot be read is left out.
    pub fn load<T: Into<SourceText<'static>>>(
        &self,
        mut read: impl FnMut(&str) -> Option<T>,
    ) -> Unit {
        let files = self.files.iter();
        let files = files.filter_map(|path| Some((path, read(path)?)));
        Unit::load(self.id.clone(), self.dir.as_str(), files)
    }
}

impl Catalog {
    /// Builds the catalog from paths that are relative to the root, with `/` between parts.
    pub fn new<P: Into<String>>(paths: impl IntoIterator<Item = P>) -> Self {
        let paths = PathSet::from_iter(paths);
        let specs = paths.files().iter().filter(|path| specs::is_spec(path));
        let specs = specs.cloned().collect();
        let units = units::group(paths.files());
        let mut units_by_id: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, unit) in units.iter().enumerate() {
            let id = fold(unit.id.as_str());
            units_by_id.entry(id).or_default().push(at);
        }
        Self {
            paths,
            specs,
            units,
            units_by_id,
        }
    }

    /// The units whose ids are this one after [`fold`].
    fn units_named(&self, folded: &str) -> impl Iterator<Item = &UnitFiles> {
        let named = self.units_by_id.get(folded).into_iter().flatten();
        named.map(|&at| &self.units[at])
    }

    /// Returns all specs: the Markdown files in `specs` and `specs/completed`.
    pub fn specs(&self) -> impl Iterator<Item = &str> {
        self.specs.iter().map(String::as_str)
    }

    /// Returns the `spec.md` of each feature, a folder in `specs`, unless a list of its
    /// tasks is beside it that can be imported.
    pub fn features(&self) -> impl Iterator<Item = &str> {
        let paths = self.paths.files().iter().map(String::as_str);
        paths.filter(|path| {
            let folder = path.strip_suffix("/spec.md");
            folder.is_some_and(|folder| {
                split(folder).0 == "specs" && !self.contains(&format!("{folder}/tasks.md"))
            })
        })
    }

    /// Returns whether this path is one of [`Self::specs`].
    pub fn is_spec(&self, path: &str) -> bool {
        specs::is_spec(path) && self.contains(path)
    }

    /// Returns all units, by folder.
    pub fn units(&self) -> &[UnitFiles] {
        &self.units
    }

    /// Returns whether the root contains this file.
    pub fn contains(&self, path: &str) -> bool {
        self.paths.is_file(path)
    }
}

/// Returns the folder and name of a path; the folder is empty in the root.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Returns the name of a file without the extension of Markdown, for comparison.
fn stem(name: &str) -> String {
    fold(markdown_stem(name).unwrap_or(name))
}

/// Returns the name of a spec: that of its file without the extension, or that of its
/// folder for the `spec.md` of a feature.
pub fn spec_name(path: &str) -> &str {
    let (dir, name) = split(path);
    match markdown_stem(name).unwrap_or(name) {
        "spec" if dir.contains('/') => split(dir).1,
        stem => stem,
    }
}

fn is_markdown(name: &str) -> bool {
    FileRole::of(name) != FileRole::Other
}

#[cfg(test)]
mod tests;
