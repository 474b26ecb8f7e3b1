//! The requirements of a document: list items, paragraphs, headings and table rows with
//! an id, and the list items of requirement sections.

mod definition;
mod id;
mod section;

use review_document::Span;
use review_document::markdown::{Paragraph, Table};
use review_document::workspace::{Document, DocumentRole};

use crate::words::WordList;
use definition::{Definition, definition, in_cell, in_heading, is_marked};
pub(crate) use id::{Prefix, RequirementId};
pub(crate) use section::Section;

/// The maximum number of requirements of a document that rules examine.
const MAX_LISTED: usize = 20_000;

/// A document with its requirements, in order.
#[derive(Debug)]
pub(crate) struct Requirements<'a> {
    pub(crate) document: &'a Document,
    pub(crate) list: Vec<Requirement<'a>>,
}

/// A requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Requirement<'a> {
    /// Its id; an item of a requirement section may have none.
    pub(crate) id: Option<RequirementId<'a>>,
    pub(crate) form: Form,
    pub(crate) section: Section,
    /// The index of the nearest heading above it.
    pub(crate) heading: Option<usize>,
    /// Its content, without its id and its title.
    pub(crate) text: Span,
}

/// The form of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// A list item or a paragraph.
    Text,
    /// A heading with a paragraph below it.
    Heading,
    /// A table row.
    Row,
}

impl<'a> Requirements<'a> {
    /// Reads a document that states its own requirements: plans and tasks only repeat
    /// those of their spec.
    pub(super) fn of(document: &'a Document) -> Option<Self> {
        let states = match document.role {
            DocumentRole::Spec | DocumentRole::Text => true,
            DocumentRole::Plan | DocumentRole::Task => false,
        };
        states.then(|| {
            let mut reader = Reader {
                document,
                kinds: section::kinds(&document.outline),
                list: Vec::new(),
            };
            reader.headings();
            reader.paragraphs();
            reader.tables();
            let mut list = reader.list;
            list.sort_by_key(|found| (found.text.start, found.id.map(|id| id.span)));
            list.truncate(MAX_LISTED);
            Self { document, list }
        })
    }

    /// The requirements with an id.
    pub(crate) fn with_id(&self) -> impl Iterator<Item = (&Requirement<'a>, &RequirementId<'a>)> {
        self.list
            .iter()
            .filter_map(|found| Some((found, found.id.as_ref()?)))
    }
}

/// Collects the requirements of a document.
struct Reader<'a> {
    document: &'a Document,
    kinds: Vec<Section>,
    list: Vec<Requirement<'a>>,
}

impl<'a> Reader<'a> {
    fn headings(&mut self) {
        let outline = &self.document.outline;
        let headings = &outline.headings;
        for (index, heading) in headings.iter().enumerate() {
            let source = heading.span.slice(&self.document.source);
            let text = source.unwrap_or_default().trim_start_matches('#');
            let Some(found) = in_heading(text, heading.span.end - text.len()) else {
                continue;
            };
            let end = headings
                .get(index + 1)
                .map_or(usize::MAX, |next| next.span.start);
            let paragraphs = &outline.paragraphs;
            let below = paragraphs.partition_point(|p| p.span.start < heading.span.end);
            let statement = paragraphs.get(below).filter(|paragraph| {
                paragraph.span.start < end && !paragraph.opens_item && !self.defines(paragraph)
            });
            let text = statement.map_or(found.text, |paragraph| paragraph.span);
            self.add(Some(found.id), Form::Heading, text);
        }
    }

    fn paragraphs(&mut self) {
        for paragraph in &self.document.outline.paragraphs {
            let before = self.list.len();
            self.definitions(paragraph);
            let start = paragraph.span.start;
            if self.list.len() == before
                && paragraph.opens_item
                && self.section(start).1 == Section::Requirements
            {
                self.add(None, Form::Text, paragraph.span);
            }
        }
    }

    /// Adds the definitions in a paragraph: one at its start, and one at the start of
    /// each further line whose id is emphasized.
    fn definitions(&mut self, paragraph: &Paragraph) {
        let text = self.slice(paragraph.span);
        let mut open: Option<Definition<'a>> = None;
        let mut start = paragraph.span.start;
        for line in text.split_inclusive('\n') {
            let rest = line.trim_start();
            let begin = start + line.len() - rest.len();
            if start == paragraph.span.start || is_marked(rest) {
                let rest = rest.strip_suffix('\n').unwrap_or(rest);
                if let Some(next) = definition(rest, begin) {
                    self.close(open.replace(next), begin);
                }
            }
            start += line.len();
        }
        self.close(open, paragraph.span.end);
    }

    /// Adds a definition whose last line ends before the byte `end`.
    fn close(&mut self, definition: Option<Definition<'a>>, end: usize) {
        if let Some(Definition { id, mut text }) = definition {
            let behind = Span::new(text.end, end);
            let behind = self.slice(behind).trim_end();
            if behind.contains('\n') {
                text.end += behind.len();
            }
            self.add(Some(id), Form::Text, text);
        }
    }

    fn tables(&mut self) {
        for table in self.document.outline.tables.iter() {
            let Some(column) = statement_column(table) else {
                continue;
            };
            for row in &table.rows {
                let ids = row
                    .iter()
                    .take(column)
                    .find_map(|cell| in_cell(self.slice(cell.span), cell.span.start));
                if let (Some(id), Some(cell)) = (ids, row.get(column)) {
                    self.add(Some(id), Form::Row, cell.span);
                }
            }
        }
    }

    fn defines(&self, paragraph: &Paragraph) -> bool {
        definition(self.slice(paragraph.span), 0).is_some()
    }

    /// Adds a requirement, unless its prefix or its section rules it out.
    fn add(&mut self, id: Option<RequirementId<'a>>, form: Form, text: Span) {
        let at = id.map_or(text, |id| id.span).start;
        let (heading, section) = self.section(at);
        let counts = match id.map(|id| id.prefix) {
            Some(Prefix::Requirement) => section != Section::References,
            None | Some(Prefix::Unknown) => section == Section::Requirements,
            Some(Prefix::Other) => false,
        };
        if counts {
            self.list.push(Requirement {
                id,
                form,
                section,
                heading,
                text,
            });
        }
    }

    /// The heading above a byte and the kind of its section.
    fn section(&self, at: usize) -> (Option<usize>, Section) {
        let headings = &self.document.outline.headings;
        let index = headings.partition_point(|heading| heading.span.start <= at);
        let index = index.checked_sub(1);
        let kind = index.and_then(|index| self.kinds.get(index));
        (index, kind.copied().unwrap_or(Section::Other))
    }

    fn slice(&self, span: Span) -> &'a str {
        span.slice(&self.document.source).unwrap_or_default()
    }
}

/// The column in which a table states requirements; `None` if it only refers to them,
/// such as a table of tests.
fn statement_column(table: &Table) -> Option<usize> {
    let states = |head: &str| {
        let mut words = head.split(|c: char| !c.is_alphanumeric());
        let first = words.next().unwrap_or_default();
        let is_id =
            |word: &str| word.eq_ignore_ascii_case("id") || word.eq_ignore_ascii_case("ids");
        WordList::Statement.has(first) && !words.any(is_id)
    };
    let mut heads = table.header.iter().enumerate().skip(1);
    heads
        .find(|(_, cell)| states(&cell.text))
        .map(|(index, _)| index)
}

#[cfg(test)]
mod tests;
