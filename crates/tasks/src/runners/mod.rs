//! How many tests a command ran, read from what it printed.
//!
//! [`TestCounter`] takes both outputs as they arrive, keeps one line of each in
//! memory, and adds up what the runners it knows say at their ends. A summary
//! that a program prints for other reasons is taken for what it looks like.

mod bun;
mod cargo;
mod go;
mod lines;
mod node;
mod number;
mod python;
mod tap;

use review_process::Stream;

use lines::Lines;

/// What a runner said of the tests that it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spoken {
    /// Nothing: it was not there.
    Silent,
    /// Tests ran, and nobody said how many.
    Uncounted,
    /// This many tests ran.
    Ran(u64),
}

/// Reads the output of one runner, line by line.
trait Runner: Send {
    /// Takes a line without its end and without escape sequences.
    fn line(&mut self, line: &str);

    /// What was said, at the end of the output.
    fn spoken(&self) -> Spoken;
}

/// Counts the tests of one command while it prints.
///
/// ```
/// use review_process::Stream;
/// use review_tasks::runners::TestCounter;
///
/// let mut counter = TestCounter::default();
/// counter.push(Stream::Stdout, b"test result: ok. 2 passed; 0 fai");
/// counter.push(Stream::Stdout, b"led; 1 ignored; 0 measured; 7 filtered out\n");
/// assert_eq!(counter.finish(), Some(2));
/// ```
pub struct TestCounter {
    stdout: Lines,
    stderr: Lines,
    runners: [Box<dyn Runner>; 8],
}

impl Default for TestCounter {
    fn default() -> Self {
        Self {
            stdout: Lines::default(),
            stderr: Lines::default(),
            runners: runners(),
        }
    }
}

impl TestCounter {
    /// Takes the next bytes of one of the two outputs.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        self.push_telling(stream, bytes, &mut |_| ());
    }

    /// Takes the next bytes of one of the two outputs and tells `each` of the
    /// lines that they end.
    pub(crate) fn push_telling(
        &mut self,
        stream: Stream,
        bytes: &[u8],
        each: &mut dyn FnMut(&str),
    ) {
        let lines = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let runners = &mut self.runners;
        lines.push(bytes, &mut |line| {
            for runner in runners.iter_mut() {
                runner.line(line);
            }
            each(line);
        });
    }

    /// The tests that ran, over all runners; `None` when none spoke or none
    /// could say how many.
    #[must_use]
    pub fn finish(self) -> Option<u64> {
        self.finish_telling(&mut |_| ())
    }

    /// Ends the last lines, tells `each` of them, and counts.
    pub(crate) fn finish_telling(mut self, each: &mut dyn FnMut(&str)) -> Option<u64> {
        self.push_telling(Stream::Stdout, b"\n", each);
        self.push_telling(Stream::Stderr, b"\n", each);
        let mut sum = None;
        let mut uncounted = false;
        for runner in &self.runners {
            match runner.spoken() {
                Spoken::Silent => {}
                Spoken::Uncounted => uncounted = true,
                Spoken::Ran(tests) => sum = Some(tests.saturating_add(sum.unwrap_or(0))),
            }
        }
        sum.filter(|tests| *tests > 0 || !uncounted)
    }
}

/// One reader of each kind.
fn runners() -> [Box<dyn Runner>; 8] {
    [
        Box::<cargo::Cargo>::default(),
        Box::<go::Go>::default(),
        Box::<python::Pytest>::default(),
        Box::<python::Unittest>::default(),
        Box::<node::JestOrVitest>::default(),
        Box::<node::Mocha>::default(),
        Box::<bun::Bun>::default(),
        Box::<tap::Tap>::default(),
    ]
}

#[cfg(test)]
mod tests;
