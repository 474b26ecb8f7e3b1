//! The state folder and the runs in it, as commands find them.

use std::path::Path;

use review_config::Config;
use review_engine::location::{open_state, state_folder, state_for_reading};
use review_store::{RunDir, RunError, StateDir, StateError};

use crate::context::Context;
use crate::error::{CommandError, ErrorKind};

impl Context {
    /// The state folder of a run, made if it is missing. A run that touches no
    /// file of the user uses a temporary one, with one warning.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn state(
        &mut self,
        settings: &Config,
        touches_files: bool,
    ) -> Result<StateDir, CommandError> {
        let opened = open_state(settings, self.environment.folder());
        match opened {
            Ok(state) => Ok(state),
            Err(error) if !touches_files => {
                if let Some(state) = &self.makeshift {
                    return Ok(state.clone());
                }
                self.streams
                    .warn(&format!("{error}; this run is remembered nowhere"));
                let state = StateDir::temporary().map_err(|error| unusable(&error))?;
                Ok(self.makeshift.insert(state).clone())
            }
            Err(error) => Err(unusable(&error)),
        }
    }

    /// The state folder for reading: nothing is made.
    pub(crate) fn state_for_reading(&self, settings: &Config) -> StateDir {
        StateDir::at(state_folder(settings, self.environment.folder()))
    }

    /// The state folder for reading. One that is missing has no records.
    ///
    /// # Errors
    /// When the system has no place for a temporary folder.
    pub(crate) fn existing_state(&self, settings: &Config) -> Result<StateDir, CommandError> {
        let state = state_for_reading(settings, self.environment.folder());
        state.map_err(|error| CommandError::new(ErrorKind::Input, error.to_string()))
    }

    /// A state folder that is there already, for writing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn open_state(&self, folder: &Path) -> Result<StateDir, CommandError> {
        StateDir::open(folder).map_err(|error| unusable(&error))
    }

    /// The run that an argument names.
    ///
    /// # Errors
    /// When it means none, or several; the message names candidates.
    pub(crate) fn find_run(&self, state: &StateDir, run: &str) -> Result<RunDir, CommandError> {
        let found = review_engine::find_run(state, run, self.environment.folder());
        found.map_err(|error| {
            let hint = match &error {
                RunError::None(_) => "`ralph run` starts one",
                RunError::Unknown { .. } => {
                    "`latest` is the newest run; `ralph report` lists the runs"
                }
                _ => "`ralph report` lists the runs",
            };
            CommandError::new(ErrorKind::Usage, error.to_string()).hint(hint)
        })
    }
}

fn unusable(error: &StateError) -> CommandError {
    CommandError::new(ErrorKind::Output, error.to_string())
}
