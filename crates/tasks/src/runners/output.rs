//! The tests in the output of one runner, read line by line by its row of the table.

use std::sync::Arc;

use regex::{Captures, Regex};

use super::junit::JUnitTest;
use super::listed::{Ended, Listed, Marks, SeenTests};
use super::suites::Suites;
use super::table::{Escape, LineKind, TestRunner};

/// The number of tests that a runner reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TestCount {
    /// Nothing: the runner did not run.
    Silent,
    /// Tests ran, but the number is unknown.
    Uncounted,
    /// This many tests ran.
    Ran(u64),
}

/// How a runner named the tests that it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// It contradicts its own numbers: the output of a test looks like tests that passed.
    Doubtful,
    /// It named some of the tests that ran, or none.
    Some,
    /// It named every test that passed.
    All,
}

/// The numbers of the summaries.
#[derive(Clone, Copy, Default)]
struct Numbers {
    all: Option<u64>,
    ran: Option<u64>,
    passed: Option<u64>,
    failed: u64,
    skipped: u64,
    suites: u64,
}

/// The tests that were counted by their lines.
#[derive(Default)]
struct CountedLines {
    /// The number of outermost tests that ran.
    ran: u64,
    /// Whether one of them has no name.
    has_nameless: bool,
    /// Whether tests were started since the last package.
    in_package: bool,
}

/// The output of one runner.
pub(super) struct RunnerOutput {
    pub(super) row: &'static TestRunner,
    files: Option<&'static Regex>,
    pub(super) seen: SeenTests,
    suites: Suites,
    count: TestCount,
    numbers: Option<Numbers>,
    lines: CountedLines,
    /// The number of tests that were named as passed, by the pattern of their lines.
    passed: Vec<(usize, u64)>,
    /// The number of passed tests that are files.
    passed_files: u64,
    /// The number of subtests since the last outermost test.
    subtests: u64,
    /// Whether the next tests are named once more.
    is_repeating: bool,
    started: Option<TestLine>,
}

/// The name of a test.
#[derive(Default)]
struct TestLine {
    class: String,
    name: String,
    case: String,
    note: String,
}

impl TestLine {
    fn new(found: &Captures<'_>, escape: Option<Escape>) -> Option<Self> {
        let text = |group| {
            let text = found.name(group).map_or("", |part| part.as_str());
            unescaped(text, escape)
        };
        found.name("name")?;
        Some(Self {
            class: text("class"),
            name: text("name"),
            case: text("case"),
            note: text("note"),
        })
    }
}

fn unescaped(text: &str, escape: Option<Escape>) -> String {
    match escape {
        Some(Escape::Tap) => text.replace("\\#", "#").replace("\\\\", "\\"),
        Some(Escape::Json) => {
            serde_json::from_str(&format!("\"{text}\"")).unwrap_or_else(|_| text.to_owned())
        }
        None => text.to_owned(),
    }
}

impl RunnerOutput {
    pub(super) fn new(
        row: &'static TestRunner,
        files: Option<&'static Regex>,
        listed: &Arc<Listed>,
    ) -> Self {
        Self {
            row,
            files,
            seen: SeenTests::new(listed),
            suites: Suites::default(),
            count: TestCount::Silent,
            numbers: None,
            lines: CountedLines::default(),
            passed: Vec::new(),
            passed_files: 0,
            subtests: 0,
            is_repeating: false,
            started: None,
        }
    }

    /// Handles a line that a pattern matches.
    pub(super) fn line(
        &mut self,
        kind: LineKind,
        pattern: usize,
        line: &str,
        found: &Captures<'_>,
    ) {
        match kind {
            LineKind::Inside | LineKind::Other => {}
            LineKind::Repeats => self.is_repeating = true,
            LineKind::File => self.suites.clear(),
            LineKind::Test => self.test(pattern, indent(line), found),
            LineKind::Started => self.start(found),
            LineKind::Zero => {
                self.lines.in_package = true;
                self.speaks(TestCount::Ran(0));
            }
            LineKind::Summary => {
                let before = self.numbers.unwrap_or_default();
                if let Some(numbers) = before.plus(found, self.row) {
                    self.numbers = Some(numbers);
                    self.suites.clear();
                }
            }
            LineKind::More => {
                let more = |numbers: Numbers| numbers.plus(found, self.row).unwrap_or(numbers);
                self.numbers = self.numbers.map(more);
            }
            LineKind::Some => self.speaks(TestCount::Uncounted),
            LineKind::Package => {
                let count = match std::mem::take(&mut self.lines.in_package) {
                    true => TestCount::Ran(0),
                    false => TestCount::Uncounted,
                };
                self.speaks(count);
            }
            LineKind::Plan => self.speaks(TestCount::Ran(0)),
            LineKind::Suite => {
                if let Some(test) = TestLine::new(found, self.row.escape) {
                    self.suites.open(indent(line), &test.name);
                }
            }
        }
    }

