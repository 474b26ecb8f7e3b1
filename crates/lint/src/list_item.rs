//! Items of lists in front matter.

use review_document::Span;

use crate::finding::{Fix, Safety};

/// Removes an item of a list, in brackets or on its own line, or the single value that
/// is used instead of a list.
pub(crate) fn without(source: &str, item: Span) -> Option<Fix> {
    in_brackets(source, item)
        .or_else(|| on_a_line(source, item))
        .or_else(|| alone(source, item))
}

/// Removes an item and one of its commas.
fn in_brackets(source: &str, item: Span) -> Option<Fix> {
    let before = source.get(..item.start)?.trim_end_matches([' ', '\t']);
    let after = source.get(item.end..)?;
    let behind = after.len() - after.trim_start_matches([' ', '\t']).len();
    let next = after[behind..].chars().next();
    let span = match (before.chars().next_back(), next) {
        (Some(','), Some(',' | ']')) => Span::new(before.len() - 1, item.end),
        (Some('['), Some(',')) => {
            let rest = &after[behind + 1..];
            let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            Span::new(item.start, item.end + behind + 1 + blank)
        }
        (Some('['), Some(']')) => item,
        _ => return None,
    };
    Some(Fix::one(Safety::Unsafe, span, ""))
}

/// Removes the line of an item, or replaces the only item with an empty list.
fn on_a_line(source: &str, item: Span) -> Option<Fix> {
    let (line, behind) = line_around(source, item)?;
    let bullet = source.get(line..item.start)?;
    if bullet.trim() != "-" {
        return None;
    }
    let is_sibling = |line: &str| {
        let indent = bullet.len() - bullet.trim_start().len();
        let other = line.len() - line.trim_start_matches(' ').len();
        other == indent && line[other..].starts_with("- ")
    };
    let above = source[..line].trim_end_matches(['\r', '\n']);
    let last = above.rsplit('\n').next().unwrap_or_default();
    let next = source[behind..].split('\n').next().unwrap_or_default();
    if is_sibling(last) || is_sibling(next) {
        return Some(Fix::one(Safety::Unsafe, Span::new(line, behind), ""));
    }
    let end = behind - line_break(&source[..behind]);
    let span = Span::new(above.len(), end);
    last.ends_with(':')
        .then(|| Fix::one(Safety::Unsafe, span, " []"))
}

/// Replaces the value of a key with an empty list.
fn alone(source: &str, item: Span) -> Option<Fix> {
    let (line, _) = line_around(source, item)?;
    let key = source.get(line..item.start)?.trim_end().strip_suffix(':')?;
    let is_key = key
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    is_key.then(|| Fix::one(Safety::Unsafe, item, "[]"))
}

/// The start of the line of an item, and of the next line; `None` if anything but a
/// comment follows the item.
fn line_around(source: &str, item: Span) -> Option<(usize, usize)> {
    let line = source.get(..item.start)?.rfind('\n').map_or(0, |at| at + 1);
    let after = source.get(item.end..)?;
    let end = after.find('\n')?;
    let rest = after[..end].trim();
    (rest.is_empty() || rest.starts_with('#')).then_some((line, item.end + end + 1))
}

/// The length of the line break at the end of a string.
fn line_break(text: &str) -> usize {
    text.len() - text.trim_end_matches(['\r', '\n']).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(source: &str) -> Option<String> {
        let at = source.find('2')?;
        let fix = without(source, Span::new(at, at + 1))?;
        review_document::apply(source, &fix.edits).ok()
    }

    #[test]
    fn an_item_is_removed_with_its_comma_or_line() {
        for (before, after) in [
            ("d: [1, 2]\n", "d: [1]\n"),
            ("d: [2 , 1]\n", "d: [1]\n"),
            ("d: [2]\n", "d: []\n"),
            ("d:\n  - 1\n  - 2\nt: 1\n", "d:\n  - 1\nt: 1\n"),
            ("d:\r\n- 2 # x\r\n- 1\r\n", "d:\r\n- 1\r\n"),
            ("d:\r\n- 2\r\nt: 1\r\n", "d: []\r\nt: 1\r\n"),
            ("d:\n  - 2\n- 1\n", "d: []\n- 1\n"),
            ("d_e: 2 # x\n", "d_e: [] # x\n"),
        ] {
            assert_eq!(fixed(before).as_deref(), Some(after), "{before}");
        }
    }

    #[test]
    fn an_item_in_another_form_is_kept() {
        for source in [
            "d: # x\n  - 2\n",
            "- d: 2 x\n",
            "x 2\n",
            "- - 2\n",
            "D: 2\n",
            "d: 2",
        ] {
            assert_eq!(fixed(source), None, "{source}");
        }
    }
}
