//! How backends are written: `NAME` or `NAME:ARG`, and commas between several.

use review_text::near::nearest;

use crate::row::{BackendRow, backends};

/// The name that was probably meant by an unknown one.
pub(crate) fn meant(name: &str) -> Option<&'static str> {
    let near = nearest(name, backends().map(|row| row.name), 1);
    near.first().copied()
}

/// How the chosen backends are written, for people: `a, b or c`.
pub(crate) fn written(is_chosen: impl Fn(&BackendRow) -> bool) -> String {
    let chosen = backends().filter(|row| is_chosen(row));
    let mut all: Vec<_> = chosen.map(BackendRow::written).collect();
    let last = all.pop().unwrap_or_default();
    format!("{} or {last}", all.join(", "))
}

/// Splits a chain at the commas that a name follows: a comma inside the
/// arguments of a command is not one of the chain.
pub(crate) fn members(text: &str) -> Vec<&str> {
    let mut members = Vec::new();
    let mut start = 0;
    for (comma, _) in text.match_indices(',') {
        let in_command = ["cmd", "acp"].contains(&name_of(&text[start..comma]));
        if !in_command || is_name(name_of(&text[comma + 1..])) {
            members.push(text[start..comma].trim());
            start = comma + 1;
        }
    }
    members.push(text[start..].trim());
    members
}

fn is_name(name: &str) -> bool {
    backends().any(|row| row.name == name)
}

fn name_of(member: &str) -> &str {
    let end = member.find([':', ',']).unwrap_or(member.len());
    member[..end].trim()
}
