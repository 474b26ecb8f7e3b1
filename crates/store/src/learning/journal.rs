//! The journal of learning: one event a line, for each step of a protocol that
//! was taken.

use std::path::PathBuf;

use review_learning::protocol::LearningEvent;

use crate::{Action, FileError, LineFile, StateDir};

/// The name of the file in the state folder.
const FILE_NAME: &str = "learning.jsonl";

/// The journal of learning, which several programs may append to.
#[derive(Debug)]
pub struct LearningJournal {
    path: PathBuf,
    lines: Option<LineFile>,
}

impl StateDir {
    /// The journal of learning; it is made with its first event.
    #[must_use]
    pub fn learning_journal(&self) -> LearningJournal {
        LearningJournal {
            path: self.path().join(FILE_NAME),
            lines: None,
        }
    }
}

impl LearningJournal {
    /// Appends events, each in one write.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append<'e>(
        &mut self,
        events: impl IntoIterator<Item = &'e LearningEvent>,
    ) -> Result<(), FileError> {
        for event in events {
            let lines = match &mut self.lines {
                Some(lines) => lines,
                None => self.lines.insert(LineFile::open(&self.path)?),
            };
            let line = serde_json::to_vec(event).map_err(std::io::Error::other);
            lines.append(&line.map_err(FileError::of(Action::Written, &self.path))?)?;
        }
        Ok(())
    }
}
