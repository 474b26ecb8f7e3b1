//! Fields of the front matter of a task file: where the status is, and a command to add.

use serde_json::json;

use super::apply;
use super::place::insertion;
use crate::front_matter::{self, FrontMatter};
use crate::span::Span;
use crate::task::{TaskFile, TaskKey};
use crate::yaml::{self, Entry, Style, Tree, Value, YamlError};

/// The key `status` with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StatusField {
    /// The key.
    pub(crate) key: Span,
    /// From after the colon to the end of the value: includes leading white space, but
    /// no trailing white space.
    pub(crate) tail: Span,
    /// The value alone; empty without one.
    pub(crate) value: Span,
    /// How it is written; `None` for an array or a mapping.
    pub(crate) style: Option<Style>,
}

/// Returns the front matter of a file that may be a task file.
pub(crate) fn front_matter(text: &str) -> Result<Option<(FrontMatter, Tree<'_>)>, YamlError> {
    let Ok(Some(found)) = front_matter::find(text) else {
        return Ok(None);
    };
    let tree = yaml::parse_within(text, found.yaml, found.yaml_line)?;
    Ok(Some((found, tree)))
}

impl StatusField {
    /// Returns the status of the front matter, at any position.
    pub(crate) fn find(text: &str, tree: &Tree<'_>) -> Option<Self> {
        let entry = tree.root.get(TaskKey::Status.as_str())?;
        let (value, style) = match &entry.value.value {
            Value::Scalar(scalar) => (entry.value.place.span, Some(scalar.style)),
            Value::Sequence(_) | Value::Mapping(_) => (entry.value.place.span, None),
        };
        let written = value.slice(text)?.trim_end();
        let value = Span::new(value.start, value.start + written.len());
        let colon = behind_colon(text, entry)?;
        let end = if value.is_empty() { colon } else { value.end };
        Some(Self {
            key: entry.key_place.span,
            tail: Span::new(colon, end),
            value: if value.is_empty() {
                Span::empty(colon)
            } else {
                value
            },
            style,
        })
    }
}

/// Returns the offset after the colon between a key and its value.
///
/// It directly follows the key, except where `?` marks the key: then it is the
/// last one before the value.
fn behind_colon(text: &str, entry: &Entry<'_>) -> Option<usize> {
    let key_end = entry.key_place.span.end;
    let rest = text.get(key_end..)?;
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    if rest[blanks..].starts_with(':') {
        return Some(key_end + blanks + 1);
    }
    let between = text.get(key_end..entry.value.place.span.start)?;
    Some(key_end + between.rfind(':')? + 1)
}

/// Returns a task file with its first command; `None` when it has one, or is written such
/// that a change could alter more than the command.
///
/// ```
/// use review_document::add_command;
///
/// let changed = add_command("---\ntask: 3\nstatus: pending\n---\n", "npm test");
/// let expected = "---\ntask: 3\nstatus: pending\nbackpressure: \"npm test\"\n---\n";
/// assert_eq!(changed.as_deref(), Some(expected));
/// ```
pub fn add_command(source: &str, command: &str) -> Option<String> {
    let (found, tree) = front_matter(source).ok()??;
    if tree.root.get(TaskKey::Backpressure.as_str()).is_some() {
        return None;
    }
    // A JSON string is a YAML scalar in double quotes.
    let field = format!("{}: {}", TaskKey::Backpressure.as_str(), json!(command));
    let edit = insertion(
        source,
        &found,
        &tree,
        &field,
        &[TaskKey::Status, TaskKey::Task],
    )?;
    let changed = apply(source, &[edit]).ok()?;
    let commands = TaskFile::parse("", changed.as_str()).backpressure;
    matches!(&commands[..], [one] if one.value == command.trim()).then_some(changed)
}
