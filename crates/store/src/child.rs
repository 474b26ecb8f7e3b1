//! The process groups that a run started, for a resume after a crash.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk;

/// What precedes a group that has ended.
const ENDED: char = '-';

/// Where the process groups of programs are noted: a line for each that started, and
/// another one when it has ended.
#[derive(Clone, Debug)]
pub struct ChildSlot(PathBuf);

/// Notes a process group as running until it is dropped.
#[derive(Debug)]
pub struct ChildNote {
    slot: ChildSlot,
    group: Option<String>,
}

impl ChildSlot {
    /// In the folder of a run.
    pub(crate) fn new(run: &Path) -> Self {
        Self(run.join("children"))
    }

    /// The note of a program that is started next.
    pub fn note(&self) -> ChildNote {
        ChildNote {
            slot: self.clone(),
            group: None,
        }
    }

    /// The process groups of running programs, or of those that a killed process left.
    ///
    /// # Errors
    /// Returns an error when their notes cannot be read.
    pub fn running(&self) -> io::Result<Vec<String>> {
        let found = disk::found(disk::read_regular(&self.0))?;
        let lines = found.map_or_else(Vec::new, |content| content.bytes);
        let mut running = Vec::new();
        for line in String::from_utf8_lossy(&lines).lines() {
            match line.strip_prefix(ENDED) {
                Some(ended) => running.retain(|group| group != ended),
                None => running.push(line.to_owned()),
            }
        }
        Ok(running)
    }

    /// Removes the notes of programs of a process that has ended.
    ///
    /// # Errors
    /// Returns an error when they exist and cannot be removed.
    pub fn clear(&self) -> io::Result<()> {
        disk::remove(&self.0).map(|_| ())
    }

    fn append(&self, line: &str) -> io::Result<()> {
        disk::append_private(&self.0, format!("{line}\n").as_bytes())
    }
}

impl ChildNote {
    /// Notes a group that has just started. An error is only logged: the program runs
    /// anyway.
    pub fn write(&mut self, group: impl Display) {
        let group = group.to_string();
        match self.slot.append(&group) {
            Ok(()) => self.group = Some(group),
            Err(error) => tracing::warn!(
                "cannot record process group {group}, so a resume after a crash cannot terminate it: {error}"
            ),
        }
    }
}

impl Drop for ChildNote {
    fn drop(&mut self) {
        if let Some(group) = &self.group
            && let Err(error) = self.slot.append(&format!("{ENDED}{group}"))
        {
            tracing::warn!("cannot record the end of process group {group}: {error}");
        }
    }
}
