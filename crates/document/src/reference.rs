//! Lines that name another file: `**Parent spec**: `specs/X.md``.

use crate::span::Span;

/// Marks of emphasis, lists, quotes and headings that may surround a label.
const MARKS: [char; 9] = ['*', '_', '-', '>', '#', '+', ' ', '\t', ':'];

/// Returns the offset after `label` when a line of `text` starts with it, ignoring
/// case.
pub(crate) fn after_label(text: &str, line: Span, label: &str) -> Option<usize> {
    let bare = line.slice(text)?.trim_start_matches(MARKS);
    let head = bare.get(..label.len())?;
    head.eq_ignore_ascii_case(label)
        .then(|| line.end - bare.len() + label.len())
}

/// Returns whether a heading with this content would name a parent spec.
pub(crate) fn is_labelled(text: &str) -> bool {
    after_label(text, Span::new(0, text.len()), "parent spec").is_some()
}

/// Returns the file that is named after a label, on its line or, if that is empty,
/// on the next one.
pub(crate) fn target(text: &str, offset: usize) -> Option<Span> {
    let (rest, start) = skip(text, offset);
    let (rest, start) = match rest
        .strip_prefix("\r\n")
        .or(rest.strip_prefix(['\n', '\r']))
    {
        Some(next) => skip(text, start + rest.len() - next.len()),
        None => (rest, start),
    };
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    let inside = |open: usize, length: usize| Span::new(start + open, start + open + length);
    let span = if let Some(code) = line.strip_prefix('`') {
        inside(1, code.find('`')?)
    } else if let Some(middle) = line.starts_with('[').then(|| line.find("](")).flatten() {
        let link = middle + 2;
        inside(link, line[link..].find(')')?)
    } else {
        let word = line.split_whitespace().next()?;
        inside(0, word.trim_end_matches([',', ';', '.']).len())
    };
    let named = span.slice(text)?.trim();
    let nothing = ["", "-", "none", "n/a"];
    (!nothing.iter().any(|word| named.eq_ignore_ascii_case(word))).then_some(span)
}

fn skip(text: &str, offset: usize) -> (&str, usize) {
    let rest = text.get(offset..).unwrap_or_default();
    let trimmed = rest.trim_start_matches(MARKS);
    (trimmed, text.len() - trimmed.len())
}

/// Returns the file name at the end of a reference, without an anchor.
pub(crate) fn base_name(reference: &str) -> &str {
    let path = reference.split('#').next().unwrap_or_default();
    path.rsplit(['/', '\\']).next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Option<&str> {
        let line = Span::new(0, text.find(['\n', '\r']).unwrap_or(text.len()));
        target(text, after_label(text, line, "parent spec")?)?.slice(text)
    }

    #[test]
    fn a_label_names_a_file_in_many_forms() {
        for (text, expected) in [
            ("**Parent spec**: `/specs/GIT.md`", Some("/specs/GIT.md")),
            ("Parent Spec: specs/GIT.md, see there", Some("specs/GIT.md")),
            (
                "- **Parent spec:** [GIT](/specs/GIT.md#x)",
                Some("/specs/GIT.md#x"),
            ),
            ("> Parent spec: `a b.md` **Task**: #1", Some("a b.md")),
            ("**Parent spec**:\r\n`/specs/GIT.md`", Some("/specs/GIT.md")),
            ("**Parent spec**:\n\n`/specs/GIT.md`", None),
            ("**Parent spec**: None", None),
            ("**Parent spec**: -", None),
            ("**Parent spec**: `open", None),
            ("**Parent spec**:", None),
            ("The parent spec: `x`", None),
            ("Pär", None),
        ] {
            assert_eq!(named(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_base_name_has_no_folder_and_no_anchor() {
        for (reference, name) in [
            ("/specs/GIT.md", "GIT.md"),
            ("GIT.md#goals", "GIT.md"),
            (r"C:\x\GIT.md", "GIT.md"),
            ("specs/", ""),
        ] {
            assert_eq!(base_name(reference), name);
        }
    }
}
