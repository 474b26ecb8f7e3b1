//! The files and functions that a task creates or changes.
//!
//! Narrower than [`super::Mentions`]: a path counts if a tree, a list or a table
//! presents it as a result of the task.

mod item;
mod mark;
mod place;
mod word;

use std::borrow::Cow;

use review_document::markdown::{CodeBlock, Table};
use review_document::workspace::{Document, DocumentRole};
use review_document::{SourceText, Span, file_tree};

use crate::words::begins;

use item::Item;
use place::{Place, Places};
pub(crate) use word::file as named_file;

/// The maximum number of files of one task that rules examine.
const MAX_FILES: usize = 2000;

/// The languages of blocks that may hold a tree or a list of files.
const PLAIN: [&str; 6] = ["", "text", "txt", "plaintext", "plain", "tree"];

/// The results that a task names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deliverables<'a> {
    /// The files, each once, in document order.
    pub(crate) files: Vec<Deliverable<'a>>,
    /// The heading `Deliverables`, if there is one.
    pub(crate) heading: Option<Span>,
    /// The section below it, with the heading.
    pub(crate) section: Option<Span>,
    /// The heading that announces functions to implement, if there is one.
    pub(crate) functions: Option<Span>,
}

/// A file that a task creates or changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Deliverable<'a> {
    /// The path, relative to the root.
    pub(crate) path: Cow<'a, str>,
    /// The action on the file.
    pub(crate) kind: DeliverableKind,
    /// The span of its line, without indentation.
    pub(crate) span: Span,
    /// The start of the first line that names it.
    first: usize,
}

impl<'a> Deliverable<'a> {
    fn new(path: impl Into<Cow<'a, str>>, kind: DeliverableKind, span: Span) -> Self {
        Self {
            path: path.into(),
            kind,
            span,
            first: span.start,
        }
    }
}

/// The action of a task on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeliverableKind {
    /// It creates the file.
    Create,
    /// It changes or removes an existing file.
    Modify,
    /// The content does not specify it.
    Unsaid,
}

impl<'a> Deliverables<'a> {
    /// Reads the body of a task.
    pub(crate) fn of(document: &'a Document) -> Self {
        let outline = &document.outline;
        let mut found = Vec::new();
        let places = Places::of(outline);
        for block in outline.code_blocks.iter() {
            let place = places.at(block.span.start);
            read_block(block, place, document, &mut found);
        }
        for table in outline.tables.iter() {
            if let Place::Files(kind) = places.at(table.span.start) {
                read_table(table, kind, &mut found);
            }
        }
        read_items(document, &places, &mut found);
        let heading = places.deliverables;
        Self {
            files: each_once(found),
            heading: heading.map(|heading| heading.span),
            section: heading.map(|heading| heading.section),
            functions: places.functions.map(|heading| heading.span),
        }
    }
}

/// Returns the files that a task names as its results, relative to the root.
///
/// ```
/// let task = "# Add a test\n\n## Deliverables\n\n- Create: `tests/test_a.py`\n";
/// assert_eq!(review_lint::deliverables("tasks/a/01.md", task), ["tests/test_a.py"]);
/// ```
#[must_use]
pub fn deliverables<'s>(path: &str, task: impl Into<SourceText<'s>>) -> Vec<String> {
    let document = Document::parse(path, DocumentRole::Task, task);
    let files = Deliverables::of(&document).files.into_iter();
    files.map(|file| file.path.into_owned()).collect()
}

/// The files of a block with a tree or a list. Outside of sections that announce files,
/// only marked lines of a tree count.
fn read_block(
    block: &CodeBlock,
    place: Place,
    document: &Document,
    found: &mut Vec<Deliverable<'_>>,
) {
    if !PLAIN.contains(&block.language.as_str()) {
        return;
    }
    let content = block.content.slice(&document.source).unwrap_or_default();
    for entry in file_tree::read(content) {
        let said = mark::of_note(entry.note);
        let kind = match place {
            Place::Files(kind) => said.unwrap_or(kind),
            Place::Deliverables | Place::Elsewhere => match said {
                Some(kind) if entry.is_drawn => kind,
                _ => continue,
            },
        };
        let path = if entry.is_drawn {
            word::plain(&entry.path)
        } else {
            word::file(&entry.path)
        };
        if let Some(path) = path.filter(|_| !entry.is_folder) {
            let span = entry.span.shifted(block.content.start);
            found.push(Deliverable::new(path.to_owned(), kind, span));
        }
    }
}

/// The files in a table that has a column for them.
fn read_table<'a>(table: &'a Table, announced: DeliverableKind, found: &mut Vec<Deliverable<'a>>) {
    let head = |head: &str, wanted: &[&str]| wanted.iter().any(|wanted| begins(head, wanted));
    let Some(files) = table.column(|text| head(text, &["file", "path"])) else {
        return;
    };
    let action =
        table.column(|text| head(text, &["action", "change", "operation", "kind", "type"]));
    for row in &table.rows {
        let Some(cell) = row.get(files) else { continue };
        let name = cell.codes.first().map_or(&cell.text, |code| &code.text);
        let Some(path) = word::file(name.trim()) else {
            continue;
        };
        let said = action
            .and_then(|column| row.get(column))
            .and_then(|cell| mark::kind_of(mark::first_word(&cell.text).0));
        let end = row.last().map_or(cell.span.end, |last| last.span.end);
        let span = Span::new(cell.span.start, end);
        found.push(Deliverable::new(path, said.unwrap_or(announced), span));
    }
}

/// The files in list items outside of code: below headings that announce files, and
/// elsewhere if a mark with a colon names the action.
fn read_items<'a>(document: &'a Document, places: &Places<'_>, found: &mut Vec<Deliverable<'a>>) {
    let source = &document.source;
    for stretch in document.outline.outside_code(source, document.body) {
        let text = stretch.slice(source).unwrap_or_default();
        let mut start = stretch.start;
        for line in text.split_inclusive('\n') {
            if let Some(item) = Item::read(line, start) {
                let kind = match (places.at(start), item.kind) {
                    (Place::Files(announced), DeliverableKind::Unsaid) => Some(announced),
                    (Place::Files(_), said) => Some(said),
                    (Place::Deliverables | Place::Elsewhere, said) => {
                        item.is_marked.then_some(said)
                    }
                };
                found.extend(kind.and_then(|kind| item.deliverable(kind)));
            }
            start += line.len();
        }
    }
}

/// Each file once, with the first action given for it.
fn each_once(mut found: Vec<Deliverable<'_>>) -> Vec<Deliverable<'_>> {
    found.sort_unstable_by(|one, other| {
        let key = |file: &Deliverable<'_>| (file.kind == DeliverableKind::Unsaid, file.span);
        let same = one.path.cmp(&other.path);
        same.then_with(|| key(one).cmp(&key(other)))
    });
    found.dedup_by(|next, kept| {
        let is_same = next.path == kept.path;
        if is_same {
            kept.first = kept.first.min(next.first);
        }
        is_same
    });
    found.sort_unstable_by_key(|file| file.first);
    found.truncate(MAX_FILES);
    found
}

#[cfg(test)]
mod tests;