    fn speaks(&mut self, count: TestCount) {
        if self.count != TestCount::Uncounted {
            self.count = count;
        }
    }

    fn start(&mut self, found: &Captures<'_>) {
        self.lines.in_package = true;
        let started = TestLine::new(found, self.row.escape);
        if let Some(test) = &started {
            self.mark(test, Marks::BEGUN);
        }
        self.started = started;
    }

    fn test(&mut self, pattern: usize, indent: usize, found: &Captures<'_>) {
        let ended = match (found.name("skipped"), found.name("failed")) {
            (Some(_), _) => Ended::Skipped,
            (None, Some(_)) => Ended::Failed,
            (None, None) => Ended::Passed,
        };
        self.is_repeating &= ended != Ended::Passed;
        if self.is_repeating {
            return;
        }
        self.suites.close(indent);
        let is_outermost = indent == 0 && found.name("inner").is_none();
        let test = TestLine::new(found, self.row.escape).or_else(|| self.started.take());
        let mut test = test.filter(|test| !test.name.is_empty());
        if is_outermost {
            let subtests = std::mem::take(&mut self.subtests);
            let is_file = |test: &TestLine| {
                subtests == 0 && self.files.is_some_and(|files| files.is_match(&test.name))
            };
            if test.as_ref().is_some_and(is_file) {
                if ended == Ended::Passed {
                    self.passed_files += 1;
                    return;
                }
                // Which tests are in a file that cannot be loaded is not known.
                test = None;
            }
            self.lines.ran += u64::from(ended != Ended::Skipped);
            self.lines.has_nameless |= test.is_none() && ended != Ended::Skipped;
        } else {
            self.subtests += 1;
        }
        let Some(test) = test else {
            return;
        };
        if ended == Ended::Passed {
            match self.passed.iter_mut().find(|(of, _)| *of == pattern) {
                Some((_, passed)) => *passed += 1,
                None => self.passed.push((pattern, 1)),
            }
        }
        self.ended(&test, ended);
    }

    /// Records the end of a test of a JUnit file.
    pub(super) fn reported(&mut self, test: &JUnitTest) {
        let is_file = |files: &Regex| files.is_match(&test.name) && test.name == test.class;
        if test.is_unloaded || self.files.is_some_and(is_file) {
            self.lines.has_nameless = true;
            return;
        }
        let (name, case) = test
            .name
            .split_at(test.name.find('[').unwrap_or(test.name.len()));
        let line = TestLine {
            class: test.class.clone(),
            name: name.to_owned(),
            case: case.to_owned(),
            ..TestLine::default()
        };
        self.ended(&line, test.ended);
    }

    fn ended(&mut self, test: &TestLine, ended: Ended) {
        let suites = self.suites.titles().collect::<Vec<_>>().join(" > ");
        let (class, joint) = match (&*test.class, &*suites) {
            ("", "") => ("", ""),
            ("", suites) => (suites, " > "),
            (class, _) => (class, self.row.joint.as_deref().unwrap_or(".")),
        };
        let whole = || format!("{class}{joint}{}{}", test.name, test.case);
        self.seen.ended(whole, ended, self.row.repeats);
        self.mark(test, ended.into());
    }

