//! The journal of learning: one event a line, for each step of a protocol that
//! was taken.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::PathBuf;

use review_learning::protocol::{LearningEvent, Step};
use serde::Deserialize;

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
            let line = serde_json::to_vec(event).map_err(io::Error::other);
            lines.append(&line.map_err(FileError::of(Action::Written, &self.path))?)?;
        }
        Ok(())
    }

    /// How often each of `steps` was taken. Lines that are no events are passed
    /// over.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn count<const N: usize>(&self, steps: [Step; N]) -> Result<[usize; N], FileError> {
        let mut counts = [0; N];
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(counts),
            Err(error) => return Err(FileError::of(Action::Read, &self.path)(error)),
        };
        let types = steps.map(|step| step.to_string());
        for line in BufReader::new(file).split(b'\n') {
            let line = line.map_err(FileError::of(Action::Read, &self.path))?;
            let Ok(event) = serde_json::from_slice::<Told<'_>>(&line) else {
                continue;
            };
            for (count, told) in counts.iter_mut().zip(&types) {
                *count += usize::from(event.event_type == told.as_str());
            }
        }
        Ok(counts)
    }
}

/// What is read of an event again.
#[derive(Deserialize)]
struct Told<'a> {
    #[serde(rename = "type", borrow)]
    event_type: Cow<'a, str>,
}
