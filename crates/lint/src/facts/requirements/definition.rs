//! Definitions of requirements: an id and its statement.

use review_document::Span;

use super::RequirementId;

/// Characters that start emphasis, a bracket or code before an id.
const OPENING: [char; 4] = ['*', '_', '[', '`'];

/// Characters that end them.
const CLOSING: [char; 4] = ['*', '_', ']', '`'];

/// The maximum length in bytes of a note in brackets between an id and its statement.
const MAX_NOTE: usize = 40;

/// An id and its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Definition<'a> {
    pub(super) id: RequirementId<'a>,
    /// The statement; empty only in a heading.
    pub(super) text: Span,
}

/// Parses the definition at the start of a string at the byte `offset`.
///
/// An id without emphasis needs a colon, a full stop, a closing bracket or a dash after
/// it: `FR-1 and FR-2 apply` and `[FR-1](#fr-1)` only refer to requirements.
pub(super) fn definition(text: &str, offset: usize) -> Option<Definition<'_>> {
    let head = Head::read(text, offset)?;
    let bare = head.after_note();
    let separated = after_separator(bare);
    let statement = head.after_title(separated.unwrap_or(bare));
    let defines = separated.is_some() || (!head.marks.is_empty() && opens_sentence(bare));
    let names_another = RequirementId::parse(statement.trim_start_matches(OPENING), 0).is_some();
    let span = trimmed(statement, text, offset);
    (defines && !names_another && !span.is_empty()).then_some(Definition {
        id: head.id,
        text: span,
    })
}

/// Whether a string starts with a character that may precede an id.
pub(super) fn is_marked(text: &str) -> bool {
    after_box(text).starts_with(OPENING)
}

/// Parses the definition in a heading, where the statement is optional.
pub(super) fn in_heading(text: &str, offset: usize) -> Option<Definition<'_>> {
    let head = Head::read(text, offset)?;
    let bare = head.after_note();
    let separated = after_separator(bare);
    let statement = separated.unwrap_or(bare).trim_start_matches(CLOSING);
    let defines = bare.trim().is_empty() || separated.is_some() || opens_sentence(bare);
    defines.then(|| Definition {
        id: head.id,
        text: trimmed(statement, text, offset),
    })
}

/// Parses the id in a cell that holds nothing else.
pub(super) fn in_cell(text: &str, offset: usize) -> Option<RequirementId<'_>> {
    let head = Head::read(text, offset)?;
    head.after_note().trim().is_empty().then_some(head.id)
}

/// An id with the characters before it and what follows it.
struct Head<'a> {
    marks: &'a str,
    id: RequirementId<'a>,
    rest: &'a str,
}

impl<'a> Head<'a> {
    /// Parses an id that is not a link.
    fn read(text: &'a str, offset: usize) -> Option<Self> {
        let text_start = text.trim_start();
        let opened = after_box(text_start);
        let bare = opened.trim_start_matches(OPENING);
        let marks = &opened[..opened.len() - bare.len()];
        let id = RequirementId::parse(bare, offset + text.len() - bare.len())?;
        let rest = &bare[id.text.len()..];
        let is_link = marks.contains('[')
            && rest
                .split_once(']')
                .is_some_and(|(_, behind)| behind.starts_with(['(', '[']));
        (!is_link).then_some(Self { marks, id, rest })
    }

    /// What follows the id, its closing characters, and a note such as `(Must)`.
    fn after_note(&self) -> &'a str {
        let closed = self.rest.trim_start_matches(CLOSING);
        let text = closed.trim_start_matches(' ');
        let note = match text.chars().next() {
            Some('(') => text.find(')'),
            Some('[') => text.find(']'),
            _ => None,
        };
        match note {
            Some(end) if end < MAX_NOTE => &text[end + 1..],
            _ => closed,
        }
    }

    /// The statement without a title in the same emphasis as the id.
    fn after_title(&self, statement: &'a str) -> &'a str {
        let emphasis = self.marks.trim_end_matches(['[', '`']);
        let id_closes = self.rest.trim_start_matches([']', '`']);
        if emphasis.is_empty() || id_closes.starts_with(['*', '_']) {
            return statement;
        }
        let Some((_, behind)) = statement.split_once(emphasis) else {
            return statement;
        };
        let behind = after_separator(behind).unwrap_or(behind);
        if behind.trim().is_empty() {
            statement
        } else {
            behind
        }
    }
}

