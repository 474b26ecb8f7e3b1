//! The Test Anything Protocol, and the output of `node --test`.

use std::sync::Arc;

use review_document::command::Reporter;

use super::listed::{Ended, Kind, Listed, Marks, SeenTests};
use super::number::add;
use super::title::{Suites, indent, marked, without_notes};
use super::{Naming, Runner, TestCount};

/// A stream of TAP. If it ends with counts of its own, as with
/// `node --test` and `tape`, these are used instead of its lines.
pub(super) struct Tap {
    /// The number of tests by the plans.
    planned: Option<u64>,
    tests: u64,
    /// The number of outermost points with a name.
    named: u64,
    summary: Option<u64>,
    in_summary: bool,
    /// The number of passed tests by the closing lines.
    passed: u64,
    /// The number of suites, which are shown as tests but not counted.
    groups: u64,
    repeated: Repeated,
    seen: SeenTests,
    suites: Suites,
}

impl Runner for Tap {
    fn line(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("# ").or(line.strip_prefix("ℹ ")) {
            self.summary_line(rest);
        } else if let Some(rest) = line.strip_prefix("1..") {
            let end = rest.split(' ').next().unwrap_or_default();
            if let Ok(end) = end.parse() {
                add(&mut self.planned, end);
            }
        }
        let (indent, text) = (indent(line), line.trim_start());
        if self.repeated.takes(indent, text) {
            return;
        }
        if let Some(point) = Point::read(text) {
            self.point(indent, &point);
        } else if let Some(comment) = text.strip_prefix("# ") {
            self.comment(indent, comment);
        } else if let Some(title) = text.strip_prefix("▶ ") {
            self.group(indent, title);
        } else if let Some((ended, title)) = marked(text) {
            let (title, ended) = match title.split_once(" # ") {
                Some((title, word)) if Directive::read(word).is_some() => (title, Ended::Skipped),
                _ => (title, ended),
            };
            self.suites.ended(indent, title, ended, &mut self.seen);
        }
    }

    fn spoken(&self) -> TestCount {
        match self.summary {
            Some(tests) => TestCount::Ran(tests),
            None if self.planned.is_some() => TestCount::Ran(self.tests),
            None => TestCount::Silent,
        }
    }

    fn reporter(&self) -> Reporter {
        Reporter::Tap
    }

    fn naming(&self) -> Naming<'_> {
        let groups = self.groups;
        match (self.summary, self.planned) {
            (Some(_), _) if self.seen.passed == self.passed.saturating_add(groups) => {
                Naming::All(&self.seen)
            }
            (None, Some(planned)) if self.named == planned => Naming::All(&self.seen),
            (None, None) => Naming::Silent,
            _ => Naming::Some(&self.seen),
        }
    }
}

impl Tap {
    pub(super) fn new(listed: &Arc<Listed>) -> Self {
        Self {
            planned: None,
            tests: 0,
            named: 0,
            summary: None,
            in_summary: false,
            passed: 0,
            groups: 0,
            repeated: Repeated::default(),
            seen: SeenTests::new(listed, Kind::Title),
            suites: Suites::default(),
        }
    }

    fn point(&mut self, indent: usize, point: &Point<'_>) {
        if indent == 0 {
            let ran = point.directive != Some(Directive::Skip);
            self.tests = self.tests.saturating_add(u64::from(ran));
            self.named = self.named.saturating_add(u64::from(!point.name.is_empty()));
        }
        self.suites.close(indent);
        if !point.name.is_empty() {
            let ended = point.directive.map_or(point.ended, |_| Ended::Skipped);
            let name = point.name.replace("\\#", "#").replace("\\\\", "\\");
            self.suites.ended(indent, &name, ended, &mut self.seen);
        }
    }

    /// Handles the name of a subtest that starts, or of the points that follow.
    fn comment(&mut self, indent: usize, comment: &str) {
        match comment.strip_prefix("Subtest: ") {
            Some(name) => self.suites.open(indent, name),
            None => self.seen.mark([comment], Marks::BEGUN),
        }
    }

    /// Handles the line before the tests of a suite, or, with its time, the line
    /// after them.
    fn group(&mut self, indent: usize, title: &str) {
        let is_end = without_notes(title) != title && self.suites.close(indent);
        match is_end {
            true => self
                .suites
                .ended(indent, title, Ended::Passed, &mut self.seen),
            false => self.suites.open(indent, title),
        }
    }

    fn summary_line(&mut self, rest: &str) {
        let Some((noun, count)) = rest.split_once(' ') else {
            return;
        };
        let Ok(count) = count.trim_start().parse::<u64>() else {
            return;
        };
        match noun {
            "tests" => {
                self.in_summary = true;
                add(&mut self.summary, 0);
            }
            "suites" if self.in_summary => self.groups = self.groups.saturating_add(count),
            "pass" | "fail" if self.in_summary => {
                add(&mut self.summary, count);
                if noun == "pass" {
                    self.passed = self.passed.saturating_add(count);
                }
            }
            _ => {}
        }
    }
}

/// The heading above the tests of `node --test` that failed, which it names once more.
const FAILING: &str = "✖ failing tests:";

/// Where the list of failed tests is, each below a line with its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Repeated {
    #[default]
    Outside,
    Inside,
    /// After the place of a test.
    Located,
}

impl Repeated {
    /// Returns whether a line is of the list.
    fn takes(&mut self, indent: usize, text: &str) -> bool {
        if indent == 0 && text == FAILING {
            *self = Self::Inside;
            return true;
        }
        if *self == Self::Outside {
            return false;
        }
        let is_test = marked(text).is_some();
        *self = match (*self, indent, is_test) {
            _ if text.starts_with("test at ") => Self::Located,
            (Self::Located, _, true) => Self::Inside,
            // The tests of another run.
            (_, 0, true) => Self::Outside,
            _ if text.starts_with("▶ ") => Self::Outside,
            (state, ..) => state,
        };
        *self != Self::Outside
    }
}

/// A line such as `ok 1 - name`, `not ok 2 - name` or `ok 3 - name # SKIP why`.
struct Point<'l> {
    ended: Ended,
    /// Empty when it has none.
    name: &'l str,
    directive: Option<Directive>,
}

/// The reason that a point does not count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Directive {
    Skip,
    Todo,
}

impl<'l> Point<'l> {
    fn read(text: &'l str) -> Option<Self> {
        let (rest, ended) = match text.strip_prefix("ok ") {
            Some(rest) => (rest, Ended::Passed),
            None => (text.strip_prefix("not ok ")?, Ended::Failed),
        };
        let (number, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        number.parse::<u64>().ok()?;
        let name = rest.strip_prefix("- ").unwrap_or(rest);
        let (before, note) = match name.strip_prefix("# ") {
            Some(note) => ("", note),
            None => name.rsplit_once(" # ").unwrap_or((name, "")),
        };
        let directive = Directive::read(note);
        let is_noted = directive.is_some() || note.starts_with("time=");
        Some(Self {
            ended,
            name: if is_noted { before } else { name }.trim_end(),
            directive,
        })
    }
}

impl Directive {
    fn read(note: &str) -> Option<Self> {
        let word = note.get(..4)?;
        match word.to_ascii_lowercase().as_str() {
            "skip" => Some(Self::Skip),
            "todo" => Some(Self::Todo),
            _ => None,
        }
    }
}
