//! Counts in messages.

/// Renders a count with its noun: `plural(1, "task", "tasks")` is `1 task`,
/// every other count takes the second form.
#[must_use]
pub fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
