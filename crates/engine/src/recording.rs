//! Whether the calls of a run are kept or played.

use std::path::PathBuf;

/// Whether the calls of a run are kept or played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Recording {
    /// They are made, and nothing is kept beside the journal.
    #[default]
    None,
    /// They are made, and each is kept in this folder, which is empty or not
    /// there yet.
    Record(PathBuf),
    /// None is made: each is played from this folder. The run is the recorded
    /// one but for its id and its times.
    Replay(PathBuf),
}
