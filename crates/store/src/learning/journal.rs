//! The learning journal: one event per line, for each completed step of a protocol.

use std::borrow::Cow;
use std::io::{self, BufRead as _, BufReader};
use std::path::PathBuf;

use review_learning::protocol::{LearningEvent, Step};
use serde::Deserialize;

use crate::{Action, FileError, LineFile, StateDir, disk};

/// The name of the file in the state folder.
const FILE_NAME: &str = "learning.jsonl";

/// The learning journal, to which several processes may append.
#[derive(Debug)]
pub struct LearningJournal {
    path: PathBuf,
    lines: Option<LineFile>,
}

impl StateDir {
    /// The learning journal; it is created with its first event.
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
    /// Returns an error when the file cannot be written.
    pub fn append<'e>(
        &mut self,
        events: impl IntoIterator<Item = &'e LearningEvent>,
    ) -> Result<(), FileError> {
        for event in events {
            let lines = match &mut self.lines {
                Some(lines) => lines,
                None => self.lines.insert(LineFile::open(&self.path)?),
            };
            let line = serde_json::to_vec(event).map_err(io::Error::other);
            lines.append(&line.map_err(FileError::of(Action::Written, &self.path))?)?;
        }
        Ok(())
    }

    /// The number of events of each of `steps`. Lines that are not events are skipped.
    ///
    /// # Errors
    /// Returns an error when the file exists and cannot be read.
    pub fn count<const N: usize>(&self, steps: [Step; N]) -> Result<[usize; N], FileError> {
        let mut counts = [0; N];
        let found = disk::found(crate::open_file(&self.path));
        let Some(file) = found.map_err(FileError::of(Action::Read, &self.path))? else {
            return Ok(counts);
        };
        let types = steps.map(|step| step.to_string());
        for line in BufReader::new(file).split(b'\n') {
            let line = line.map_err(FileError::of(Action::Read, &self.path))?;
            let Ok(event) = serde_json::from_slice::<EventType<'_>>(&line) else {
                continue;
            };
            for (count, told) in counts.iter_mut().zip(&types) {
                *count += usize::from(event.event_type == told.as_str());
            }
        }
        Ok(counts)
    }
}

/// The part of an event that is read again.
#[derive(Deserialize)]
struct EventType<'a> {
    #[serde(rename = "type", borrow)]
    event_type: Cow<'a, str>,
}
