//! Whether a `TODO` is open, is the head of a list, or is the name of a state.

use review_document::Span;
use review_document::markdown::{Cell, Table};
use review_document::workspace::Document;

use crate::words::WordList;

/// The number of bytes on each side of a marker that are searched for other states.
const REACH: usize = 300;

/// Whether the line ends after a marker, and items with boxes follow.
pub(super) fn heads_list_of_tasks(after: &str) -> bool {
    let (rest, below) = after.split_once('\n').unwrap_or((after, ""));
    let item = below.trim_start();
    matches!(rest.trim_matches(['*', '_', ' ', '\r']), "" | ":")
        && item
            .strip_prefix(['-', '*', '+'])
            .is_some_and(|item| item.starts_with(" ["))
}

/// Whether a marker is the whole content of a paragraph, an item or a cell.
pub(super) fn is_bare(document: &Document, mark: Span) -> bool {
    let outline = &document.outline;
    let is_alone = |span: Span| {
        let text = span.slice(&document.source).unwrap_or_default().trim();
        let text = text.trim_matches(['*', '_', '.', ' ']);
        Some(text.trim_start_matches("[ ] ")) == mark.slice(&document.source)
    };
    let paragraphs = &outline.paragraphs;
    let at = paragraphs.partition_point(|paragraph| paragraph.span.end < mark.end);
    let paragraph = paragraphs.get(at).map(|paragraph| paragraph.span);
    let tables = &outline.tables;
    let table = tables.get(tables.partition_point(|table| table.span.end < mark.end));
    paragraph.is_some_and(|span| span.start <= mark.start && is_alone(span))
        || table
            .and_then(|table| cell(table, mark))
            .is_some_and(is_alone)
}

/// The cell around a marker, unless it names its row or holds a state.
fn cell(table: &Table, mark: Span) -> Option<Span> {
    let ends_before = |row: &Vec<Cell>| row.last().is_none_or(|last| last.span.end < mark.end);
    let row = table.rows.get(table.rows.partition_point(ends_before))?;
    let mut cells = row.iter().enumerate().skip(1);
    let holds = |cell: &(usize, _)| is_inside(mark, cell.1);
    let (column, cell) = cells
        .by_ref()
        .map(|(column, cell)| (column, cell.span))
        .find(holds)?;
    let head = table.header.get(column)?.text.to_lowercase();
    (!["status", "state", "progress"]
        .iter()
        .any(|word| head.contains(word)))
    .then_some(cell)
}

fn is_inside(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Whether another item or cell next to a marker starts with another state.
pub(super) fn is_state(source: &str, mark: Span) -> bool {
    let low = source.ceil_char_boundary(mark.start.saturating_sub(REACH));
    let high = source.floor_char_boundary(mark.end + REACH);
    source[low..high].split(['\n', '|']).any(|piece| {
        let text = piece.trim_start_matches([' ', '\t', '>', '-', '+', '*', '_', '`']);
        WordList::State.words().iter().any(|state| {
            text.strip_prefix(state)
                .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        })
    })
}
