//! Checks the files of one root.

use std::path::{Path, PathBuf};

use review_config::FailLevel;
use review_store::{Lookup, Overlay, StateDir, Surroundings};

use super::checked::{Checked, Part};
use super::select::Selection;
use crate::error::EngineError;

/// Checks the files of one root.
#[derive(Debug)]
pub struct Linting<'a> {
    /// The files.
    pub selection: &'a Selection,
    /// How the rules judge.
    pub settings: review_lint::Settings,
    /// The lowest severity that is a failure.
    pub fail_level: FailLevel,
    /// The state folder, which is not looked at.
    pub state: StateDir,
    /// The value of the variable `PATH`.
    pub search_path: Option<PathBuf>,
    /// The only document whose findings are reported.
    pub only: Option<String>,
}

impl Linting<'_> {
    /// What the rules find when `overlay` replaces files.
    ///
    /// # Errors
    /// When a file cannot be read or leads out of the root.
    pub fn check(&self, overlay: &Overlay) -> Result<Checked, EngineError> {
        let tracked = self.selection.files();
        let lookup = Lookup {
            state: &self.state,
            path: self.search_path.as_deref().map(Path::as_os_str),
            tracked: &tracked,
            overlay,
        };
        let root = &self.selection.root;
        let around = Surroundings::gather(root, lookup);
        let mut parts = Vec::new();
        let mut unreadable = Vec::new();
        for batch in &self.selection.batches {
            let Some(batch) = batch.clone().readable(root, overlay, &mut unreadable) else {
                continue;
            };
            let workspace = batch.workspace(root, &around, lookup)?;
            let report = review_lint::lint(&workspace, &self.settings);
            parts.push(Part::new(root.path(), workspace, report));
        }
        let mut checked = Checked::of_root(root.path(), parts, self.only.as_deref());
        checked.unreadable = unreadable;
        Ok(checked)
    }

    /// Whether any finding is a failure.
    pub fn fails(&self, checked: &Checked) -> bool {
        let mut findings = checked.findings();
        findings.any(|finding| self.fail_level.fails(finding.severity))
    }
}
