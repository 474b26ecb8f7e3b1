//! List items that start with a file.

use review_document::Span;

use super::mark::{first_word, kind_of};
use super::{Deliverable, DeliverableKind, word};

/// A list item that may start with a file.
pub(super) struct Item<'a> {
    /// The action on the file.
    pub(super) kind: DeliverableKind,
    /// Whether the action is marked as in `- Create: a.go`.
    pub(super) is_marked: bool,
    /// The item after its bullet.
    pub(super) span: Span,
    rest: &'a str,
}

impl<'a> Item<'a> {
    /// Parses a line that starts at the byte `start`.
    pub(super) fn read(line: &'a str, start: usize) -> Option<Self> {
        let text = item(line)?;
        let bare = text.trim_start_matches(['*', '_']);
        let (first, rest) = first_word(bare);
        let rest = rest.trim_start_matches(['*', '_']);
        let (kind, rest, is_marked) = match kind_of(first) {
            Some(kind) if rest.starts_with(':') => (kind, &rest[1..], true),
            Some(kind) if rest.starts_with(' ') => (kind, rest, false),
            _ => (DeliverableKind::Unsaid, text, false),
        };
        let begin = start + (line.len() - text.len());
        Some(Self {
            kind,
            is_marked,
            span: Span::new(begin, begin + text.trim_end().len()),
            rest,
        })
    }

    /// The file that the item starts with, optionally after its action.
    pub(super) fn deliverable(&self, kind: DeliverableKind) -> Option<Deliverable<'a>> {
        Some(Deliverable::new(self.file()?, kind, self.span))
    }

    fn file(&self) -> Option<&'a str> {
        let rest = self.rest.trim_start_matches([' ', '*', '_']);
        let rest = rest.strip_prefix("file ").unwrap_or(rest);
        word::file(first_path(rest)?)
    }
}

/// The content of a list item, after its bullet and its box.
fn item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if !line.starts_with(|c: char| matches!(c, '0'..='9' | '-' | '*' | '+')) {
        return None;
    }
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = if numbered.len() < line.len() {
        numbered
            .strip_prefix(". ")
            .or_else(|| numbered.strip_prefix(") "))?
    } else {
        line.strip_prefix(['-', '*', '+'])?.strip_prefix(' ')?
    };
    let text = text.trim_start();
    let boxed = text
        .strip_prefix("[ ] ")
        .or_else(|| text.strip_prefix("[x] "));
    Some(boxed.unwrap_or(text).trim_start())
}

/// The first word of a string: code, the content of a link, or plain.
fn first_path(text: &str) -> Option<&str> {
    if let Some(code) = text.strip_prefix('`') {
        return code.split_once('`').map(|(code, _)| code);
    }
    if let Some(link) = text.strip_prefix('[') {
        let name = link.split_once(']').map(|(name, _)| name)?;
        return Some(name.trim_matches('`'));
    }
    let end = |c: char| c.is_whitespace() || c == '*';
    text.split(end).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use DeliverableKind::{Create, Modify, Unsaid};

    fn seen(line: &str) -> Option<(&str, DeliverableKind, bool)> {
        let item = Item::read(line, 0)?;
        Some((item.file()?, item.kind, item.is_marked))
    }

    #[test]
    fn an_item_starts_with_its_file() {
        for (line, path, kind, is_marked) in [
            ("- `a/b.go`: the parser", "a/b.go", Unsaid, false),
            ("* a/b.go - the parser", "a/b.go", Unsaid, false),
            ("1. **a/b.go** parses", "a/b.go", Unsaid, false),
            ("- [ ] `a/b.go`", "a/b.go", Unsaid, false),
            ("+ [a/b.go](x)", "a/b.go", Unsaid, false),
            ("- Create: `a/b.go`", "a/b.go", Create, true),
            ("- **Create**: `a/b.go`", "a/b.go", Create, true),
            ("- **Modify:** `a/b.go:1-9`", "a/b.go", Modify, true),
            ("  12) Update a/b.go with x", "a/b.go", Modify, false),
            ("- [x] Create file `a/b.go`", "a/b.go", Create, false),
        ] {
            assert_eq!(seen(line), Some((path, kind, is_marked)), "{line}");
        }
    }

    #[test]
    fn other_lines_name_no_file() {
        for line in [
            "`a/b.go`",
            "-a/b.go",
            "- the parser of `a/b.go`",
            "- Create a struct in `a/b.go`",
            "- Created: never",
            "1.5 a/b.go",
            "- `a/b.go",
            "- [a/b.go",
            "-",
            "",
        ] {
            assert_eq!(seen(line), None, "{line}");
        }
    }

    #[test]
    fn an_item_has_its_span() {
        let item = Item::read("  - [ ] Create: `a.go` \r", 10).expect("an item");
        assert_eq!(item.span, Span::new(18, 32));
    }
}