/// The span of `end`, the end of `text` at `offset`, without blanks and emphasis around
/// it.
fn trimmed(end: &str, text: &str, offset: usize) -> Span {
    let start = offset + text.len() - end.trim_start().len();
    let inner = end.trim().trim_end_matches(['*', '_']).trim_end();
    Span::new(start, start + inner.len())
}

/// What follows the box of a task list.
fn after_box(text: &str) -> &str {
    ["[ ] ", "[x] ", "[X] "]
        .iter()
        .find_map(|mark| text.strip_prefix(mark))
        .unwrap_or(text)
}

/// What follows the separator between an id and its statement.
fn after_separator(text: &str) -> Option<&str> {
    let text = text.trim_start_matches([' ', '\t']);
    let rest = text
        .strip_prefix([':', '.', ')', '—', '–'])
        .or_else(|| text.strip_prefix("- "))?;
    Some(rest)
}

/// Whether a statement may start here, as opposed to a continued sentence.
fn opens_sentence(text: &str) -> bool {
    let first = text.trim_start().chars().next();
    first.is_some_and(|c| c.is_uppercase() || "`\"“*<".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_an_id_and_a_statement() {
        let cases = [
            ("FR-1: Reads.", "Reads."),
            ("**FR-1**: Reads.", "Reads."),
            ("**FR-1:** Reads.", "Reads."),
            ("**FR-1** Reads.", "Reads."),
            ("[FR-1] Reads.", "Reads."),
            ("[FR-1]: Reads [a](b).", "Reads [a](b)."),
            ("**[FR-1]** Reads.", "Reads."),
            ("`FR-1` — Reads.", "Reads."),
            ("FR-1. Reads.", "Reads."),
            ("FR-1) Reads.", "Reads."),
            ("FR-1 - reads", "reads"),
            ("[x] FR-1: Reads.", "Reads."),
            ("**FR-1** (Must): Reads.", "Reads."),
            ("FR-1 [P0]: Reads.", "Reads."),
            ("**FR-1: Input**: Reads.", "Reads."),
            ("**FR-1 Input** Reads.", "Reads."),
            ("**FR-1: Input**", "Input"),
            ("*FR-1* `x` reads.", "`x` reads."),
            ("FR-1: reads **x**", "reads **x"),
            ("**FR-1: never closed", "never closed"),
        ];
        for (text, statement) in cases {
            let found = definition(text, 5).unwrap_or_else(|| panic!("{text}"));
            let moved = format!("12345{text}");
            assert_eq!(found.id.span.slice(&moved), Some("FR-1"), "{text}");
            assert_eq!(found.text.slice(&moved), Some(statement), "{text}");
            assert_eq!(
                is_marked(text),
                !text.starts_with(['F', '[']) || text.starts_with("[F")
            );
        }
    }

    #[test]
    fn a_reference_to_a_requirement_is_not_a_definition() {
        for text in [
            "FR-1",
            "FR-1:",
            "**FR-1**",
            "FR-1 is met.",
            "FR-1 Reads.",
            "**FR-1** and **FR-2** are met.",
            "**FR-1, FR-2**: met",
            "FR-1, FR-2: met",
            "**FR-1** - **FR-4**: met",
            "FR-1 - FR-4: met",
            "[FR-1](#fr-1): Reads.",
            "[FR-1][1]: Reads.",
            "Meets FR-1: all.",
            "",
        ] {
            assert_eq!(definition(text, 0), None, "{text}");
        }
    }

    #[test]
    fn a_heading_may_consist_of_the_id() {
        for (text, statement) in [
            ("FR-1", ""),
            ("FR-1: Input", "Input"),
            ("FR-1 Input", "Input"),
            ("[FR-1] Input", "Input"),
            ("**FR-1** input", "none"),
            ("FR-1 and FR-2", "none"),
        ] {
            let seen = in_heading(text, 0).and_then(|found| found.text.slice(text));
            assert_eq!(seen.unwrap_or("none"), statement, "{text}");
        }
    }

    #[test]
    fn a_cell_consists_of_the_id() {
        for text in [" FR-1 ", "**FR-1**", "`FR-1` (Must)"] {
            assert_eq!(in_cell(text, 0).map(|id| id.number), Some(1), "{text}");
        }
        for text in ["FR-1, FR-2", "[FR-1](#fr-1)", "FR-1 Input", "", "yes"] {
            assert_eq!(in_cell(text, 0), None, "{text}");
        }
    }
}
