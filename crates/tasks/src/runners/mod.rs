//! Finds the tests in the output of a command: how many ran, and the results of
//! the listed ones.
//!
//! [`TestReader`] reads both outputs as they arrive, keeps one line of each in
//! memory, and adds up the summaries of the runners that it knows. Only data on the
//! listed tests is kept. A summary that a program prints
//! for other reasons is counted as well.

mod junit;
mod lines;
mod listed;
mod names;
mod output;
mod suites;
mod table;

use std::sync::Arc;

use review_process::Stream;

use junit::junit_tests;
use lines::Lines;
use listed::SeenTests;
use output::{Naming, RunnerOutput, TestCount};
use table::{LineKind, table};

pub(crate) use listed::{Listed, Marks};
pub(crate) use names::TestNames;
pub(crate) use table::{TestRunner, names_variables, test_runners};

/// The tests of a command, by its output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ObservedTests {
    /// The number of tests that ran, over all runners; `None` if none reported or none
    /// knew the number.
    pub(crate) tests_run: Option<u64>,
    /// The runners that reported tests, each once, and whether it named all that passed.
    pub(crate) runners: Vec<(&'static str, bool)>,
    /// The marks of each listed test.
    pub(crate) marks: Vec<Marks>,
    /// The names of the tests, if they were collected.
    pub(crate) names: TestNames,
}

impl ObservedTests {
    /// Adds the tests of a later step of the command.
    pub(crate) fn add(&mut self, later: &Self) {
        if let Some(tests) = later.tests_run {
            self.tests_run = Some(self.tests_run.unwrap_or(0).saturating_add(tests));
        }
        for (runner, names_all) in &later.runners {
            self.spoke(runner, *names_all);
        }
        self.take(&later.marks);
        self.names.add(&later.names);
        self.count_names();
    }

    fn spoke(&mut self, runner: &'static str, names_all: bool) {
        let mut known = self.runners.iter_mut();
        match known.find(|(known, _)| *known == runner) {
            Some((_, all)) => *all &= names_all,
            None => self.runners.push((runner, names_all)),
        }
    }

    /// Adds the tests of the JUnit file of a runner, unless its output named all of them.
    pub(crate) fn add_report(
        &mut self,
        runner: &'static TestRunner,
        report: &str,
        listed: &Arc<Listed>,
    ) {
        let at = self
            .runners
            .iter()
            .position(|(known, _)| *known == runner.name);
        let is_named = at.is_some_and(|at| self.runners[at].1);
        let Some(tests) = junit_tests(report).filter(|_| !is_named) else {
            return;
        };
        let mut rows = table().rows.iter().zip(&table().files);
        let row = rows.find(|(row, _)| row.name == runner.name);
        let files = row.and_then(|(_, files)| files.as_ref());
        let mut output = RunnerOutput::new(runner, files, listed);
        for test in &tests {
            output.reported(test);
        }
        let is_named = !output.has_nameless();
        match at {
            Some(at) => self.runners[at].1 = is_named,
            None => self.runners.push((&runner.name, is_named)),
        }
        self.named(&output.seen);
        self.tests_run.get_or_insert(output.seen.ended);
        self.count_names();
    }

    fn named(&mut self, seen: &SeenTests) {
        self.take(seen.marks());
        self.names.add(seen.names());
    }

