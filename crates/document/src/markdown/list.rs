//! Lists of what a document holds.

use std::fmt;

use super::Outline;
use super::entry::Entry;
use crate::Span;

/// The things of one kind in a document, in order.
///
/// An outline keeps entries of plain places; a thing with its text is put
/// together when it is asked for, and borrows the text.
pub struct List<'a, E> {
    outline: &'a Outline,
    entries: &'a [E],
}

impl<'a, E: Entry> List<'a, E> {
    pub(super) fn new(outline: &'a Outline, entries: &'a [E]) -> Self {
        Self { outline, entries }
    }

    /// How many there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.entries.is_empty()
    }

    /// The one at a place of the list, counted from 0.
    #[must_use]
    pub fn get(self, index: usize) -> Option<E::Thing<'a>> {
        Some(self.entries.get(index)?.thing(self.outline))
    }

    /// The first one.
    #[must_use]
    pub fn first(self) -> Option<E::Thing<'a>> {
        Some(self.entries.first()?.thing(self.outline))
    }

    /// The last one.
    #[must_use]
    pub fn last(self) -> Option<E::Thing<'a>> {
        Some(self.entries.last()?.thing(self.outline))
    }

    /// All of them.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = E::Thing<'a>> + ExactSizeIterator + Clone {
        let Self { outline, entries } = self;
        entries.iter().map(move |entry| entry.thing(outline))
    }

    /// Those at the places `start..` of the list.
    #[must_use]
    pub fn skip(self, start: usize) -> Self {
        let entries = self.entries.get(start..).unwrap_or_default();
        Self { entries, ..self }
    }

    /// Those that begin at the byte `offset` or behind it.
    #[must_use]
    pub fn from(self, offset: usize) -> Self {
        self.skip(
            self.entries
                .partition_point(|entry| entry.span().start < offset),
        )
    }

    /// Those that begin inside `span`.
    #[must_use]
    pub fn inside(self, span: Span) -> Self {
        let Self { outline, entries } = self.from(span.start);
        let end = entries.partition_point(|entry| entry.span().start < span.end);
        let entries = &entries[..end];
        Self { outline, entries }
    }

    /// The first one that does not end before the byte `offset`; all must
    /// stand behind one another.
    #[must_use]
    pub fn around(self, offset: usize) -> Option<E::Thing<'a>> {
        self.get(
            self.entries
                .partition_point(|entry| entry.span().end < offset),
        )
    }
}

impl<E> Clone for List<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for List<'_, E> {}

impl<'a, E: Entry<Thing<'a>: fmt::Debug>> fmt::Debug for List<'a, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
