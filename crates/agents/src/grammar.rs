//! How backends are written: `NAME` or `NAME:ARG`, and commas between several.

use review_document::near::nearest;

use crate::row::BackendRow;
use crate::rows::backends;

/// The names that are reserved and that this version cannot start.
const NOT_HERE: &[&str] = &["acp"];

/// The reserved name that equals `name`.
pub(crate) fn not_here(name: &str) -> Option<&'static str> {
    NOT_HERE.iter().copied().find(|known| *known == name)
}

/// The name that was probably meant by an unknown one.
pub(crate) fn meant(name: &str) -> Option<&'static str> {
    let known = backends().map(|row| row.name);
    let near = nearest(name, known.chain(NOT_HERE.iter().copied()), 1);
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
        let in_command = name_of(&text[start..comma]) == "cmd";
        if !in_command || is_name(name_of(&text[comma + 1..])) {
            members.push(text[start..comma].trim());
            start = comma + 1;
        }
    }
    members.push(text[start..].trim());
    members
}

fn is_name(name: &str) -> bool {
    backends().any(|row| row.name == name) || not_here(name).is_some()
}

fn name_of(member: &str) -> &str {
    let end = member.find([':', ',']).unwrap_or(member.len());
    member[..end].trim()
}
