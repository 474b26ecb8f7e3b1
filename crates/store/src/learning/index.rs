//! The index of the entries: their metadata, without opening their files.
//!
//! A line is an entry that was written, or the time of a folder after our last write to
//! it. A folder with an unchanged time holds exactly the indexed entries; other folders
//! are listed.

use std::collections::BTreeMap;

use review_learning::feedback::{FeedbackEntry, FeedbackType, Severity};
use review_types::Timestamp;
use serde::{Deserialize, Serialize};

use crate::stamp::FileTime;

/// The length of an id, and the suffix of a file name.
const ID: usize = 36;
const EXTENSION: &str = ".json";

/// The metadata of an entry in the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedEntry {
    /// The agent.
    pub agent: String,
    /// The name of the file in the agent's folder.
    pub file: String,
    /// The time of the entry.
    pub timestamp: Timestamp,
    /// The source of the feedback.
    #[serde(rename = "type")]
    pub feedback_type: FeedbackType,
    /// The severity.
    pub severity: Severity,
    /// The run or session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl IndexedEntry {
    /// Extracts the metadata of an entry.
    #[must_use]
    pub fn of(entry: &FeedbackEntry) -> Self {
        Self {
            agent: entry.agent.clone(),
            file: entry.file_name(),
            timestamp: entry.timestamp,
            feedback_type: entry.feedback_type,
            severity: entry.effective_severity(),
            session: entry.context.session.clone(),
        }
    }

    /// The id of the entry.
    #[must_use]
    pub fn id(&self) -> &str {
        id_in(&self.file).unwrap_or(&self.file)
    }
}

/// The id in the file name of an entry; `None` for other files.
pub(super) fn id_in(file: &str) -> Option<&str> {
    let stem = file.strip_suffix(EXTENSION)?;
    let start = stem.len().checked_sub(ID)?;
    let (before, id) = (stem.get(..start)?, stem.get(start..)?);
    (before.ends_with('-') && review_types::is_uuid(id)).then_some(id)
}

/// A line of the index.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Line {
    /// An entry that was written.
    Entry(IndexedEntry),
    /// The time of a folder after our last write to it.
    Folder { folder: String, mtime: (i64, i64) },
}

/// The content of an index.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The entries by file name.
    pub(super) entries: Vec<IndexedEntry>,
    /// The times of the folders after our last write to them.
    pub(super) times: BTreeMap<String, FileTime>,
    /// Whether a line could not be read, so entries may be missing.
    pub(super) is_torn: bool,
}

impl Index {
    /// Reads all lines of an index.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut index = Self::default();
        let is_ended = bytes.is_empty() || bytes.ends_with(b"\n");
        index.is_torn = !is_ended;
        for line in bytes.split(|byte| *byte == b'\n') {
            if line.is_empty() {
                continue;
            }
            match serde_json::from_slice(line) {
                Ok(Line::Entry(entry)) => index.entries.push(entry),
                Ok(Line::Folder { folder, mtime }) => {
                    let (seconds, nanos) = mtime;
                    index.times.insert(folder, FileTime { seconds, nanos });
                }
                Err(_) => index.is_torn = true,
            }
        }
        index.settle();
        index
    }

    /// Sorts the entries and removes duplicates.
    pub(super) fn settle(&mut self) {
        self.entries
            .sort_by(|one, other| (one.timestamp, &one.file).cmp(&(other.timestamp, &other.file)));
        self.entries.dedup_by(|one, other| one.file == other.file);
    }

    /// The whole index as lines.
    pub(super) fn to_lines(&self) -> Vec<u8> {
        let mut lines = Vec::new();
        for entry in &self.entries {
            Line::Entry(entry.clone()).append_to(&mut lines);
        }
        for (folder, time) in &self.times {
            Line::of_folder(folder, *time).append_to(&mut lines);
        }
        lines
    }
}

impl Line {
    /// The line for the time of a folder.
    pub(super) fn of_folder(folder: &str, time: FileTime) -> Self {
        Self::Folder {
            folder: folder.to_owned(),
            mtime: (time.seconds, time.nanos),
        }
    }

    /// Appends the line.
    #[expect(clippy::expect_used, reason = "strings and numbers are JSON")]
    pub(super) fn append_to(&self, lines: &mut Vec<u8>) {
        serde_json::to_writer(&mut *lines, self)
            .expect("strings and numbers are JSON, and writing to memory cannot fail");
        lines.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u32) -> IndexedEntry {
        IndexedEntry {
            agent: "reviewer".to_owned(),
            file: format!("20260301T123005Z-0192f0c1-2d3e-7a4b-8c5d-6e7f8091{number:04x}.json"),
            timestamp: Timestamp::from_unix_ms(i64::from(number)),
            feedback_type: FeedbackType::TestFailure,
            severity: Severity::High,
            session: number.is_multiple_of(2).then(|| "r-1".to_owned()),
        }
    }

    #[test]
    fn an_index_is_read_sorted_and_without_duplicates() {
        let time = FileTime {
            seconds: 7,
            nanos: 9,
        };
        let mut lines = Vec::new();
        for number in [3, 1, 2, 1] {
            Line::Entry(entry(number)).append_to(&mut lines);
        }
        let before = FileTime {
            seconds: 7,
            nanos: 8,
        };
        Line::of_folder("reviewer", before).append_to(&mut lines);
        Line::of_folder("reviewer", time).append_to(&mut lines);
        let index = Index::read(&lines);
        assert_eq!(index.entries, [1, 2, 3].map(entry));
        assert_eq!(index.times, BTreeMap::from([("reviewer".to_owned(), time)]));
        assert!(!index.is_torn);
        let again = Index::read(&index.to_lines());
        assert_eq!((again.entries, again.times), (index.entries, index.times));
    }

    #[test]
    fn a_line_that_cannot_be_read_makes_the_index_torn() {
        let mut whole = Vec::new();
        Line::Entry(entry(1)).append_to(&mut whole);
        for broken in [
            "{\"agent\":\"a\"",
            "{\"agent\":\"a\"}\n",
            "x\n",
            "{\"severity\":\"grave\"}\n",
        ] {
            let index = Index::read(&[whole.as_slice(), broken.as_bytes()].concat());
            assert!(index.is_torn, "{broken}");
            assert_eq!(index.entries.len(), 1);
        }
        assert!(!Index::read(b"").is_torn);
    }

    #[test]
    fn the_id_is_read_from_the_file_name() {
        let id = "0192f0c1-2d3e-7a4b-8c5d-6e7f80910001";
        assert_eq!(entry(1).id(), id);
        assert_eq!(id_in(&format!("x-{id}.json")), Some(id));
        for name in [
            "index.jsonl",
            "a.json",
            &format!("{id}.json"),
            &format!("x{id}.json"),
            &format!("x-{id}.tmp"),
            "\u{e4}-12345678-1234-1234-1234-1234567890a\u{e4}.json",
        ] {
            assert_eq!(id_in(name), None, "{name}");
        }
    }
}
