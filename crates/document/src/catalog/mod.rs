//! Finds the specs and units of a root from a list of paths, and which unit belongs
//! to which spec.

mod locate;
mod specs;
mod units;

use std::collections::HashMap;

use review_types::UnitId;

use crate::near::fold;
use crate::unit::FileRole;

pub use locate::Located;
pub use specs::SpecError;
pub use units::{Rule, UnitError};

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
    paths: Vec<String>,
    by_name: HashMap<String, Vec<usize>>,
    specs: Vec<usize>,
    units: Vec<UnitFiles>,
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
    /// Its plan and every Markdown file that is or may be a task.
    pub files: Vec<String>,
}

impl Catalog {
    /// Builds the catalog from paths that are relative to the root, with `/` between parts.
    #[must_use]
    pub fn new<P: Into<String>>(paths: impl IntoIterator<Item = P>) -> Self {
        let mut paths: Vec<String> = paths.into_iter().map(Into::into).collect();
        paths.sort_unstable();
        paths.dedup();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, path) in paths.iter().enumerate() {
            by_name.entry(fold(split(path).1)).or_default().push(at);
        }
        let specs = (0..paths.len())
            .filter(|&at| specs::is_spec(&paths[at]))
            .collect();
        let units = units::group(&paths);
        Self {
            paths,
            by_name,
            specs,
            units,
        }
    }

    /// Returns all specs: the Markdown files in `specs` and `specs/completed`.
    pub fn specs(&self) -> impl Iterator<Item = &str> {
        self.specs.iter().map(|&at| self.paths[at].as_str())
    }

    /// Returns all units, by folder.
    #[must_use]
    pub fn units(&self) -> &[UnitFiles] {
        &self.units
    }

    /// Returns whether the root contains this file.
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        self.paths
            .binary_search_by(|known| known.as_str().cmp(path))
            .is_ok()
    }
}

/// Returns the folder and name of a path; the folder is empty in the root.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Returns the name of a file without `.md`, for comparison.
fn stem(name: &str) -> String {
    let folded = fold(name);
    folded
        .strip_suffix(".md")
        .map_or(folded.clone(), str::to_owned)
}

fn is_markdown(name: &str) -> bool {
    FileRole::of(name) != FileRole::Other
}

#[cfg(test)]
mod tests;
