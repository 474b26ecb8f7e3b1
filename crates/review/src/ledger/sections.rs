//! The files of the artifact with their sections.

use std::ops::Range;
use std::sync::Arc;

use review_types::{FindingPlace, Hash, Lines};

use crate::hunk::changed_ranges;
use crate::naming::words;
use review_flow::hash_bytes;

/// A file of the artifact with its sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileSections {
    pub(super) path: String,
    text: Arc<[u8]>,
    hash: Hash,
    /// The start of each line, and the end of the last one.
    line_starts: Vec<usize>,
    pub(super) sections: Vec<NamedSection>,
    /// The changes since a base, in order; `None` where all text counts.
    changed: Option<Vec<Range<usize>>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedSection {
    pub(super) headings: Vec<String>,
    /// The words of the last heading.
    pub(super) name: String,
    hash: Hash,
    span: Range<usize>,
}

impl FileSections {
    /// Returns the file at `path` with its sections, given by their headings and
    /// bytes.
    pub(crate) fn new(
        path: impl Into<String>,
        text: Arc<[u8]>,
        sections: impl IntoIterator<Item = (Vec<String>, Range<usize>)>,
    ) -> Self {
        let named = sections.into_iter().filter_map(|(headings, span)| {
            let name = words(headings.last()?);
            let hash = hash_bytes(text.get(span.clone())?);
            (name != " ").then_some(NamedSection {
                headings,
                name,
                hash,
                span,
            })
        });
        let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let mut line_starts: Vec<_> = std::iter::once(0)
            .chain(breaks.map(|(at, _)| at + 1))
            .collect();
        if line_starts.last() != Some(&text.len()) {
            line_starts.push(text.len());
        }
        let sections = named.collect();
        Self {
            path: path.into(),
            hash: hash_bytes(&text),
            text,
            line_starts,
            sections,
            changed: None,
        }
    }

    /// Returns the file restricted to the content that differs between `base` and its
    /// current content.
    pub(crate) fn since(self, base: &[u8]) -> Self {
        Self {
            changed: Some(changed_ranges(base, &self.text)),
            ..self
        }
    }

    /// Returns how well `named` matches the file: by its path, by its name, or not.
    pub(super) fn naming(&self, named: &str) -> u8 {
        match () {
            () if named.contains(&self.path) => 2,
            () if named.contains(self.name()) => 1,
            () => 0,
        }
    }

    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Returns the place for the whole file.
    pub(super) fn whole(&self) -> FindingPlace {
        FindingPlace {
            path: Some(self.path.clone()),
            headings: Vec::new(),
            lines: None,
            text: Some(self.hash),
        }
    }

    /// Returns the place of a section of the file.
    pub(super) fn at(&self, section: &NamedSection) -> FindingPlace {
        FindingPlace {
            path: Some(self.path.clone()),
            headings: section.headings.clone(),
            lines: Some(self.lines_of(&section.span)),
            text: Some(section.hash),
        }
    }

    /// Returns the place of these lines, with the innermost section that they start
    /// in; `None` where there are no such lines.
    pub(super) fn at_lines(&self, lines: Lines) -> Option<FindingPlace> {
        let span = self.span_of(lines)?;
        let start = span.start;
        let around = self.sections.iter();
        let around = around.filter(|section| section.span.contains(&start));
        let innermost = around.min_by_key(|section| section.span.len());
        let place = innermost.map_or_else(|| self.whole(), |section| self.at(section));
        Some(FindingPlace {
            lines: Some(lines),
            ..place
        })
    }

    /// Returns the place of these bytes of the file.
    pub(super) fn at_span(&self, span: &Range<usize>) -> Option<FindingPlace> {
        self.at_lines(self.lines_of(span))
    }

