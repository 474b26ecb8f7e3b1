//! Markdown as an outline: headings, paragraphs, links, code blocks, tables,
//! comments and prose, each with its byte span in the source.
//!
//! The outline is built in one pass of the CommonMark parser and has no tree:
//! rules query it for kinds of things and for the heading path of an offset. It
//! renders nothing and rewrites nothing.

mod anchors;
mod build;
mod fences;
mod includes;
mod node;
mod target;

pub use anchors::Anchors;
pub use includes::includes;
pub use node::{
    Cell, CodeBlock, CodeKind, CodeSpan, Comment, Heading, HeadingPath, Link, LinkKind, Paragraph,
    Table,
};
pub use target::{LinkPlace, LinkTarget};

use crate::Span;

/// Maximum number of bytes of a document that are parsed.
///
/// The parser is linear, but takes some hundred bytes of memory for each byte
/// of hostile input; no specification comes near this size.
pub const OUTLINE_LIMIT: usize = 8 << 20;

/// The parts of a Markdown document.
///
/// ```
/// use review_document::markdown::Outline;
///
/// let source = "# Cache\n\n## Limits\n\nSee [sizes](SIZES.md).\n";
/// let outline = Outline::parse(source);
/// let link = outline.links.first().expect("a link");
/// assert_eq!(link.target, "SIZES.md");
/// assert_eq!(outline.heading_path(link.span.start).to_string(), "Limits");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The headings that open a section, in order; those in quotes and lists do not.
    pub headings: Vec<Heading>,
    /// The links and images, in order.
    pub links: Vec<Link>,
    /// The code blocks, in order.
    pub code_blocks: Vec<CodeBlock>,
    /// The inline code, including that in tables, in order.
    pub code_spans: Vec<CodeSpan>,
    /// The tables, in order.
    pub tables: Vec<Table>,
    /// The HTML comments outside code, in order.
    pub comments: Vec<Comment>,
    /// The paragraphs, including those in quotes and list items, in order.
    pub paragraphs: Vec<Paragraph>,
    /// The runs of plain text, in order: neither code nor markup nor comment.
    pub prose: Vec<Span>,
    has_content: bool,
    /// Whether the document is longer than [`OUTLINE_LIMIT`], so that its rest was not
    /// parsed.
    pub is_cut: bool,
}

impl Outline {
    /// Parses a whole document.
    pub fn parse(source: &str) -> Self {
        Self::parse_body(source, 0)
    }

    /// Parses the document after its front matter, which ends at the byte
    /// `body`. All spans count from the start of `source`.
    ///
    /// Bytes after [`OUTLINE_LIMIT`] are ignored; see [`Outline::is_cut`].
    pub fn parse_body(source: &str, body: usize) -> Self {
        build::outline(source, body, |_| false)
    }

    /// Parses the document up to the heading of the first section below its
    /// title, or to its end if it has none.
    pub(crate) fn parse_head(source: &str, body: usize) -> Self {
        let is_section = |headings: &[Heading]| {
            let titled = headings.iter().any(|heading| heading.level == 1);
            titled && headings.last().is_some_and(|last| last.level > 1)
        };
        build::outline(source, body, is_section)
    }

    /// Returns whether all of `span` is plain text.
    pub fn is_prose(&self, span: Span) -> bool {
        let run = self.prose.partition_point(|run| run.end < span.end);
        self.prose
            .get(run)
            .is_some_and(|run| run.start <= span.start)
    }

    /// Returns the ranges of whole lines of `source`, from the byte `body` on, that
    /// contain no code block.
    pub fn outside_code(&self, source: &str, body: usize) -> impl Iterator<Item = Span> {
        let mut start = body.min(source.len());
        let blocks = self.code_blocks.iter().map(Some).chain([None]);
        blocks.filter_map(move |block| {
            let Some(Span { start: opened, end }) = block.map(|block| block.span) else {
                return Some(Span::new(start, source.len()));
            };
            if end <= start {
                return None;
            }
            let line = source[..opened].rfind('\n').map_or(0, |end| end + 1);
            let stretch = Span::new(start, line);
            let last = end.saturating_sub(1);
            let behind = source.as_bytes()[last..]
                .iter()
                .position(|&byte| byte == b'\n');
            start = behind
                .map_or(source.len(), |at| last + at + 1)
                .max(stretch.end);
            Some(stretch)
        })
    }

    /// Returns whether there is neither a heading nor anything below one.
    pub fn is_blank(&self) -> bool {
        self.headings.is_empty() && !self.has_content
    }

    /// Returns the heading whose section contains the byte at `offset`.
    pub fn heading_at(&self, offset: usize) -> Option<&Heading> {
        self.above(offset).next()
    }

    /// Returns the headings above the byte at `offset`, innermost first.
    pub fn above(&self, offset: usize) -> impl Iterator<Item = &Heading> {
        let headings = &self.headings;
        let behind = headings.partition_point(|heading| heading.span.start <= offset);
        let innermost = behind.checked_sub(1).and_then(|last| headings.get(last));
        std::iter::successors(innermost, move |heading| headings.get(heading.parent?))
    }

    /// Returns the headings above the byte at `offset`, outermost first.
    ///
    /// The document's title, a level one heading that comes first, stands for
    /// the whole document and is included only if it is the only one.
    pub fn heading_path(&self, offset: usize) -> HeadingPath {
        let mut names = Vec::new();
        for heading in self.above(offset) {
            let title = heading.level == 1 && heading.span == self.headings[0].span;
            if !title || names.is_empty() {
                names.push(heading.text.clone());
            }
        }
        names.reverse();
        HeadingPath(names)
    }

    /// Returns whether any heading above the byte at `offset` satisfies `test`.
    pub fn is_below(&self, offset: usize, test: impl FnMut(&Heading) -> bool) -> bool {
        self.above(offset).any(test)
    }
}

/// Returns the things that start inside `span`, of a list in the order of the source;
/// `place` returns the place of a thing.
pub fn inside<T>(things: &[T], span: Span, place: impl Fn(&T) -> Span) -> &[T] {
    let start = things.partition_point(|thing| place(thing).start < span.start);
    let things = &things[start..];
    &things[..things.partition_point(|thing| place(thing).start < span.end)]
}

#[cfg(test)]
mod tests;