    /// Marks the listed tests with this name, with or without its case and its note.
    fn mark(&mut self, test: &TestLine, mark: Marks) {
        let Self {
            seen, suites, row, ..
        } = self;
        if seen.is_idle() {
            return;
        }
        let classes = test.class.split(['/', '.', ':']);
        let before: Vec<_> = classes.chain(suites.titles()).collect();
        let mut names = vec![test.name.replace(".py::", "::")];
        for more in [&test.case, &test.note] {
            if !more.is_empty() {
                names.push(format!("{}{more}", names[names.len() - 1]));
            }
        }
        for name in &names {
            let mut parts = vec![name.as_str()];
            for separator in &row.parts {
                parts = parts
                    .iter()
                    .flat_map(|part| part.split(separator.as_str()))
                    .collect();
            }
            seen.mark(before.iter().copied().chain(parts), mark);
        }
    }

    /// Returns whether a file that could not be loaded leaves its tests unknown.
    pub(super) const fn has_nameless(&self) -> bool {
        self.lines.has_nameless
    }

    /// Returns the number of tests, at the end of the output.
    pub(super) fn count(&self) -> TestCount {
        match (self.numbers, self.count) {
            (Some(numbers), _) => TestCount::Ran(numbers.ran().saturating_sub(self.passed_files)),
            (None, TestCount::Ran(_)) => TestCount::Ran(self.lines.ran),
            (None, count) => count,
        }
    }

    /// Returns the naming, at the end of the output.
    pub(super) fn naming(&self) -> Naming {
        let Some(numbers) = self.numbers else {
            let is_whole = matches!(self.count, TestCount::Ran(_)) && !self.lines.has_nameless;
            return match is_whole {
                true => Naming::All,
                false => Naming::Some,
            };
        };
        // Each way of naming may name all of them, or all ways together.
        let passed = numbers.passed().saturating_add(numbers.suites);
        let passed = passed.saturating_sub(self.passed_files);
        let named = || self.passed.iter().map(|(_, passed)| *passed);
        if named().any(|named| named > passed) {
            Naming::Doubtful
        } else if named().any(|named| named == passed) || named().sum::<u64>() == passed {
            Naming::All
        } else {
            Naming::Some
        }
    }
}

impl Numbers {
    /// Adds the numbers of a line; `None` if it is not a summary.
    fn plus(mut self, found: &Captures<'_>, row: &TestRunner) -> Option<Self> {
        let add = |to: &mut u64, number: u64| *to = to.saturating_add(number);
        let add_to = |to: &mut Option<u64>, number: u64| add(to.get_or_insert(0), number);
        let number = |group| found.name(group).map(|text| text.as_str().parse::<u64>());
        for group in ["all", "ran", "passed", "failed", "skipped", "suites"] {
            let Some(number) = number(group) else {
                continue;
            };
            let number = number.ok()?;
            match group {
                "all" => add_to(&mut self.all, number),
                "ran" => add_to(&mut self.ran, number),
                "passed" => add_to(&mut self.passed, number),
                "failed" => add(&mut self.failed, number),
                "skipped" => add(&mut self.skipped, number),
                _ => add(&mut self.suites, number),
            }
        }
        let counts = found.name("counts").map_or("", |counts| counts.as_str());
        let parts = counts.split([',', ';', '|', '/', '(', ')']).map(str::trim);
        for part in parts.filter(|part| !part.is_empty()) {
            let (number, noun) = match part.split_once('=') {
                Some((noun, number)) => (number, noun),
                None => part.split_once(' ')?,
            };
            let number = number.parse().ok()?;
            let is = |nouns: &[String]| nouns.iter().any(|known| known == noun.trim_start());
            if is(&row.nouns.passed) {
                add_to(&mut self.passed, number);
            } else if is(&row.nouns.failed) {
                add(&mut self.failed, number);
            } else if is(&row.nouns.skipped) {
                add(&mut self.skipped, number);
            } else if !is(&row.nouns.other) {
                return None;
            }
        }
        Some(self)
    }

    fn ran(&self) -> u64 {
        match (self.ran, self.all) {
            (Some(ran), _) => ran,
            (None, Some(all)) => all.saturating_sub(self.skipped),
            (None, None) => self.passed.unwrap_or_default().saturating_add(self.failed),
        }
    }

    fn passed(&self) -> u64 {
        let others = || self.ran().saturating_sub(self.failed);
        self.passed.unwrap_or_else(others)
    }
}

/// Returns the number of spaces before a line.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}
