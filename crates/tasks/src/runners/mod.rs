//! Finds the tests in the output of a command: how many ran, and the results of
//! the listed ones.
//!
//! [`TestReader`] reads both outputs as they arrive, keeps one line of each in
//! memory, and adds up the summaries of the runners that it knows. Only data on the
//! listed tests is kept. A summary that a program prints
//! for other reasons is counted as well.

mod bun;
mod cargo;
mod go;
mod junit;
mod lines;
mod listed;
mod names;
mod node;
mod number;
mod python;
mod tap;
mod title;

use std::sync::Arc;

use review_document::command::Reporter;
use review_process::Stream;

use lines::Lines;
use listed::SeenTests;

pub(crate) use listed::{Listed, Marks};
pub use names::{TestChanges, TestNames};

/// The number of tests that a runner reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TestCount {
    /// Nothing: the runner did not run.
    Silent,
    /// Tests ran, but the number is unknown.
    Uncounted,
    /// This many tests ran.
    Ran(u64),
}

/// How a runner named the tests that it ran.
enum Naming<'s> {
    /// Nothing: it did not run, or prints no names that are parsed.
    Silent,
    /// It named some of the tests that ran, or none.
    Some(&'s SeenTests),
    /// It named every test that passed.
    All(&'s SeenTests),
}

impl<'s> Naming<'s> {
    /// Returns the naming of a runner that counted this many passed tests, if it
    /// ran.
    fn of(passed: Option<u64>, seen: &'s SeenTests) -> Self {
        match passed {
            None => Self::Silent,
            Some(passed) if passed == seen.passed => Self::All(seen),
            // The output of a program looks like tests that passed.
            Some(passed) if passed < seen.passed => Self::Silent,
            Some(_) => Self::Some(seen),
        }
    }
}

/// Parses the output of one runner, line by line.
trait Runner: Send {
    /// Parses a line without its end and without escape sequences.
    fn line(&mut self, line: &str);

    /// Returns the number of tests, at the end of the output.
    fn spoken(&self) -> TestCount;

    /// Returns the number of tests that it named as ended so far, in a runner that
    /// counts only at the end.
    fn named(&self) -> u64 {
        0
    }

    /// Returns the reporter of the output.
    fn reporter(&self) -> Reporter;

    /// Returns the naming, at the end of the output.
    fn naming(&self) -> Naming<'_> {
        Naming::Silent
    }
}

/// The tests of a command, by its output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedTests {
    /// The number of tests that ran, over all runners; `None` if none reported or none
    /// knew the number.
    pub tests_run: Option<u64>,
    /// The reporters, each once, and whether it named all passed tests.
    pub(crate) reporters: Vec<(Reporter, bool)>,
    /// The marks of each listed test.
    pub(crate) marks: Vec<Marks>,
    /// The names of the tests, if they were collected.
    pub names: TestNames,
}

impl ObservedTests {
    /// Adds the tests of a later step of the command.
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
        self.names.add(&later.names);
        self.count_names();
    }

    /// Notes how many tests the names are of, and whether all are named.
    fn count_names(&mut self) {
        let is_whole = self.reporters.iter().all(|(_, all)| *all);
        let names = std::mem::take(&mut self.names);
        self.names = names.counted(self.tests_run, is_whole);
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

/// Finds the tests in the output of one command while it prints.
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
    /// Returns a reader that collects the names of all tests.
    #[must_use]
    pub fn of_names() -> Self {
        Self::new(&Arc::new(Listed::default().collecting()))
    }

    /// Returns a reader that looks for these tests.
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

    /// Adds the next bytes of one of the two outputs.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        self.push_telling(stream, bytes, &mut |_| ());
    }

    /// Adds the next bytes of one of the two outputs and passes the lines that they
    /// end to `each`.
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

    /// Returns the number of tests that ended so far: those that runners counted, or
    /// named before they count.
    pub(crate) fn tests_so_far(&self) -> Option<u64> {
        let runners = self.runners.iter();
        let tests = runners.map(|runner| match runner.spoken() {
            TestCount::Ran(tests) => tests.max(runner.named()),
            TestCount::Silent | TestCount::Uncounted => runner.named(),
        });
        Some(tests.fold(0, u64::saturating_add)).filter(|tests| *tests > 0)
    }

    /// Returns the tests of the command.
    #[must_use]
    pub fn finish(self) -> ObservedTests {
        self.finish_telling(&mut |_| ())
    }

    /// Ends the last lines and passes them to `each`.
    pub(crate) fn finish_telling(mut self, each: &mut dyn FnMut(&str)) -> ObservedTests {
        self.push_telling(Stream::Stdout, b"\n", each);
        self.push_telling(Stream::Stderr, b"\n", each);
        let mut observed = ObservedTests::default();
        let mut sum = None;
        let mut uncounted = false;
        for runner in &self.runners {
            match runner.spoken() {
                TestCount::Silent => {}
                TestCount::Uncounted => uncounted = true,
                TestCount::Ran(tests) => sum = Some(tests.saturating_add(sum.unwrap_or(0))),
            }
            let names_all = match runner.naming() {
                Naming::Silent if runner.spoken() == TestCount::Silent => continue,
                Naming::Silent => false,
                Naming::Some(seen) => {
                    observed.take(seen.marks());
                    observed.names.add(seen.names());
                    false
                }
                Naming::All(seen) => {
                    observed.take(seen.marks());
                    observed.names.add(seen.names());
                    true
                }
            };
            observed.reporters.push((runner.reporter(), names_all));
        }
        observed.tests_run = sum.filter(|tests| *tests > 0 || !uncounted);
        observed.count_names();
        observed
    }
}

#[cfg(test)]
mod tests;
