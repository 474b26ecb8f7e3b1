//! What a client counts in a file of its own while it works.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use super::Variables;
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
    /// The file of a session, once it is there.
    pub(crate) file: fn(&Variables, session: &str) -> Option<PathBuf>,
    /// The event of its output that a line stands for, if it is a count. It
    /// holds numbers alone.
    pub(crate) event: fn(line: &[u8]) -> Option<String>,
}

/// Reads the counts of one call as they are written.
pub(crate) struct CountReader<'a> {
    counts: Counts,
    env: &'a Variables,
    file: Option<File>,
    looks: u32,
    lines: Lines,
    /// What was read last; nothing before there is a file.
    piece: Vec<u8>,
}

impl<'a> CountReader<'a> {
    /// Reads what a client writes that is called with `env`.
    pub(crate) fn new(counts: Counts, env: &'a Variables) -> Self {
        Self {
            counts,
            env,
            file: None,
            looks: 0,
            lines: Lines::new(MAX_LINE),
            piece: Vec::new(),
        }
    }

    /// The last count in the file of a session since it was read before. A file
    /// that cannot be read has none: the client prints its counts in the end.
    pub(crate) fn read(&mut self, session: &str) -> Option<String> {
        if self.file.is_none() && self.looks < MAX_LOOKS {
            self.looks += 1;
            let path = (self.counts.file)(self.env, session)?;
            self.file = File::open(path).ok();
        }
        let file = self.file.as_mut()?;
        let mut last = None;
        self.piece.resize(PIECE, 0);
        for _ in 0..MAX_PIECES {
            let Ok(read @ 1..) = file.read(&mut self.piece) else {
                break;
            };
            self.lines.push(&self.piece[..read], &mut |line| {
                if let Line::Whole(line) = line {
                    last = (self.counts.event)(line).or(last.take());
                }
            });
        }
        last
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
        file: |env, session| {
            let folder = env.get(OsStr::new("FOLDER"))?;
            let path = PathBuf::from(folder).join(session);
            path.is_file().then_some(path)
        },
        event: |line| {
            let number: u32 = std::str::from_utf8(line).ok()?.parse().ok()?;
            Some(format!("counted {number}"))
        },
    };

    #[test]
    fn the_last_count_is_told_once_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let env = [("FOLDER".into(), folder.path().into())].into();
        let mut reader = CountReader::new(NUMBERS, &env);
        assert_eq!(reader.read("s"), None);
        let mut file = File::create(folder.path().join("s")).unwrap();
        assert_eq!(reader.read("s"), None);
        for (written, told) in [
            ("1\n2\nno count\n3", Some("counted 2")),
            ("", None),
            ("4\n", Some("counted 34")),
            (
                &format!("{}\n5\n", "9".repeat(MAX_LINE + 1)),
                Some("counted 5"),
            ),
        ] {
            file.write_all(written.as_bytes()).unwrap();
            assert_eq!(reader.read("s").as_deref(), told);
        }
    }

    #[test]
    fn a_file_that_does_not_come_is_looked_for_some_times() {
        let folder = tempfile::tempdir().unwrap();
        let env = [("FOLDER".into(), folder.path().into())].into();
        let mut reader = CountReader::new(NUMBERS, &env);
        let mut late = CountReader::new(NUMBERS, &env);
        assert_eq!(reader.read("s"), None);
        for _ in 1..MAX_LOOKS {
            assert_eq!(reader.read("s"), None);
            assert_eq!(late.read("s"), None);
        }
        std::fs::write(folder.path().join("s"), "1\n").unwrap();
        assert_eq!(reader.read("s"), None);
        assert_eq!(late.read("s").as_deref(), Some("counted 1"));
    }
}
