//! The roots that a command works on, and the state of each.

use std::path::{Path, PathBuf};

use review_config::{Config, Folders};
use review_engine::location::nested_roots;
use review_report::shown;
use review_store::{RunDir, StateDir};

use crate::context::Context;
use crate::error::CommandError;

/// A root with the place of its state.
pub(crate) struct RootState {
    /// The root.
    pub(crate) root: PathBuf,
    /// Its configuration.
    pub(crate) settings: Config,
    /// Its state folder, which may be missing.
    pub(crate) state: StateDir,
}

impl Context {
    /// The current root, then those below it, which are parts of one repository.
    ///
    /// # Errors
    /// When a configuration cannot be used, or there are too many folders.
    pub(crate) fn roots(&mut self) -> Result<Vec<PathBuf>, CommandError> {
        let nested = self.nested_roots()?;
        let current = self.current_root();
        Ok(std::iter::once(current).chain(nested).collect())
    }

    /// The roots below the current one; none where `--root` names the only one.
    ///
    /// # Errors
    /// When a configuration cannot be used, or there are too many folders.
    pub(crate) fn nested_roots(&mut self) -> Result<Vec<PathBuf>, CommandError> {
        if self.given_root().is_some() {
            return Ok(Vec::new());
        }
        if let Some(nested) = &self.nested {
            return Ok(nested.clone());
        }
        let current = self.current_root();
        let excluded = self.excluded(&current)?;
        let found = nested_roots(&current, &excluded).map_err(|error| {
            let hint = "`workspace.exclude` in ralph.toml leaves out further folders";
            CommandError::from(error).hint(hint)
        })?;
        let mut roots: Vec<(PathBuf, Folders)> = Vec::new();
        for root in found {
            let is_excluded = roots.iter().any(|(above, excluded)| {
                let below = root.strip_prefix(above).ok().and_then(Path::to_str);
                below.is_some_and(|below| excluded.hold(below))
            });
            if !is_excluded {
                let excluded = self.excluded(&root)?;
                roots.push((root, excluded));
            }
        }
        let nested: Vec<_> = roots.into_iter().map(|(root, _)| root).collect();
        Ok(self.nested.insert(nested).clone())
    }

    /// The folders in which a root has no further roots.
    fn excluded(&mut self, root: &Path) -> Result<Folders, CommandError> {
        let settings = self.settings(root, &[])?;
        Ok(settings.workspace.exclude)
    }

    /// A root as reports name it: seen from the current root, which is `.` itself.
    pub(crate) fn root_name(&self, root: &Path) -> String {
        let current = self.current_root();
        // The user may have come here by a link.
        let [here, there] = [&current, root].map(std::fs::canonicalize);
        match matches!((here, there), (Ok(here), Ok(there)) if here == there) {
            true => ".".to_owned(),
            false => shown(&current, root),
        }
    }

    /// Notes where the paths of what follows begin, if that is not the current root.
    pub(crate) fn note_root(&mut self, root: &Path) {
        let name = self.root_name(root);
        if name != "." {
            self.streams.note(&format!("paths are those of {name}"));
        }
    }

    /// The state of the current root.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    pub(crate) fn current_state(&mut self) -> Result<StateDir, CommandError> {
        let root = self.current_root();
        Ok(self.state_of(root)?.state)
    }

    /// The states of the current root and of those below it.
    ///
    /// # Errors
    /// When a configuration cannot be used, or there are too many folders.
    pub(crate) fn states(&mut self) -> Result<Vec<RootState>, CommandError> {
        let roots = self.roots()?.into_iter();
        roots.map(|root| self.state_of(root)).collect()
    }

    /// The runs of the current root and of those below it, the newest first, each with
    /// the name of its root.
    ///
    /// # Errors
    /// When a configuration cannot be used, or runs cannot be listed.
    pub(crate) fn runs(&mut self) -> Result<Vec<(String, RunDir)>, CommandError> {
        let mut runs = Vec::new();
        for RootState { root, state, .. } in self.states()? {
            let name = self.root_name(&root);
            let found = state.runs()?;
            runs.extend(found.into_iter().map(|dir| (name.clone(), dir)));
        }
        runs.sort_by(|(_, a), (_, b)| b.id().cmp(a.id()));
        Ok(runs)
    }

    fn state_of(&mut self, root: PathBuf) -> Result<RootState, CommandError> {
        let settings = self.settings(&root, &[])?;
        let state = self.state_for_reading(&settings, &root);
        Ok(RootState {
            root,
            settings,
            state,
        })
    }

    /// How commands name a run: `None` where its id is enough, else its folder, as also
    /// where the other roots cannot be listed.
    pub(crate) fn run_name(&mut self, dir: &RunDir) -> Option<String> {
        let is_known = self.finds_by_id(dir).unwrap_or(false);
        (!is_known).then(|| shown(&self.environment.folder, dir.path()))
    }

    fn finds_by_id(&mut self, dir: &RunDir) -> Result<bool, CommandError> {
        if self.current_state()?.holds(dir) {
            return Ok(true);
        }
        Ok(self.states()?.iter().any(|known| known.state.holds(dir)))
    }
}
