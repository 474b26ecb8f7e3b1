//! Builds the outline from the parser's events.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::fences::without_tabs;
use super::node::{
    Cell, CodeBlock, CodeKind, CodeSpan, Comment, Heading, Link, LinkKind, Paragraph, Table,
};
use super::{OUTLINE_LIMIT, Outline};
use crate::Span;

/// Parses `source` from the byte `body` on, until its headings are `enough`.
pub(super) fn outline(source: &str, body: usize, enough: fn(&[Heading]) -> bool) -> Outline {
    let body = source.floor_char_boundary(body);
    let end = source.floor_char_boundary(body.saturating_add(OUTLINE_LIMIT));
    let mut builder = OutlineBuilder {
        source: &source[..end],
        base: body,
        found: Outline {
            is_cut: end < source.len(),
            ..Outline::default()
        },
        containers: 0,
        heading: None,
        block: None,
        cell: None,
        paragraph: None,
        item_opened: false,
        comments_end: false,
    };
    let text = without_tabs(&source[body..end]);
    for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
        let is_heading = matches!(event, Event::End(TagEnd::Heading(_)));
        builder.read(event, &range);
        if is_heading && enough(&builder.found.headings) {
            break;
        }
    }
    builder.finish(end)
}

/// The result so far, and what is open.
struct OutlineBuilder<'a> {
    source: &'a str,
    base: usize,
    found: Outline,
    containers: usize,
    heading: Option<Heading>,
    block: Option<CodeBlock>,
    cell: Option<Cell>,
    paragraph: Option<Paragraph>,
    /// Whether an empty list item is open.
    item_opened: bool,
    comments_end: bool,
}

