//! Words by which a line marks the action on its file.

use super::DeliverableKind;

/// Returns the action that a word stands for.
pub(super) fn kind_of(word: &str) -> Option<DeliverableKind> {
    match word.to_ascii_lowercase().as_str() {
        "create" | "created" | "creates" | "new" => Some(DeliverableKind::Create),
        "modify" | "modified" | "modifies" | "update" | "updated" | "updates" | "change"
        | "changed" | "changes" | "edit" | "edited" | "extend" | "extended" | "rewrite"
        | "delete" | "deleted" | "remove" | "removed" | "rename" | "renamed" => {
            Some(DeliverableKind::Modify)
        }
        _ => None,
    }
}

/// Returns the action in the note after a file.
///
/// Only a word in the form of a mark counts: in capitals, before a colon, alone, or
/// before `file`. `update.go # Update command` has none.
pub(super) fn of_note(note: &str) -> Option<DeliverableKind> {
    let note = note.trim_matches(|c: char| !c.is_alphanumeric() && c != ':');
    let (word, rest) = first_word(note);
    let rest = rest.trim_start();
    let capitals = word.len() > 1 && word.chars().all(char::is_uppercase);
    let is_mark = capitals
        || rest.is_empty()
        || rest.starts_with(':')
        || first_word(rest).0.eq_ignore_ascii_case("file");
    kind_of(word).filter(|_| is_mark)
}

/// The leading letters of a string, and the rest.
pub(super) fn first_word(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use DeliverableKind::{Create, Modify};

    #[test]
    fn only_a_word_in_the_form_of_a_mark_counts() {
        for (note, kind) in [
            ("# CREATE: the parser", Some(Create)),
            ("# CREATE the parser", Some(Create)),
            ("// NEW", Some(Create)),
            ("(new)", Some(Create)),
            ("<- new file", Some(Create)),
            ("# Create: x", Some(Create)),
            ("[MODIFY]", Some(Modify)),
            ("# UPDATE: x", Some(Modify)),
            ("# deleted", Some(Modify)),
            ("# Create command implementation", None),
            ("# Update command", None),
            ("# new types", None),
            ("# ADD: methods", None),
            ("# Worker struct", None),
            ("# X", None),
            ("", None),
        ] {
            assert_eq!(of_note(note), kind, "{note}");
        }
    }
}
