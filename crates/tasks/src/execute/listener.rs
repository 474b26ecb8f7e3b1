//! Processes the output of a command: logs it, finds its tests, keeps its end.

use std::collections::VecDeque;
use std::io::{self, Write};

use review_process::{Sink, Stream};
use review_store::LogFile;

use super::watch::StepWatch;
use crate::runners::{ObservedTests, TestReader};

/// Maximum number of lines.
const LINES: usize = 40;
/// Maximum number of bytes, including line ends.
const BYTES: usize = 4 * 1024;
/// Maximum number of bytes of one line.
const LINE_BYTES: usize = 1024;

/// Receives the output of one step.
pub(super) struct Listener<'a, 'w> {
    /// Who watches, if anybody does.
    pub(super) watch: Option<&'a mut StepWatch<'w>>,
    pub(super) log: &'a mut LogFile,
    pub(super) reader: TestReader,
    pub(super) tail: &'a mut Tail,
}

impl Sink for Listener<'_, '_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        let tail = &mut *self.tail;
        let mut watch = self.watch.as_deref_mut();
        self.reader.push_telling(stream, bytes, &mut |line| {
            keep(tail, line);
            if let Some(watch) = &mut watch {
                watch.prints(line);
            }
        });
        if let Some(watch) = watch {
            watch.report(|| self.reader.tests_so_far());
        }
        self.log.write_all(bytes)
    }
}

impl Listener<'_, '_> {
    /// Returns the tests in the output, once it has ended.
    pub(super) fn finish(self) -> ObservedTests {
        let tail = self.tail;
        self.reader.finish_telling(&mut |line| keep(tail, line))
    }
}

/// Keeps a line for the report, unless it only names a passed test of pytest: such
/// lines would displace the errors.
fn keep(tail: &mut Tail, line: &str) {
    if !line.starts_with("PASSED ") {
        tail.push(line);
    }
}

/// The last lines of an output.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    lines: VecDeque<String>,
    bytes: usize,
}

impl Tail {
    pub(crate) fn push(&mut self, line: &str) {
        let line = &line[..line.floor_char_boundary(LINE_BYTES)];
        while self.lines.len() >= LINES || self.bytes + line.len() >= BYTES {
            let Some(first) = self.lines.pop_front() else {
                break;
            };
            self.bytes -= first.len() + 1;
        }
        self.bytes += line.len() + 1;
        self.lines.push_back(line.to_owned());
    }

    /// Returns the lines as one string.
    pub(crate) fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(lines: impl IntoIterator<Item = String>) -> String {
        let mut tail = Tail::default();
        for line in lines {
            tail.push(&line);
        }
        tail.text()
    }

    #[test]
    fn the_last_forty_lines_are_kept() {
        let text = tail((1..=100).map(|line| line.to_string()));
        let expected: String = (61..=100).map(|line| format!("{line}\n")).collect();
        assert_eq!(text, expected);
    }

    #[test]
    fn at_most_four_kibibytes_are_kept() {
        let text = tail((1..=9).map(|line| line.to_string().repeat(1023)));
        assert_eq!(text.len(), BYTES);
        assert!(text.starts_with("666"));
        assert!(text.ends_with("999\n"));
        let one_too_many = [1023, 1023, 1023, 1024].map(|length| "x".repeat(length));
        assert_eq!(tail(one_too_many).len(), BYTES - 1023);
    }

    #[test]
    fn the_start_of_a_long_line_is_kept() {
        let text = tail(["ä".repeat(2000)]);
        assert_eq!(text, format!("{}\n", "ä".repeat(512)));
        let text = tail([format!("x{}", "ä".repeat(2000))]);
        assert_eq!(text, format!("x{}\n", "ä".repeat(511)));
        assert_eq!(tail([]), "");
    }
}
