//! Finds the listed tests in the output of a runner while it prints.
//!
//! Only data on the listed tests is kept, however many others are named, unless all
//! names are collected.
//! A name is looked up by its suffixes, so that the work for a line is bounded by
//! its length.

use std::collections::HashMap;
use std::sync::Arc;

use super::names::TestNames;

/// Maximum number of parts of a name that are compared: the last ones.
const MAX_PARTS: usize = 16;

/// Longer names are ignored.
const MAX_NAME: usize = 1024;

/// The separators of the parts of a name, of all runners.
const SEPARATORS: [char; 6] = [':', '/', '.', '>', '›', '\\'];

/// The names of the listed tests.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    count: usize,
    /// Each name, with its parts separated by spaces.
    names: HashMap<String, Vec<usize>>,
    /// The suffixes of each name that are shorter by whole parts.
    ends: HashMap<String, Vec<usize>>,
    longest: usize,
    /// Whether the names of all other tests are collected as well.
    collects: bool,
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Passed,
    Failed,
    Skipped,
}

/// The marks of a listed test in the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks(u8);

impl Marks {
    pub(crate) const PASSED: Self = Self(1);
    pub(crate) const FAILED: Self = Self(2);
    pub(crate) const SKIPPED: Self = Self(4);
    /// It started.
    pub(crate) const BEGUN: Self = Self(8);
    /// A test was named that may be it: its name is the end of the listed one, or the
    /// listed one is a suite of it.
    pub(crate) const NEAR: Self = Self(16);

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl From<Ended> for Marks {
    fn from(how: Ended) -> Self {
        match how {
            Ended::Passed => Self::PASSED,
            Ended::Failed => Self::FAILED,
            Ended::Skipped => Self::SKIPPED,
        }
    }
}

impl Listed {
    pub(crate) fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut listed = Self::default();
        for name in names {
            let at = listed.count;
            listed.count += 1;
            if name.len() > MAX_NAME {
                continue;
            }
            let bare = bare(name);
            for (end, separator) in bare.rmatch_indices(SEPARATORS).take(MAX_PARTS) {
                let end = canonical(&bare[end + separator.len()..]);
                if !end.is_empty() {
                    listed.ends.entry(end).or_default().push(at);
                }
            }
            // `go test` replaces spaces by underscores.
            for name in [canonical(&bare), canonical(&bare.replace(' ', "_"))] {
                listed.longest = listed.longest.max(name.len());
                let known = listed.names.entry(name).or_default();
                if known.last() != Some(&at) {
                    known.push(at);
                }
            }
        }
        listed
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Collects the names of all other tests as well.
    pub(crate) fn collecting(mut self) -> Self {
        self.collects = true;
        self
    }

    /// Returns whether the output has to name tests.
    pub(crate) fn wants_names(&self) -> bool {
        self.count > 0 || self.collects
    }
}

/// Returns a listed name as runners print it.
fn bare(name: &str) -> String {
    let quotes = ['"', '\''];
    let unquoted = |quote| name.strip_prefix(quote)?.strip_suffix(quote);
    let name = quotes.into_iter().find_map(unquoted).unwrap_or(name);
    let name = ["async fn ", "async def ", "fn ", "def "]
        .iter()
        .find_map(|word| name.strip_prefix(word))
        .unwrap_or(name);
    let name = name.strip_suffix("()").unwrap_or(name);
    name.replace(".py::", "::")
}

fn canonical(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    push_canonical(&mut name, text);
    name
}

/// Appends a string with each run of separators and spaces replaced by one space.
fn push_canonical(name: &mut String, text: &str) {
    let words = text.split(|char: char| char.is_whitespace() || SEPARATORS.contains(&char));
    for (index, word) in words.filter(|word| !word.is_empty()).enumerate() {
        if index > 0 {
            name.push(' ');
        }
        name.push_str(word);
    }
}

/// The listed tests in the output of one runner.
pub(super) struct SeenTests {
    listed: Arc<Listed>,
    marks: Vec<Marks>,
    /// The number of tests that it named as passed or failed.
    pub(super) ended: u64,
    /// The names of all tests, if they are collected.
    names: TestNames,
    name: String,
    starts: Vec<usize>,
}

impl SeenTests {
    pub(super) fn new(listed: &Arc<Listed>) -> Self {
        Self {
            marks: vec![Marks::default(); listed.len()],
            listed: Arc::clone(listed),
            ended: 0,
            names: TestNames::default(),
            name: String::new(),
            starts: Vec::new(),
        }
    }

