//! Hears what a command prints: logs it, counts its tests, keeps its end.

use std::io;

use review_process::{Sink, Stream};

use super::tail::Tail;
use crate::runners::TestCounter;

/// Takes the output of one step.
pub(super) struct Listener<'a> {
    pub(super) log: &'a mut dyn Sink,
    pub(super) counter: TestCounter,
    pub(super) tail: &'a mut Tail,
}

impl Sink for Listener<'_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        let tail = &mut *self.tail;
        self.counter
            .push_telling(stream, bytes, &mut |line| tail.push(line));
        self.log.write(stream, bytes)
    }
}

impl Listener<'_> {
    /// The tests that ran, once the output is over.
    pub(super) fn finish(self) -> Option<u64> {
        let tail = self.tail;
        self.counter.finish_telling(&mut |line| tail.push(line))
    }
}
