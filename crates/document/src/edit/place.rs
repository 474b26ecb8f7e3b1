//! Finds the place for a new key of the front matter.

use super::Edit;
use crate::front_matter::FrontMatter;
use crate::span::Span;
use crate::task::TaskKey;
use crate::yaml::{Entry, Style, Tree};

/// Inserts `field`, a key with its value, after the first of the keys `behind`
/// that is on one line, or else before all other keys.
pub(super) fn insertion(
    text: &str,
    found: &FrontMatter,
    tree: &Tree<'_>,
    field: &str,
    behind: &[TaskKey],
) -> Option<Edit> {
    let edit = |at, text| {
        Some(Edit {
            span: Span::empty(at),
            text,
        })
    };
    let line_break = line_break_before(text, found.yaml.start);
    let root = tree.root.place.span;
    let Some(first) = tree.root.entries().first() else {
        let open = root.slice(text)?.starts_with('{');
        return if open {
            edit(root.start + 1, field.to_owned())
        } else {
            edit(found.yaml.start, format!("{field}{line_break}"))
        };
    };
    if root.slice(text)?.starts_with('{') {
        return edit(root.start + 1, format!("{field}, "));
    }
    let indent = indent_before(text, first.key_place.span.start)?;
    let mut lines = behind.iter().filter_map(|key| tree.root.get(key.as_str()));
    match lines.find_map(|entry| own_line_end(text, entry)) {
        Some(end) => edit(end, format!("{line_break}{indent}{field}")),
        None => edit(
            first.key_place.span.start,
            format!("{field}{line_break}{indent}"),
        ),
    }
}

fn line_break_before(text: &str, offset: usize) -> &'static str {
    let before = text.get(..offset).unwrap_or_default();
    if before.ends_with("\r\n") {
        "\r\n"
    } else if before.ends_with('\r') {
        "\r"
    } else {
        "\n"
    }
}

/// Returns the white space between the start of the line and `offset`; `None` when
/// there is anything else.
fn indent_before(text: &str, offset: usize) -> Option<&str> {
    let before = text.get(..offset)?;
    let start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let indent = &before[start..];
    indent.chars().all(|char| char == ' ').then_some(indent)
}

/// Returns the end of the line that contains the value of `entry`, if it is all on one line.
fn own_line_end(text: &str, entry: &Entry<'_>) -> Option<usize> {
    let value = entry.value.place.span;
    let inline = entry
        .value
        .scalar()
        .is_some_and(|scalar| scalar.style != Style::Block);
    let written = text.get(entry.key_place.span.end..value.end.max(entry.key_place.span.end))?;
    if !inline || written.contains(['\n', '\r']) {
        return None;
    }
    line_end(text, value)
}

/// Returns the end of the line on which `span` ends.
fn line_end(text: &str, span: Span) -> Option<usize> {
    let after = text.get(span.end..)?;
    Some(span.end + after.find(['\n', '\r'])?)
}