    /// Returns whether no tests are listed.
    pub(super) fn is_idle(&self) -> bool {
        self.marks.is_empty()
    }

    pub(super) const fn names(&self) -> &TestNames {
        &self.names
    }

    pub(super) fn marks(&self) -> &[Marks] {
        &self.marks
    }

    /// Records the end of a test, which may be named once more.
    pub(super) fn ended(&mut self, name: impl FnOnce() -> String, how: Ended, repeats: bool) {
        if self.listed.collects {
            match repeats {
                true => self.names.ended_once(name(), how),
                false => self.names.ended(name(), how),
            }
        }
        if how != Ended::Skipped {
            self.ended = self.ended.saturating_add(1);
        }
    }

    /// Marks the listed tests whose name has these parts.
    pub(super) fn mark<'p>(&mut self, parts: impl IntoIterator<Item = &'p str>, mark: Marks) {
        self.read(parts);
        self.mark_ends(self.name.len(), mark);
        for at in 1..self.starts.len() {
            self.mark_ends(self.starts[at] - 1, Marks::NEAR);
        }
        for at in self
            .listed
            .ends
            .get(self.name.as_str())
            .into_iter()
            .flatten()
        {
            self.marks[*at].add(Marks::NEAR);
        }
    }

    fn read<'p>(&mut self, parts: impl IntoIterator<Item = &'p str>) {
        self.name.clear();
        self.starts.clear();
        for part in parts {
            if self.starts.len() == MAX_PARTS {
                self.name.clear();
                self.starts.clear();
            }
            let start = self.name.len() + usize::from(!self.name.is_empty());
            if start > 0 {
                self.name.push(' ');
            }
            push_canonical(&mut self.name, part);
            if self.name.len() > start {
                self.starts.push(start);
            } else {
                self.name.truncate(start.saturating_sub(1));
            }
        }
    }

    /// Marks the names that match the parts up to `end`, with or without the first
    /// parts.
    fn mark_ends(&mut self, end: usize, mark: Marks) {
        let Self {
            listed,
            marks,
            name,
            starts,
            ..
        } = self;
        for start in starts.iter().filter(|start| **start < end) {
            listed.mark(name[*start..end].trim_end(), mark, marks);
        }
    }
}

impl Listed {
    fn mark(&self, name: &str, mark: Marks, marks: &mut [Marks]) {
        if name.len() > self.longest {
            return;
        }
        for at in self.names.get(name).into_iter().flatten() {
            marks[*at].add(mark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(listed: &str, parts: &[&str]) -> Marks {
        let mut seen = SeenTests::new(&Arc::new(Listed::new([listed])));
        seen.mark(parts.iter().copied(), Marks::PASSED);
        seen.marks()[0]
    }

    #[test]
    fn a_listed_name_is_a_test_or_a_suffix_of_whole_parts() {
        for (listed, parts) in [
            ("keeps", &["store", "keeps"] as &[&str]),
            ("store::keeps", &["store", "keeps"]),
            ("fn keeps()", &["keeps"]),
            ("TestX/sub case", &["TestX", "sub_case"]),
            ("sub case", &["TestX", "sub_case"]),
            ("TestX/v1.2", &["TestX", "v1.2"]),
            (
                "tests/test_x.py::TestC::test_y[a b]",
                &["tests", "test_x", "TestC", "test_y[a b]"],
            ),
            ("sum > adds two", &["a.test.ts", "sum", "adds two"]),
            ("sum › adds two", &["sum", "adds two"]),
            ("sum adds two", &["sum", "adds two"]),
            ("'adds two'", &["sum", "adds two"]),
            ("a.test.ts > sum > adds", &["x", "a.test.ts", "sum", "adds"]),
        ] {
            assert!(mark(listed, parts).has(Marks::PASSED), "{listed}");
        }
    }

    #[test]
    fn other_names_are_near_at_most() {
        for (listed, parts, near) in [
            ("keeps", &["store", "never_keeps"] as &[&str], false),
            ("keeps", &["store", "keeps_not"], false),
            ("other::keeps", &["store", "keeps"], false),
            ("other::keeps", &["keeps"], true),
            ("store", &["store", "keeps"], true),
            ("TestX/a", &["TestX"], false),
            ("adds two", &["sum", "never adds two"], false),
            ("sum", &["all", "sum", "deep", "adds"], true),
        ] {
            let marks = mark(listed, parts);
            assert!(!marks.has(Marks::PASSED), "{listed}");
            assert_eq!(marks.has(Marks::NEAR), near, "{listed}");
        }
    }
}
