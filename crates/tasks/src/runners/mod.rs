//! Which tests a command ran, read from what it printed: how many, and how
//! those ended that are looked for by name.
//!
//! [`TestReader`] takes both outputs as they arrive, keeps one line of each in
//! memory, and adds up what the runners it knows say at their ends. Of the names
//! only what concerns the listed ones is kept. A summary that a program prints
//! for other reasons is taken for what it looks like.

mod bun;
mod cargo;
mod go;
mod junit;
mod lines;
mod listed;
mod node;
mod number;
mod python;
mod tap;
mod title;

use std::sync::Arc;

use review_document::command::Reporter;
use review_process::Stream;

use lines::Lines;
use listed::Seen;

pub(crate) use listed::{Listed, Marks};

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

/// What a runner said of the names of the tests that it ran.
enum Naming<'s> {
    /// Nothing: it was not there, or names none that are read.
    Silent,
    /// It named some of the tests that ran, or none.
    Some(&'s Seen),
    /// It named every test that passed.
    All(&'s Seen),
}

impl<'s> Naming<'s> {
    /// The names of a runner that counted this many passed tests, if it was
    /// there.
    fn of(passed: Option<u64>, seen: &'s Seen) -> Self {
        match passed {
            None => Self::Silent,
            Some(passed) if passed == seen.passed => Self::All(seen),
            // What a program prints looks like tests that passed.
            Some(passed) if passed < seen.passed => Self::Silent,
            Some(_) => Self::Some(seen),
        }
    }
}

/// Reads the output of one runner, line by line.
trait Runner: Send {
    /// Takes a line without its end and without escape sequences.
    fn line(&mut self, line: &str);

    /// What was said, at the end of the output.
    fn spoken(&self) -> Spoken;

    /// What printed it.
    fn reporter(&self) -> Reporter;

    /// What was named, at the end of the output.
    fn naming(&self) -> Naming<'_> {
        Naming::Silent
    }
}

/// What was heard of the tests of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// The tests that ran, over all runners; `None` when none spoke or none
    /// could say how many.
    pub tests_run: Option<u64>,
    /// What reported tests, each once, and whether it named all that passed.
    pub(crate) reporters: Vec<(Reporter, bool)>,
    /// What was seen of each listed test.
    pub(crate) marks: Vec<Marks>,
}

impl Heard {
    /// Adds what was heard of a later step of the command.
    pub(crate) fn add(&mut self, later: &Self) {
        if let Some(tests) = later.tests_run {
            self.tests_run = Some(self.tests_run.unwrap_or(0).saturating_add(tests));
        }
        for (reporter, names_all) in &later.reporters {
            match self
                .reporters
                .iter_mut()
                .find(|(known, _)| known == reporter)
            {
                Some((_, all)) => *all &= names_all,
                None => self.reporters.push((*reporter, *names_all)),
            }
        }
        self.take(&later.marks);
    }

    fn take(&mut self, marks: &[Marks]) {
        let missing = marks.len().saturating_sub(self.marks.len());
        self.marks
            .extend(std::iter::repeat_n(Marks::default(), missing));
        for (mark, more) in self.marks.iter_mut().zip(marks) {
            mark.add(*more);
        }
    }
}

/// Reads of the tests of one command while it prints.
///
/// ```
/// use review_process::Stream;
/// use review_tasks::runners::TestReader;
///
/// let mut reader = TestReader::default();
/// reader.push(Stream::Stdout, b"test result: ok. 2 passed; 0 fai");
/// reader.push(Stream::Stdout, b"led; 1 ignored; 0 measured; 7 filtered out\n");
/// assert_eq!(reader.finish().tests_run, Some(2));
/// ```
pub struct TestReader {
    stdout: Lines,
    stderr: Lines,
    runners: [Box<dyn Runner>; 9],
}

impl Default for TestReader {
    fn default() -> Self {
        Self::new(&Arc::default())
    }
}

impl TestReader {
    /// A reader that looks for these tests.
    pub(crate) fn new(listed: &Arc<Listed>) -> Self {
        Self {
            stdout: Lines::default(),
            stderr: Lines::default(),
            runners: [
                Box::new(cargo::Cargo::new(listed)),
                Box::new(go::Go::new(listed)),
                Box::new(python::Pytest::new(listed)),
                Box::<python::Unittest>::default(),
                Box::new(node::JestOrVitest::new(listed)),
                Box::new(node::Mocha::new(listed)),
                Box::<bun::Bun>::default(),
                Box::new(tap::Tap::new(listed)),
                Box::new(junit::JUnit::new(listed)),
            ],
        }
    }

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

    /// What was heard of the tests.
    #[must_use]
    pub fn finish(self) -> Heard {
        self.finish_telling(&mut |_| ())
    }

    /// Ends the last lines and tells `each` of them.
    pub(crate) fn finish_telling(mut self, each: &mut dyn FnMut(&str)) -> Heard {
        self.push_telling(Stream::Stdout, b"\n", each);
        self.push_telling(Stream::Stderr, b"\n", each);
        let mut heard = Heard::default();
        let mut sum = None;
        let mut uncounted = false;
        for runner in &self.runners {
            match runner.spoken() {
                Spoken::Silent => {}
                Spoken::Uncounted => uncounted = true,
                Spoken::Ran(tests) => sum = Some(tests.saturating_add(sum.unwrap_or(0))),
            }
            let names_all = match runner.naming() {
                Naming::Silent if runner.spoken() == Spoken::Silent => continue,
                Naming::Silent => false,
                Naming::Some(seen) => {
                    heard.take(seen.marks());
                    false
                }
                Naming::All(seen) => {
                    heard.take(seen.marks());
                    true
                }
            };
            heard.reporters.push((runner.reporter(), names_all));
        }
        heard.tests_run = sum.filter(|tests| *tests > 0 || !uncounted);
        heard
    }
}

#[cfg(test)]
mod tests;
