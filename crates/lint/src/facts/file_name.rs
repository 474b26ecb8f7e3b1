//! The task file named in a table cell.

use review_document::markdown::{Cell, inside};
use review_document::workspace::Document;
use review_document::{Span, markdown_stem};

/// A task file named in a table cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileName<'a> {
    /// The file as written, with its folders.
    pub(crate) path: &'a str,
    /// The cell.
    pub(crate) span: Span,
}

impl<'a> FileName<'a> {
    /// The target of the cell's link, or its only word.
    pub(crate) fn of(cell: &'a Cell, document: &'a Document) -> Option<Self> {
        let path = match inside(&document.outline.links, cell.span, |link| link.span).first() {
            Some(link) => link.target.split('#').next().unwrap_or_default(),
            None => &cell.text,
        };
        let name = path.rsplit('/').next().unwrap_or_default();
        is_task_name(name).then_some(Self {
            path,
            span: cell.span,
        })
    }

    /// The name of the file, with its extension.
    pub(crate) fn name(&self) -> String {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        match markdown_stem(name) {
            Some(_) => name.to_owned(),
            None => format!("{name}.md"),
        }
    }
}

/// Whether a word is the name of a task file, such as `02-schema.md`, with or without
/// the extension.
fn is_task_name(name: &str) -> bool {
    let rest = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    let stem = markdown_stem(name);
    let speaks = rest.starts_with(['-', '_'])
        && rest[1..].starts_with(char::is_alphabetic)
        && (stem.is_some() || !rest.contains('.'));
    let is_bare = stem.is_some_and(|stem| stem.bytes().all(|byte| byte.is_ascii_digit()));
    rest.len() < name.len() && name.chars().all(is_name) && (speaks || is_bare)
}

#[cfg(test)]
mod tests {
    use review_document::workspace::DocumentRole;

    use super::*;

    #[test]
    fn a_link_in_a_cell_names_its_file_with_and_without_blanks_around_it() {
        for row in [
            "|[one](01-a.md)|[two](02-b.md)|",
            "| [one](01-a.md) | [two](02-b.md) |",
        ] {
            let text = format!("| A | B |\n|---|---|\n{row}\n");
            let document = Document::parse("plan.md", DocumentRole::Plan, text);
            let table = document.outline.tables.first().unwrap();
            let cells = table.rows.iter().flatten();
            let names = cells.map(|cell| FileName::of(cell, &document));
            let names: Vec<_> = names.map(|name| name.map(|name| name.name())).collect();
            let expected = ["01-a.md", "02-b.md"].map(|name| Some(name.to_owned()));
            assert_eq!(names, expected, "{row}");
        }
    }

    #[test]
    fn a_task_name_has_a_number_and_a_word_or_an_extension() {
        for name in ["01-a.md", "1_b.MD", "7.md", "03-schema", "10-a-b-2.md"] {
            assert!(is_task_name(name), "{name}");
        }
        for name in [
            "",
            "a.md",
            "01",
            "-a.md",
            "2024-01-02",
            "1-5",
            "3.5",
            "01-a.go",
            "01 a.md",
            "1a.md",
        ] {
            assert!(!is_task_name(name), "{name}");
        }
    }
}
