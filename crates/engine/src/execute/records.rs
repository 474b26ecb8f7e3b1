//! The records that no agent may write.

use std::path::PathBuf;

use review_agents::Backend;
use review_config::Folders;
use review_store::{FileError, KeptRecords, RootPath, RunDir, STATE_DIR, StateDir};

use crate::location::nested_roots;
use crate::project::Project;
use crate::settings::RunSettings;

/// What a gate would believe of the root of a run and of the roots below it, where its
/// agents work as well.
pub(crate) struct GuardedRecords {
    own: KeptRecords,
    nested: Vec<KeptRecords>,
}

impl GuardedRecords {
    /// The records that the agents of a run could write. None is read yet.
    pub(crate) fn new(
        project: &Project<'_>,
        settings: &RunSettings,
        run: &RunDir,
        spec: &RootPath,
    ) -> Self {
        let mut agents = settings
            .config
            .reviewer
            .iter()
            .chain([&settings.config.applier]);
        // The embedded reviewer and applier run no program.
        let nested = match agents.any(|agent| *agent != Backend::Builtin) {
            true => nested_states(project),
            false => Vec::new(),
        };
        let nested = nested.into_iter();
        Self {
            own: run.keep_records(spec, settings.target.unit()),
            nested: nested.map(|state| run.keep_records_of(state)).collect(),
        }
    }

    /// Reads them before an agent is called.
    ///
    /// # Errors
    /// When some cannot be listed.
    pub(super) fn look(&mut self) -> Result<(), FileError> {
        self.all().try_for_each(KeptRecords::look)
    }

    /// Restores them and returns the paths of those that were changed.
    ///
    /// # Errors
    /// When some cannot be listed, written or removed.
    pub(super) fn restore(&mut self) -> Result<Vec<PathBuf>, FileError> {
        let mut changed = Vec::new();
        for records in self.all() {
            changed.extend(records.restore()?);
        }
        Ok(changed)
    }

    fn all(&mut self) -> impl Iterator<Item = &mut KeptRecords> {
        std::iter::once(&mut self.own).chain(&mut self.nested)
    }
}

/// The state folders of the roots below that of a run; none where there are too many
/// folders to look for them, so that a gate above does not find them either.
fn nested_states(project: &Project<'_>) -> Vec<StateDir> {
    let roots = nested_roots(project.root.path(), &Folders::default()).unwrap_or_default();
    let states = roots.into_iter().map(|root| root.join(STATE_DIR));
    states.map(StateDir::at).collect()
}
