//! What an outline keeps of the things that it lists.

use std::ops::Range;

use super::Outline;
use super::list::List;
use super::node::{Cell, Cells, CodeBlock, CodeSpan, Comment, Heading, Link, Table};
use crate::Span;

/// What an outline keeps of a thing.
pub trait Entry {
    /// The thing.
    type Thing<'a>;

    /// The thing that an entry of `outline` stands for.
    fn thing<'a>(&self, outline: &'a Outline) -> Self::Thing<'a>;

    /// Where the thing stands in the source.
    fn span(&self) -> Span;
}

/// What an outline keeps of a table: its rows, the header first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableEntry {
    pub(super) span: Span,
    pub(super) rows: Range<usize>,
}

/// What an outline keeps of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowEntry {
    pub(super) span: Span,
    pub(super) cells: Range<usize>,
}

/// What an outline keeps of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellEntry {
    pub(super) text: Span,
    pub(super) span: Span,
    pub(super) codes: Range<usize>,
}

impl Entry for Heading<Span> {
    type Thing<'a> = Heading<&'a str>;

    fn thing<'a>(&self, outline: &'a Outline) -> Heading<&'a str> {
        Heading {
            level: self.level,
            text: outline.texts.read(self.text),
            span: self.span,
            section: self.section,
            parent: self.parent,
            has_content: self.has_content,
        }
    }

    fn span(&self) -> Span {
        self.span
    }
}

impl Entry for Link<Span> {
    type Thing<'a> = Link<&'a str>;

    fn thing<'a>(&self, outline: &'a Outline) -> Link<&'a str> {
        Link {
            kind: self.kind,
            target: outline.asides.read(self.target),
            span: self.span,
        }
    }

    fn span(&self) -> Span {
        self.span
    }
}

impl Entry for CodeBlock<Span> {
    type Thing<'a> = CodeBlock<&'a str>;

    fn thing<'a>(&self, outline: &'a Outline) -> CodeBlock<&'a str> {
        CodeBlock {
            kind: self.kind,
            language: outline.asides.read(self.language),
            span: self.span,
            content: self.content,
        }
    }

    fn span(&self) -> Span {
        self.span
    }
}

impl Entry for CodeSpan<Span> {
    type Thing<'a> = CodeSpan<&'a str>;

    fn thing<'a>(&self, outline: &'a Outline) -> CodeSpan<&'a str> {
        CodeSpan {
            text: outline.texts.read(self.text),
            span: self.span,
        }
    }

    fn span(&self) -> Span {
        self.span
    }
}

impl Entry for Comment<Span> {
    type Thing<'a> = Comment<&'a str>;

    fn thing<'a>(&self, outline: &'a Outline) -> Comment<&'a str> {
        Comment {
            text: outline.asides.read(self.text),
            span: self.span,
        }
    }

    fn span(&self) -> Span {
        self.span
    }
}

impl Entry for TableEntry {
    type Thing<'a> = Table<'a>;

    fn thing<'a>(&self, outline: &'a Outline) -> Table<'a> {
        let rows = List::new(outline, &outline.rows[self.rows.clone()]);
        Table {
            span: self.span,
            header: rows.first().unwrap_or(List::new(outline, &[])),
            rows: rows.skip(1),
        }
    }

    fn span(&self) -> Span {
        self.span
    }
}

impl Entry for RowEntry {
    type Thing<'a> = Cells<'a>;

    fn thing<'a>(&self, outline: &'a Outline) -> Cells<'a> {
        List::new(outline, &outline.cells[self.cells.clone()])
    }

    fn span(&self) -> Span {
        self.span
    }
}

impl Entry for CellEntry {
    type Thing<'a> = Cell<'a>;

    fn thing<'a>(&self, outline: &'a Outline) -> Cell<'a> {
        Cell {
            text: outline.texts.read(self.text),
            span: self.span,
            codes: List::new(outline, &outline.code_spans[self.codes.clone()]),
        }
    }

    fn span(&self) -> Span {
        self.span
    }
}
