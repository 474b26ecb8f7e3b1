//! The state folder.

use std::path::{Path, PathBuf};

use review_config::{Config, Origin};
use review_store::{StateDir, StateError};

use super::{Disk, absolute, root_of};

/// Returns the state folder for a user in `folder`: what a flag or variable names
/// is relative to that folder; what the configuration names is relative to the
/// root of that folder, so that a foreign tree is never written to.
#[must_use]
pub fn state_folder(config: &Config, folder: &Path) -> PathBuf {
    match config.origin("state_dir") {
        Origin::Flag(_) | Origin::Variable(_) => absolute(folder, &config.state_dir),
        Origin::File { .. } | Origin::Default => {
            absolute(&root_of(folder, &Disk), &config.state_dir)
        }
    }
}

/// Opens the state folder for a user in `folder`, and makes it if it is missing.
///
/// # Errors
/// When it cannot be written.
pub fn open_state(config: &Config, folder: &Path) -> Result<StateDir, StateError> {
    let folder = state_folder(config, folder);
    match config.origin("state_dir") {
        Origin::Default => match folder.parent() {
            Some(root) => StateDir::under(root),
            None => StateDir::open(&folder),
        },
        Origin::Flag(_) | Origin::Variable(_) | Origin::File { .. } => StateDir::open(&folder),
    }
}

/// Returns the state folder for reading. One that is missing has no records; a
/// temporary one is read in its place, and nothing is made there.
///
/// # Errors
/// When the system has no place for a temporary folder.
pub fn state_for_reading(config: &Config, folder: &Path) -> Result<StateDir, StateError> {
    let state = StateDir::at(state_folder(config, folder));
    match state.path().is_dir() {
        true => Ok(state),
        false => StateDir::temporary(),
    }
}