impl OutlineBuilder<'_> {
    /// Handles an event and tracks the paragraph that it opens, continues or
    /// ends.
    ///
    /// A tight list item has no paragraph event for its content, so any inline event
    /// outside the other blocks opens one.
    fn read(&mut self, event: Event<'_>, range: &Range<usize>) {
        let span = Span::from(range.clone()).shifted(self.base);
        match event {
            Event::Text(text) => match &mut self.block {
                Some(block) => lengthen(&mut block.content, span),
                None => {
                    self.lengthen_paragraph(span);
                    self.text(&text, span);
                }
            },
            Event::Start(tag) => self.open(tag, span),
            Event::End(tag) => self.close(tag),
            Event::Code(text) => {
                self.lengthen_paragraph(span);
                self.code(&text, span);
            }
            Event::SoftBreak | Event::HardBreak => self.append(" "),
            Event::Html(_) => {
                self.close_paragraph();
                self.html(span);
            }
            Event::InlineHtml(text) => {
                self.lengthen_paragraph(span);
                if text.starts_with("<!--") {
                    self.comments(span);
                }
            }
            Event::Rule => self.close_paragraph(),
            Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => {}
        }
    }

    /// Records an inline event, which extends a heading or a paragraph.
    fn lengthen_paragraph(&mut self, span: Span) {
        if let Some(heading) = &mut self.heading {
            lengthen(&mut heading.content, span);
            return;
        }
        if self.cell.is_some() || self.block.is_some() {
            return;
        }
        let opens_item = std::mem::take(&mut self.item_opened);
        let paragraph = self.paragraph.get_or_insert(Paragraph { span, opens_item });
        paragraph.span.end = paragraph.span.end.max(span.end);
    }

    fn end_paragraph(&mut self) {
        if let Some(paragraph) = self.paragraph.take() {
            self.found.paragraphs.push(paragraph);
        }
    }

    /// Ends a paragraph, after which no other one opens the same item.
    fn close_paragraph(&mut self) {
        self.end_paragraph();
        self.item_opened = false;
    }

    fn open(&mut self, tag: Tag<'_>, span: Span) {
        match tag {
            Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript => self.lengthen_paragraph(span),
            Tag::Link {
                link_type,
                dest_url,
                ..
            } => {
                self.lengthen_paragraph(span);
                self.link(link_kind(link_type), &dest_url, span);
            }
            Tag::Image { dest_url, .. } => {
                self.lengthen_paragraph(span);
                self.link(LinkKind::Image, &dest_url, span);
            }
            Tag::Paragraph => self.end_paragraph(),
            Tag::Item => {
                self.end_paragraph();
                self.item_opened = true;
                self.containers += 1;
            }
            block => {
                self.close_paragraph();
                self.open_block(block, span);
                return;
            }
        }
        self.content();
    }

    /// Opens a block that is neither a paragraph nor an item nor inside one.
    fn open_block(&mut self, tag: Tag<'_>, span: Span) {
        match tag {
            Tag::Heading { level, .. } if self.containers == 0 => {
                self.heading = Some(Heading {
                    level: level as u8,
                    text: String::new(),
                    span,
                    content: Span::empty(span.start),
                    section: span,
                    parent: None,
                    has_content: false,
                });
                return;
            }
            Tag::CodeBlock(kind) => self.open_code(&kind, span),
            Tag::Table(_) => {
                self.found.tables.push(Table {
                    span,
                    header: Vec::new(),
                    rows: Vec::new(),
                });
            }
            Tag::TableRow => {
                if let Some(table) = self.found.tables.last_mut() {
                    table.rows.push(Vec::new());
                }
            }
            Tag::TableCell => {
                self.cell = Some(Cell {
                    text: String::new(),
                    span,
                    codes: Vec::new(),
                });
            }
            Tag::BlockQuote(_) => self.containers += 1,
            Tag::HtmlBlock => return,
            _ => {}
        }
        self.content();
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.close_paragraph(),
            TagEnd::Item => {
                self.close_paragraph();
                self.containers -= 1;
            }
            TagEnd::Heading(_) => self.close_heading(),
            TagEnd::CodeBlock => self.close_code(),
            TagEnd::TableCell => self.close_cell(),
            TagEnd::BlockQuote(_) => self.containers -= 1,
            _ => {}
        }
    }

    /// Records that the current section is not empty.
    fn content(&mut self) {
        if self.heading.is_none() {
            self.found.has_content = true;
            if let Some(heading) = self.found.headings.last_mut() {
                heading.has_content = true;
            }
        }
    }

    fn text(&mut self, text: &str, span: Span) {
        self.append(text);
        match self.found.prose.last_mut() {
            Some(last) if last.end == span.start => last.end = span.end,
            _ => self.found.prose.push(span),
        }
    }

    fn code(&mut self, text: &str, span: Span) {
        self.append(text);
        let code = CodeSpan {
            text: text.to_owned(),
            span,
        };
        if let Some(cell) = &mut self.cell {
            cell.codes.push(code.clone());
        }
        self.found.code_spans.push(code);
    }

    /// Adds to the plain text of an open heading or cell.
    fn append(&mut self, text: &str) {
        let heading = self.heading.as_mut().map(|heading| &mut heading.text);
        let cell = self.cell.as_mut().map(|cell| &mut cell.text);
        if let Some(open) = heading.or(cell) {
            open.push_str(text);
        }
    }

    fn html(&mut self, span: Span) {
        let comment = self.found.comments.last().map_or(0, |last| last.span.end);
        let span = Span::new(span.start.max(comment), span.end);
        let text = span.slice(self.source).unwrap_or_default().trim_start();
        if text.starts_with("<!--") {
            self.comments(span);
        } else if !text.is_empty() {
            self.content();
        }
    }

    /// Records the comments that start inside `span`; one may end after it.
    ///
    /// Once a comment is known to be unclosed, no later one is searched for, so that
    /// many of them cost no more than one.
    fn comments(&mut self, span: Span) {
        let mut at = span.start;
        while let Some(start) = self.source[at..span.end.max(at)].find("<!--") {
            let start = at + start;
            let inner = start + "<!--".len();
            if self.comments_end {
                return;
            }
            let Some(length) = self.source[inner..].find("-->") else {
                self.comments_end = true;
                return;
            };
            at = inner + length + "-->".len();
            let text = self.source[inner..inner + length].trim();
            self.found.comments.push(Comment {
                text: text.to_owned(),
                span: Span::new(start, at),
            });
        }
    }

    fn link(&mut self, kind: LinkKind, target: &str, span: Span) {
        self.found.links.push(Link {
            kind,
            target: target.to_owned(),
            span,
        });
    }

    fn open_code(&mut self, kind: &CodeBlockKind<'_>, span: Span) {
        let (kind, language) = match kind {
            CodeBlockKind::Indented => (CodeKind::Indented, ""),
            CodeBlockKind::Fenced(info) => {
                let word = info.split([' ', '\t', ',', '{']).next();
                (CodeKind::Fenced, word.unwrap_or_default())
            }
        };
        self.block = Some(CodeBlock {
            kind,
            language: language.to_owned(),
            span,
            content: Span::empty(span.end),
        });
    }

    fn close_code(&mut self) {
        let Some(mut block) = self.block.take() else {
            return;
        };
        if block.kind == CodeKind::Fenced && !self.is_closed(&mut block) {
            block.kind = CodeKind::Unclosed;
        }
        self.found.code_blocks.push(block);
    }

    /// Returns whether a closing fence follows the content; the content of an
    /// empty block is then placed after the opening line.
    fn is_closed(&self, block: &mut CodeBlock) -> bool {
        let text = &self.source[block.span.range()];
        let mark = if text.starts_with('~') { '~' } else { '`' };
        if block.content.is_empty() {
            let first = text.find('\n').map_or(text.len(), |line| line + 1);
            block.content = Span::empty(block.span.start + first);
        }
        self.source[block.content.end..block.span.end.max(block.content.end)].contains(mark)
    }

    fn close_cell(&mut self) {
        let (Some(mut cell), Some(table)) = (self.cell.take(), self.found.tables.last_mut()) else {
            return;
        };
        cell.text = cell.text.trim().to_owned();
        table
            .rows
            .last_mut()
            .unwrap_or(&mut table.header)
            .push(cell);
    }

    fn close_heading(&mut self) {
        let Some(mut heading) = self.heading.take() else {
            return;
        };
        heading.text = heading.text.trim().to_owned();
        let mut parent = self.found.headings.len().checked_sub(1);
        while let Some(index) = parent {
            let above = &mut self.found.headings[index];
            if above.level < heading.level {
                break;
            }
            above.section.end = heading.span.start;
            parent = above.parent;
        }
        heading.parent = parent;
        self.found.headings.push(heading);
    }

    fn finish(mut self, end: usize) -> Outline {
        let mut open = self.found.headings.len().checked_sub(1);
        while let Some(index) = open {
            let heading = &mut self.found.headings[index];
            heading.section.end = end;
            open = heading.parent;
        }
        self.found
    }
}

/// Appends text to the adjacent content.
fn lengthen(content: &mut Span, next: Span) {
    if content.is_empty() {
        *content = next;
    }
    content.end = content.end.max(next.end);
}

fn link_kind(kind: LinkType) -> LinkKind {
    match kind {
        LinkType::Inline => LinkKind::Inline,
        LinkType::Autolink | LinkType::Email => LinkKind::Auto,
        LinkType::Reference
        | LinkType::ReferenceUnknown
        | LinkType::Collapsed
        | LinkType::CollapsedUnknown
        | LinkType::Shortcut
        | LinkType::ShortcutUnknown
        | LinkType::WikiLink { .. } => LinkKind::Reference,
    }
}