    /// Notes how many tests the names are of, and whether all are named.
    fn count_names(&mut self) {
        let is_whole = self.runners.iter().all(|(_, all)| *all);
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
pub(crate) struct TestReader {
    stdout: Lines,
    stderr: Lines,
    tests: Tests,
}

/// What the runners say in both outputs.
struct Tests {
    runners: Vec<RunnerOutput>,
    /// The runner that alone speaks, up to its summary.
    inside: Option<usize>,
}

impl Tests {
    fn line(&mut self, line: &str) {
        let table = table();
        let mut handled = None;
        for at in &table.set.matches(line) {
            let pattern = &table.patterns[at];
            let (row, kind) = (pattern.row, pattern.kind);
            let is_out = match self.inside {
                Some(inside) => inside != row,
                None => kind == LineKind::Test && table.rows[row].runs_inside(),
            };
            let is_handled = match kind {
                LineKind::Suite => {
                    handled.is_some_and(|(of, kind)| of == row && kind != LineKind::Started)
                }
                _ => handled == Some((row, kind)),
            };
            if is_out || is_handled {
                continue;
            }
            let Some(found) = pattern.parts(line) else {
                continue;
            };
            handled = Some((row, kind));
            match kind {
                LineKind::Other => handled = Some((row, LineKind::Test)),
                LineKind::Inside => self.inside = Some(row),
                LineKind::Summary => self.inside = None,
                _ => {}
            }
            self.runners[row].line(kind, at, line, &found);
        }
    }
}

impl TestReader {
    /// Returns a reader that looks for these tests.
    pub(crate) fn new(listed: &Arc<Listed>) -> Self {
        let table = table();
        let rows = table.rows.iter().zip(&table.files);
        let runner =
            |(row, files): (_, &'static Option<_>)| RunnerOutput::new(row, files.as_ref(), listed);
        Self {
            stdout: Lines::default(),
            stderr: Lines::default(),
            tests: Tests {
                runners: rows.map(runner).collect(),
                inside: None,
            },
        }
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
        let tests = &mut self.tests;
        lines.push(bytes, &mut |line| {
            tests.line(line);
            each(line);
        });
    }

    /// Returns the number of tests that ended so far: those that runners counted, or
    /// named before they count.
    pub(crate) fn tests_so_far(&self) -> Option<u64> {
        let runners = || self.tests.runners.iter();
        let counted = runners().map(|runner| match runner.count() {
            TestCount::Ran(tests) => tests,
            TestCount::Silent | TestCount::Uncounted => 0,
        });
        let named = runners().map(|runner| runner.seen.ended).max();
        let tests = counted.fold(0, u64::saturating_add).max(named.unwrap_or(0));
        Some(tests).filter(|tests| *tests > 0)
    }

    /// Ends the last lines and passes them to `each`.
    pub(crate) fn finish_telling(mut self, each: &mut dyn FnMut(&str)) -> ObservedTests {
        self.push_telling(Stream::Stdout, b"\n", each);
        self.push_telling(Stream::Stderr, b"\n", each);
        let spoke = |runner: &&RunnerOutput| runner.count() != TestCount::Silent;
        let runners: Vec<_> = self.tests.runners.iter().filter(spoke).collect();
        let has = |name: &str| runners.iter().any(|runner| runner.row.name == name);
        let mut observed = ObservedTests::default();
        let mut sum = None;
        let mut uncounted = false;
        for runner in &runners {
            let count = runner.count();
            let counts_it = |other: &&RunnerOutput| {
                other.row.wraps.as_ref() == Some(&runner.row.name) && other.count() >= count
            };
            match count {
                _ if runners.iter().copied().any(|other| counts_it(&other)) => {}
                TestCount::Silent => {}
                TestCount::Uncounted => uncounted = true,
                TestCount::Ran(tests) => sum = Some(tests.saturating_add(sum.unwrap_or(0))),
            }
            // The names are those of the runner that it wraps.
            if runner.row.wraps.as_deref().is_some_and(has) {
                continue;
            }
            let naming = match runner.row.names_tests() {
                true => runner.naming(),
                false => Naming::Some,
            };
            if naming != Naming::Doubtful {
                observed.named(&runner.seen);
            }
            observed.spoke(&runner.row.name, naming == Naming::All);
        }
        observed.tests_run = sum.filter(|tests| *tests > 0 || !uncounted);
        observed.count_names();
        observed
    }
}

#[cfg(test)]
impl Default for TestReader {
    fn default() -> Self {
        Self::new(&Arc::default())
    }
}

#[cfg(test)]
impl TestReader {
    fn of_names() -> Self {
        Self::new(&Arc::new(Listed::default().collecting()))
    }

    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        self.push_telling(stream, bytes, &mut |_| ());
    }

    pub(crate) fn finish(self) -> ObservedTests {
        self.finish_telling(&mut |_| ())
    }
}

#[cfg(test)]
mod tests;
