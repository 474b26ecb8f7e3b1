//! Adds a dependency to a task file.

use review_types::TaskNumber;

use super::field::{behind_colon, front_matter};
use super::place::{insertion, line_end};
use super::{Edit, apply};
use crate::span::Span;
use crate::task::{TaskFile, TaskKey};
use crate::yaml::{Entry, Node, Value};

/// Returns the edit that adds `number` to the `depends_on` of a task file.
///
/// The array keeps its form, and its order if it is sorted; a missing key is
/// added after the command. `None` when the file already has the number, or
/// is written such that a change could alter more than the array.
///
/// ```
/// use review_document::{add_dependency, apply};
/// use review_types::TaskNumber;
///
/// let source = "---\ntask: 3\ndepends_on: [1] # the types\n---\n";
/// let edit = TaskNumber::new(2).and_then(|two| add_dependency(source, two));
/// let changed = apply(source, edit.as_slice())?;
/// assert_eq!(changed, "---\ntask: 3\ndepends_on: [1, 2] # the types\n---\n");
/// # Ok::<(), review_document::EditError>(())
/// ```
pub fn add_dependency(source: &str, number: TaskNumber) -> Option<Edit> {
    let before = numbers(source);
    if before.contains(&number) {
        return None;
    }
    let (found, tree) = front_matter(source).ok()??;
    let edit = match tree.root.get(TaskKey::DependsOn.as_str()) {
        Some(entry) => addition(source, entry, number),
        None => {
            let behind = [TaskKey::Backpressure, TaskKey::Status, TaskKey::Task];
            let field = format!("depends_on: [{number}]");
            insertion(source, &found, &tree, &field, &behind)
        }
    }?;
    let changed = apply(source, std::slice::from_ref(&edit)).ok()?;
    let after = numbers(&changed);
    let kept = before.iter().all(|number| after.contains(number));
    (kept && after.len() == before.len() + 1 && after.contains(&number)).then_some(edit)
}

fn numbers(source: &str) -> Vec<TaskNumber> {
    let task = TaskFile::parse("", source);
    task.depends_on.iter().map(|listed| listed.value).collect()
}

fn addition(source: &str, entry: &Entry<'_>, number: TaskNumber) -> Option<Edit> {
    let node = &entry.value;
    let span = node.place.span;
    match &node.value {
        Value::Sequence(items) if span.slice(source)?.starts_with('[') => {
            Some(in_brackets(span, items, number))
        }
        Value::Sequence(items) => in_lines(source, items, number),
        Value::Scalar(_) if node.is_null() && span.is_empty() => Some(Edit {
            span: Span::empty(behind_colon(source, entry)?),
            text: format!(" [{number}]"),
        }),
        Value::Scalar(_) if node.is_null() => Some(Edit {
            span,
            text: format!("[{number}]"),
        }),
        Value::Scalar(_) | Value::Mapping(_) => None,
    }
}

/// Inserts before the first larger number, or after the last one.
fn in_brackets(list: Span, items: &[Node<'_>], number: TaskNumber) -> Edit {
    let larger = |item: &&Node<'_>| value(item).is_some_and(|value| value > number.get());
    let (at, text) = match (items.iter().find(larger), items.last()) {
        (Some(next), _) => (next.place.span.start, format!("{number}, ")),
        (None, Some(last)) => (last.place.span.end, format!(", {number}")),
        (None, None) => (list.start + 1, number.to_string()),
    };
    Edit {
        span: Span::empty(at),
        text,
    }
}

/// Inserts on a separate line after the last item.
fn in_lines(source: &str, items: &[Node<'_>], number: TaskNumber) -> Option<Edit> {
    let last = items.last()?.place.span;
    let before = source.get(..last.start)?;
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let bullet = &before[line..];
    let end = line_end(source, last)?;
    let line_break = if source[end..].starts_with('\r') {
        "\r\n"
    } else {
        "\n"
    };
    (bullet.trim() == "-").then(|| Edit {
        span: Span::empty(end),
        text: format!("{line_break}{bullet}{number}"),
    })
}

fn value(item: &Node<'_>) -> Option<u32> {
    item.scalar()?.text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(lines: &str, number: u32) -> Option<String> {
        let source = format!("---\n{lines}\n---\n# T\n");
        let edit = add_dependency(&source, TaskNumber::new(number)?)?;
        let changed = apply(&source, &[edit]).ok()?;
        let inner = changed
            .strip_prefix("---\n")?
            .strip_suffix("\n---\n# T\n")?;
        Some(inner.to_owned())
    }

    #[test]
    fn a_number_is_added_in_the_form_of_the_array() {
        for (before, after) in [
            ("task: 9\ndepends_on: []", "task: 9\ndepends_on: [3]"),
            (
                "task: 9\ndepends_on: [ ] # x",
                "task: 9\ndepends_on: [3 ] # x",
            ),
            ("task: 9\ndepends_on: [1]", "task: 9\ndepends_on: [1, 3]"),
            (
                "task: 9\ndepends_on: [1, 4]",
                "task: 9\ndepends_on: [1, 3, 4]",
            ),
            (
                "task: 9\ndepends_on: [ 4 ]",
                "task: 9\ndepends_on: [ 3, 4 ]",
            ),
            (
                "task: 9\ndepends_on: [1,\n  2]",
                "task: 9\ndepends_on: [1,\n  2, 3]",
            ),
            (
                "depends_on:\n- 1\ntask: 9",
                "depends_on:\n- 1\n- 3\ntask: 9",
            ),
            (
                "task: 9\ndepends_on:\n  - 1\n  - 2 # x",
                "task: 9\ndepends_on:\n  - 1\n  - 2 # x\n  - 3",
            ),
            (
                "task: 9\r\ndepends_on:\r\n  - 1\r",
                "task: 9\r\ndepends_on:\r\n  - 1\r\n  - 3\r",
            ),
            ("task: 9\ndepends_on:", "task: 9\ndepends_on: [3]"),
            ("task: 9\ndepends_on: null", "task: 9\ndepends_on: [3]"),
            (
                "task: 9\nbackpressure: x\nstatus: pending",
                "task: 9\nbackpressure: x\ndepends_on: [3]\nstatus: pending",
            ),
            (
                "status: pending\ntask: 9\nbackpressure:\n  - x",
                "status: pending\ndepends_on: [3]\ntask: 9\nbackpressure:\n  - x",
            ),
            ("task: 9", "task: 9\ndepends_on: [3]"),
            ("{task: 9}", "{depends_on: [3], task: 9}"),
        ] {
            assert_eq!(added(before, 3).as_deref(), Some(after), "{before}");
        }
    }

    #[test]
    fn nothing_is_added_if_it_would_not_fit() {
        for before in [
            "task: 9\ndepends_on: [1, 3]",
            "task: 9\ndepends_on: 1",
            "task: 9\ndepends_on: {a: 1}",
            "task: 9\ndepends_on: [",
        ] {
            assert_eq!(added(before, 3), None, "{before}");
        }
        assert_eq!(
            TaskNumber::new(3).and_then(|three| add_dependency("# T\n", three)),
            None
        );
    }
}
