//! The nodes of an outline.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Span;

/// A heading and the section below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Its level, 1 to 6.
    pub level: u8,
    /// Its content without markup, trimmed.
    pub text: String,
    /// The heading itself.
    pub span: Span,
    /// Its content as written, without the marks that make it a heading.
    pub content: Span,
    /// The whole section: up to the next heading of the same or a higher level.
    pub section: Span,
    /// The index of the heading above it, if there is one.
    pub parent: Option<usize>,
    /// Whether there is anything but comments and rules between it and the next
    /// heading.
    pub has_content: bool,
}

/// The kind of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// `[text](target)`.
    Inline,
    /// `[text][label]`, `[label][]` or `[label]`, with the target elsewhere.
    Reference,
    /// `<https://…>` or `<name@host>`.
    Auto,
    /// `![text](target)`, inline or by label.
    Image,
}

/// A link or an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The kind.
    pub kind: LinkKind,
    /// Its target, with escapes resolved.
    pub target: String,
    /// The whole link.
    pub span: Span,
}

/// How a code block is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    /// Between an opening and a closing fence.
    Fenced,
    /// By an opening fence without a closing one.
    Unclosed,
    /// By indentation.
    Indented,
}

/// A block of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// How it is marked.
    pub kind: CodeKind,
    /// The first word after the opening fence; empty without one.
    pub language: String,
    /// The whole block with its fences.
    pub span: Span,
    /// Its content, with the markers of surrounding quotes and lists.
    pub content: Span,
}

/// A piece of inline code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeSpan {
    /// The code without its backticks.
    pub text: String,
    /// The code with its backticks.
    pub span: Span,
}

/// A block of text that ends at a blank line, a marker or another block: a paragraph
/// or the content of a list item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paragraph {
    /// Its bytes, from its first character to its last.
    pub span: Span,
    /// Whether it is the first thing in a list item.
    pub opens_item: bool,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The whole table.
    pub span: Span,
    /// The cells of its first row.
    pub header: Vec<Cell>,
    /// The cells of the other rows.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Returns the index of the first column whose head satisfies `test`.
    pub fn column(&self, mut test: impl FnMut(&str) -> bool) -> Option<usize> {
        self.header.iter().position(|cell| test(&cell.text))
    }
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its content without markup, trimmed.
    pub text: String,
    /// The cell between its bars.
    pub span: Span,
    /// The inline code inside.
    pub codes: Vec<CodeSpan>,
}

/// An HTML comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The content between its marks, trimmed.
    pub text: String,
    /// The comment with its marks.
    pub span: Span,
}

/// The headings above a place, outermost first; empty before the first one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HeadingPath(pub Vec<String>);

impl HeadingPath {
    /// Returns whether no heading is above.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for HeadingPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(" > ")?;
            }
            f.write_str(name)?;
        }
        Ok(())
    }
}