    /// Returns the content of the file; none if it is not in UTF-8.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.text).unwrap_or_default()
    }

    /// Returns the current position of a place in this file; `None` if its section is gone.
    pub(super) fn again(&self, place: &FindingPlace) -> Option<FindingPlace> {
        if place.headings.is_empty() {
            return Some(self.whole());
        }
        let mut sections = self.sections.iter();
        let section = sections.find(|section| section.headings == place.headings);
        section.map(|section| self.at(section))
    }

    /// Returns whether anything at a place of this file changed since the base.
    pub(super) fn counts(&self, place: &FindingPlace) -> bool {
        let Some(changed) = &self.changed else {
            return true;
        };
        let span = place.lines.and_then(|lines| self.span_of(lines));
        let Some(span) = span else {
            return !changed.is_empty();
        };
        changed.iter().any(|changed| {
            if changed.is_empty() {
                span.start <= changed.start && changed.start <= span.end
            } else {
                changed.start < span.end && span.start < changed.end
            }
        })
    }

    /// Returns the lines that contain these bytes of the file.
    fn lines_of(&self, span: &Range<usize>) -> Lines {
        let line = |at: usize| self.line_starts.partition_point(|start| *start <= at);
        let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        let first = line(span.start);
        let last = line(span.end.saturating_sub(1)).max(first);
        Lines {
            first: number(first),
            last: number(last),
        }
    }

    /// Returns the byte range of lines; lines after the end of the file are ignored.
    fn span_of(&self, lines: Lines) -> Option<Range<usize>> {
        let at = |line: u32| usize::try_from(line).ok();
        let start = *self.line_starts.get(at(lines.first)?.checked_sub(1)?)?;
        let end = self.line_starts.get(at(lines.last)?);
        let end = end.or(self.line_starts.last()).copied()?;
        (start < end).then_some(start..end)
    }
}

/// Returns a file whose headings are lines that start with `# `.
#[cfg(test)]
pub(crate) fn test_file(path: &str, text: &str) -> FileSections {
    let starts: Vec<_> = text.match_indices("# ").map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let sections = starts.iter().zip(ends).map(|(start, end)| {
        let heading = text[start + 2..].lines().next().unwrap_or_default();
        (vec![heading.to_owned()], *start..end)
    });
    FileSections::new(path, text.as_bytes().into(), sections)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"# A\none\n## B\ntwo\n# C\nthree";

    fn file() -> FileSections {
        let heading = |path: &[&str]| path.iter().map(|name| (*name).to_owned()).collect();
        let sections = [
            (heading(&["A"]), 0..17),
            (heading(&["A", "B"]), 8..17),
            (heading(&["C"]), 17..26),
        ];
        FileSections::new("a.md", TEXT.into(), sections)
    }

    fn at(first: u32, last: u32) -> Option<FindingPlace> {
        file().at_lines(Lines { first, last })
    }

    #[test]
    fn a_section_knows_its_lines() {
        let file = file();
        let lines: Vec<_> = file
            .sections
            .iter()
            .map(|section| file.at(section).lines.unwrap())
            .map(|lines| (lines.first, lines.last))
            .collect();
        assert_eq!(lines, [(1, 4), (3, 4), (5, 6)]);
    }

    #[test]
    fn lines_are_in_their_innermost_section() {
        let headings = |first, last| at(first, last).map(|place| place.headings.join("/"));
        assert_eq!(headings(1, 1).as_deref(), Some("A"));
        assert_eq!(headings(4, 6).as_deref(), Some("A/B"));
        assert_eq!(headings(6, 99).as_deref(), Some("C"));
        for (first, last) in [(0, 1), (7, 8), (99, 99)] {
            assert_eq!(at(first, last), None, "{first}");
        }
        let bare = FileSections::new("a", b"one\ntwo\n"[..].into(), []);
        let place = bare.at_lines(Lines { first: 2, last: 2 }).unwrap();
        assert_eq!((place.headings.len(), place.text), (0, bare.whole().text));
        assert_eq!(bare.at_lines(Lines { first: 3, last: 3 }), None);
    }

    #[test]
    fn text_that_did_not_change_since_the_base_does_not_count() {
        let base = b"# A\none\n## B\nTWO\ngone\n# C\nthree";
        let since = file().since(base);
        let counts = |first, last| since.counts(&at(first, last).unwrap());
        assert!(counts(4, 4));
        assert!(counts(1, 6));
        assert!(!counts(1, 3));
        assert!(!counts(6, 6));
        assert!(since.counts(&since.whole()));
        assert!(file().counts(&at(6, 6).unwrap()));
        let same = file().since(TEXT);
        assert!(!same.counts(&same.whole()));
        let lost = file().since(b"# A\none\n## B\ntwo\n# C\nlost\nthree");
        let counts = |first, last| lost.counts(&at(first, last).unwrap());
        assert!(counts(5, 5));
        assert!(counts(6, 6));
        assert!(!counts(1, 4));
        let new = file().since(b"");
        assert!(new.counts(&at(1, 1).unwrap()));
    }
}
