//! Hears what a command prints: logs it, reads of its tests, keeps its end.

use std::io::{self, Write};

use review_process::{Sink, Stream};
use review_store::LogFile;

use super::tail::Tail;
use crate::runners::{Heard, TestReader};

/// Takes the output of one step.
pub(super) struct Listener<'a> {
    pub(super) log: &'a mut LogFile,
    pub(super) reader: TestReader,
    pub(super) tail: &'a mut Tail,
}

impl Sink for Listener<'_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        let tail = &mut *self.tail;
        self.reader
            .push_telling(stream, bytes, &mut |line| keep(tail, line));
        self.log.write_all(bytes)
    }
}

impl Listener<'_> {
    /// What was heard of the tests, once the output is over.
    pub(super) fn finish(self) -> Heard {
        let tail = self.tail;
        self.reader.finish_telling(&mut |line| keep(tail, line))
    }
}

/// Keeps a line for the report, unless it does nothing but name a test of pytest
/// that passed: those would push out what went wrong.
fn keep(tail: &mut Tail, line: &str) {
    if !line.starts_with("PASSED ") {
        tail.push(line);
    }
}
