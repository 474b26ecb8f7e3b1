//! Processes the output of a command: logs it, finds its tests, keeps its end.

use std::io::{self, Write};

use review_process::{Sink, Stream};
use review_store::LogFile;

use super::tail::Tail;
use super::watch::StepWatch;
use crate::runners::{ObservedTests, TestReader};

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
