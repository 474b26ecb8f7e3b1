//! Adds a command to a task file.

use serde_json::json;

use super::apply;
use super::field::front_matter;
use super::place::insertion;
use crate::task::{TaskFile, TaskKey};

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
