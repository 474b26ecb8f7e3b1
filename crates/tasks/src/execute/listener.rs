//! Hears what a command prints: logs it, counts its tests, keeps its end.

use std::io::{self, Write};

use review_process::{Sink, Stream};
use review_store::LogFile;

use super::tail::Tail;
use crate::runners::TestCounter;

/// Takes the output of one step.
pub(super) struct Listener<'a> {
    pub(super) log: &'a mut LogFile,
    pub(super) counter: TestCounter,
    pub(super) tail: &'a mut Tail,
}

impl Sink for Listener<'_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        let tail = &mut *self.tail;
        self.counter
            .push_telling(stream, bytes, &mut |line| tail.push(line));
        self.log.write_all(bytes)
    }
}

impl Listener<'_> {
    /// The tests that ran, once the output is over.
    pub(super) fn finish(self) -> Option<u64> {
        let tail = self.tail;
        self.counter.finish_telling(&mut |line| tail.push(line))
    }
}
