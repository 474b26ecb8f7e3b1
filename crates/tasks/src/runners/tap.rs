//! The Test Anything Protocol, and what `node --test` prints.

use std::sync::Arc;

use review_document::command::Reporter;

use super::listed::{Ended, Kind, Listed, Marks, Seen};
use super::number::add;
use super::title::{Suites, indent, marked, without_notes};
use super::{Naming, Runner, Spoken};

/// A stream of TAP. Where it ends with counts of its own, as those of
/// `node --test` and `tape` do, these are taken instead of its lines.
pub(super) struct Tap {
    /// How many tests the plans promise.
    planned: Option<u64>,
    tests: u64,
    /// How many points at the outermost level have a name.
    named: u64,
    summary: Option<u64>,
    in_summary: bool,
    /// How many tests passed by the closing lines.
    passed: u64,
    /// How many suites, which are shown as tests and not counted, there are.
    groups: u64,
    seen: Seen,
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

    fn spoken(&self) -> Spoken {
        match self.summary {
            Some(tests) => Spoken::Ran(tests),
            None if self.planned.is_some() => Spoken::Ran(self.tests),
            None => Spoken::Silent,
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
            seen: Seen::new(listed, Kind::Title),
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

    /// Takes the name of a subtest that begins, or of the points that follow.
    fn comment(&mut self, indent: usize, comment: &str) {
        match comment.strip_prefix("Subtest: ") {
            Some(name) => self.suites.open(indent, name),
            None => self.seen.mark([comment], Marks::BEGUN),
        }
    }

    /// Takes the line before the tests of a suite, or, with its time, the line
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

/// A line such as `ok 1 - name`, `not ok 2 - name` or `ok 3 - name # SKIP why`.
struct Point<'l> {
    ended: Ended,
    /// Empty when it has none.
    name: &'l str,
    directive: Option<Directive>,
}

/// Why the end of a point does not count.
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
