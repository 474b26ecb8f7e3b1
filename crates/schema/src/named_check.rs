//! The spellings of a check that an item names.

use review_types::{NamedCheck, TaskNumber};

use crate::parse::{Node, Value};

/// The key of the check that an item names.
pub(crate) const CHECK: &str = "check";

/// Returns the check that a value names: an object with the name of a rule, of a check
/// or with the number of a task, or a string with the name of a check. It decides
/// nothing alone, so that anything else is none.
pub(crate) fn named_check(value: &Node<'_>) -> Option<NamedCheck> {
    let text = |key: &str| value.get(key).and_then(Node::text);
    match &value.value {
        Value::Text(name) => NamedCheck::command(name),
        Value::Object(_) => text("rule")
            .and_then(NamedCheck::rule)
            .or_else(|| text(CHECK).and_then(NamedCheck::command))
            .or_else(|| value.get("task").and_then(task).map(NamedCheck::Task)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::List(_) => None,
    }
}

/// Returns the task of a number, which may be in a string.
fn task(value: &Node<'_>) -> Option<TaskNumber> {
    let digits = match &value.value {
        Value::Number(digits) => digits,
        Value::Text(text) => text.trim(),
        Value::Null | Value::Bool(_) | Value::List(_) | Value::Object(_) => return None,
    };
    TaskNumber::new(digits.parse().ok()?)
}
