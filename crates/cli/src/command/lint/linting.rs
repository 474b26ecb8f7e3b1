//! Checks the files of one root.

use std::path::PathBuf;

use review_store::{Overlay, StateDir};

use super::checked::Checked;
use super::select::Selection;
use crate::config::FailLevel;
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
        let search_path = self.search_path.as_deref();
        let workspaces = self
            .selection
            .workspaces(&self.state, search_path, overlay)?;
        let reports = workspaces.into_iter().map(|workspace| {
            let report = review_lint::lint(&workspace, &self.settings);
            (workspace, report)
        });
        let root = self.selection.root.path();
        Ok(Checked::of_root(root, reports, self.only.as_deref()))
    }

    /// Whether any finding is a failure.
    pub(super) fn fails(&self, checked: &Checked) -> bool {
        let mut findings = checked.findings();
        findings.any(|finding| self.fail_level.fails(finding.severity))
    }
}
