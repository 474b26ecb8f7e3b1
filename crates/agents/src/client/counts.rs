//! What a client counts in a file of its own while it works.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use super::call::Variables;
use crate::stream::{Line, Lines};

/// The longest line that is read.
const MAX_LINE: usize = 1024 * 1024;

/// How often a file is looked for, once an event.
const MAX_LOOKS: u32 = 64;

/// How much is read at once, and how often between two events.
const PIECE: usize = 64 * 1024;
const MAX_PIECES: usize = 1024;

/// Where a client tells what it has consumed before it prints that.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    /// The files of a session, once they are there.
    pub(crate) files: fn(&Variables, session: &str) -> Vec<PathBuf>,
    /// The event of its output that a line stands for, if it is a count. It
    /// holds figures and names alone.
    pub(crate) event: fn(line: &[u8]) -> Option<String>,
    /// What a count is of.
    pub(crate) span: CountSpan,
}

/// What a count is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountSpan {
    /// One message of the model: all of them count.
    Message,
    /// The session so far: the last one counts.
    Session,
}

/// Reads the counts of one call as they are written.
pub(crate) struct CountReader<'a> {
    counts: Counts,
    env: &'a Variables,
    files: Vec<CountFile>,
    looks: u32,
    /// What was read last; nothing before there is a file.
    piece: Vec<u8>,
}

/// A file that is read as it grows.
struct CountFile {
    file: File,
    lines: Lines,
}

impl<'a> CountReader<'a> {
    /// Reads what a client writes that is called with `env`.
    pub(crate) fn new(counts: Counts, env: &'a Variables) -> Self {
        Self {
            counts,
            env,
            files: Vec::new(),
            looks: 0,
            piece: Vec::new(),
        }
    }

    /// The counts in the files of a session since they were read before. A file
    /// that cannot be read has none: the client prints its counts in the end.
    pub(crate) fn read(&mut self, session: &str) -> Vec<String> {
        if self.files.is_empty() && self.looks < MAX_LOOKS {
            self.looks += 1;
            let paths = (self.counts.files)(self.env, session).into_iter();
            let files = paths.filter_map(|path| File::open(path).ok());
            self.files = files.map(CountFile::new).collect();
        }
        let mut counts = Vec::new();
        let Counts { event, span, .. } = self.counts;
        if !self.files.is_empty() {
            self.piece.resize(PIECE, 0);
        }
        for file in &mut self.files {
            file.read(&mut self.piece, &mut |line| {
                if let Some(count) = event(line) {
                    if span == CountSpan::Session {
                        counts.clear();
                    }
                    counts.push(count);
                }
            });
        }
        counts
    }
}

impl CountFile {
    fn new(file: File) -> Self {
        Self {
            file,
            lines: Lines::new(MAX_LINE),
        }
    }

    /// Passes on the lines that were written since.
    fn read(&mut self, piece: &mut [u8], each: &mut dyn FnMut(&[u8])) {
        for _ in 0..MAX_PIECES {
            let Ok(read @ 1..) = self.file.read(piece) else {
                break;
            };
            self.lines.push(&piece[..read], &mut |line| {
                if let Line::Whole(line) = line {
                    each(line);
                }
            });
        }
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests make the files that they need"
)]
mod tests {
    use std::ffi::OsStr;
    use std::io::Write;

    use super::*;

    const NUMBERS: Counts = Counts {
        files: |env, session| {
            let Some(folder) = env.get(OsStr::new("FOLDER")) else {
                return Vec::new();
            };
            let path = |name| PathBuf::from(folder).join(name);
            let paths = [path(session.to_owned()), path(format!("{session}.2"))];
            paths.into_iter().filter(|path| path.is_file()).collect()
        },
        event: |line| {
            let number: u32 = std::str::from_utf8(line).ok()?.parse().ok()?;
            Some(format!("counted {number}"))
        },
        span: CountSpan::Session,
    };

    #[test]
    fn the_last_count_is_reported_once_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let env = [("FOLDER".into(), folder.path().into())].into();
        let mut reader = CountReader::new(NUMBERS, &env);
        assert!(reader.read("s").is_empty());
        let mut file = File::create(folder.path().join("s")).unwrap();
        assert!(reader.read("s").is_empty());
        for (written, told) in [
            ("1\n2\nno count\n3", &["counted 2"][..]),
            ("", &[]),
            ("4\n", &["counted 34"]),
            (
                &format!("{}\n5\n", "9".repeat(MAX_LINE + 1)),
                &["counted 5"],
            ),
        ] {
            file.write_all(written.as_bytes()).unwrap();
            assert_eq!(reader.read("s"), told);
        }
    }

    #[test]
    fn the_counts_of_all_files_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let env = [("FOLDER".into(), folder.path().into())].into();
        let counts = Counts {
            span: CountSpan::Message,
            ..NUMBERS
        };
        let mut reader = CountReader::new(counts, &env);
        for (name, text) in [("s", "1\n2\n"), ("s.2", "3\n4"), ("t", "5\n")] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        assert_eq!(reader.read("s"), ["counted 1", "counted 2", "counted 3"]);
        assert!(reader.read("s").is_empty());
    }

    #[test]
    fn a_file_that_does_not_come_is_looked_for_some_times() {
        let folder = tempfile::tempdir().unwrap();
        let env = [("FOLDER".into(), folder.path().into())].into();
        let mut reader = CountReader::new(NUMBERS, &env);
        let mut late = CountReader::new(NUMBERS, &env);
        assert!(reader.read("s").is_empty());
        for _ in 1..MAX_LOOKS {
            assert!(reader.read("s").is_empty());
            assert!(late.read("s").is_empty());
        }
        std::fs::write(folder.path().join("s"), "1\n").unwrap();
        assert!(reader.read("s").is_empty());
        assert_eq!(late.read("s"), ["counted 1"]);
    }
}
