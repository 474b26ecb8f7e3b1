//! Checks the files of one root.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use review_config::FailLevel;
use review_store::{Lookup, Overlay, StateDir, Surroundings};

use super::checked::{Checked, Linted};
use super::select::{Batch, Selection};
use crate::error::CommandError;

/// How the files of one root are checked.
pub(super) struct Linting<'a> {
    /// The files.
    pub(super) selection: &'a Selection,
    /// How the rules judge.
    pub(super) settings: review_lint::Settings,
    /// The lowest severity that is a failure.
    pub(super) fail_level: FailLevel,
    /// The state folder, which is not looked at.
    pub(super) state: StateDir,
    /// The value of the variable `PATH`.
    pub(super) search_path: Option<PathBuf>,
    /// The only document whose findings are told.
    pub(super) only: Option<String>,
}

impl Linting<'_> {
    /// What the rules find when texts of `overlay` stand in for files.
    ///
    /// # Errors
    /// When a file cannot be read or leads out of the root.
    pub(super) fn check(&self, overlay: &Overlay) -> Result<Checked, CommandError> {
        let tracked = self.selection.files();
        let lookup = self.lookup(&tracked, overlay);
        let around = Surroundings::gather(&self.selection.root, lookup);
        let lint = |batch| self.lint(batch, &around, lookup).map(Arc::new);
        let batches = self.selection.batches.iter();
        let linted: Vec<_> = batches.map(lint).collect::<Result<_, _>>()?;
        Ok(self.checked(linted))
    }

    /// Where to look for what is around the files that are checked.
    pub(super) fn lookup<'l>(&'l self, tracked: &'l [String], overlay: &'l Overlay) -> Lookup<'l> {
        Lookup {
            state: &self.state,
            path: self.search_path.as_deref().map(Path::as_os_str),
            tracked,
            overlay,
        }
    }

    /// What the rules find in one batch.
    ///
    /// # Errors
    /// When a file cannot be read or leads out of the root.
    pub(super) fn lint(
        &self,
        batch: &Batch,
        around: &Surroundings,
        lookup: Lookup<'_>,
    ) -> Result<Linted, CommandError> {
        let workspace = batch.workspace(&self.selection.root, around, lookup);
        let workspace = workspace.map_err(|error| CommandError::input(&error))?;
        let report = review_lint::lint(&workspace, &self.settings);
        Ok(Linted::new(workspace, report))
    }

    /// What was found in all batches.
    pub(super) fn checked(&self, linted: impl IntoIterator<Item = Arc<Linted>>) -> Checked {
        let root = self.selection.root.path();
        Checked::of_root(root, linted, self.only.as_deref())
    }

    /// Whether any finding is a failure.
    pub(super) fn fails(&self, checked: &Checked) -> bool {
        let mut findings = checked.findings();
        findings.any(|finding| self.fail_level.fails(finding.severity))
    }
}
