//! The state folder and the runs in it, as commands find them.

use std::path::Path;

use review_config::Config;
use review_engine::location::{open_state, state_folder, state_for_reading};
use review_store::{RunDir, StateDir, StateError};

use crate::context::Context;
use crate::error::CommandError;

impl Context {
    /// The state folder of a root for a run, made if it is missing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn state(&self, settings: &Config, root: &Path) -> Result<StateDir, CommandError> {
        let opened = open_state(settings, &self.environment.folder, root);
        opened.map_err(|error| unusable(&error))
    }

    /// The same for work that touches no file of the user: where it cannot be written, it
    /// is a temporary one, with one warning.
    ///
    /// # Errors
    /// When the system has no place for that.
    pub(crate) fn state_of_look(
        &mut self,
        settings: &Config,
        root: &Path,
    ) -> Result<StateDir, CommandError> {
        let error = match open_state(settings, &self.environment.folder, root) {
            Ok(state) => return Ok(state),
            Err(error) => error,
        };
        if let Some(state) = self.temporary_states.get(root) {
            return Ok(state.clone());
        }
        if self.temporary_states.is_empty() {
            let warning = format!("{error}; this run is remembered nowhere");
            self.streams.warn(&warning);
        }
        let state = StateDir::temporary()?;
        self.temporary_states.insert(root.to_owned(), state.clone());
        Ok(state)
    }

    /// The state folder of a root for reading: nothing is made.
    pub(crate) fn state_for_reading(&self, settings: &Config, root: &Path) -> StateDir {
        StateDir::at(state_folder(settings, &self.environment.folder, root))
    }

    /// The state folder of a root for reading. One that is missing has no records.
    ///
    /// # Errors
    /// When the system has no place for a temporary folder.
    pub(crate) fn existing_state(
        &self,
        settings: &Config,
        root: &Path,
    ) -> Result<StateDir, CommandError> {
        Ok(state_for_reading(settings, &self.environment.folder, root)?)
    }

    /// A state folder that is there already, for writing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn open_state(&self, folder: &Path) -> Result<StateDir, CommandError> {
        StateDir::open(folder).map_err(|error| unusable(&error))
    }

    /// The run that an argument names, of the current root or of one below it.
    ///
    /// # Errors
    /// When it means none, or several; the message names candidates.
    pub(crate) fn find_run(&mut self, run: &str) -> Result<RunDir, CommandError> {
        let state = self.current_state()?;
        let found = review_engine::find_run(&state, &[], run, &self.environment.folder);
        // Neither a whole id nor a path has another meaning in another root.
        if let Ok(dir) = &found
            && (dir.id().as_str() == run || !state.holds(dir))
        {
            return Ok(dir.clone());
        }
        let states = self.states()?;
        let others: Vec<_> = states.into_iter().skip(1).map(|of| of.state).collect();
        let found = review_engine::find_run(&state, &others, run, &self.environment.folder);
        found.map_err(|error| {
            let hint = error.hint;
            CommandError::new(error.to_string()).hint(hint)
        })
    }
}

/// Its message has its cause in it.
fn unusable(error: &StateError) -> CommandError {
    CommandError::new(error.to_string())
}
