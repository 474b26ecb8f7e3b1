//! Quoted spans.

use std::ops::Range;

/// The replacement for a byte of a quoted span: neither a letter nor a blank, and not
/// the end of a clause.
const BLANKED: u8 = b'#';

/// Returns the string with every quoted span blanked, so that positions are unchanged.
pub(crate) fn blanked(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans(text) {
        kept.push_str(text.get(from..span.start).unwrap_or_default());
        kept.extend(std::iter::repeat_n(char::from(BLANKED), span.len()));
        from = span.end;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    kept
}

/// Returns the quoted spans of a string in order, with their quotes. An unclosed quote is
/// an ordinary character.
pub(crate) fn spans(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut open_for_good = [false; MARKS.len()];
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let (at, mark) = next_opening(text, from, &open_for_good)?;
            let (opening, closing) = MARKS[mark];
            let inside = at + opening.len_utf8();
            if let Some(end) = closing_of(text, inside, closing) {
                from = end;
                return Some(at..end);
            }
            open_for_good[mark] = true;
            from = inside;
        }
    })
}

const MARKS: [(char, char); 5] = [
    ('`', '`'),
    ('"', '"'),
    ('\'', '\''),
    ('\u{201c}', '\u{201d}'),
    ('\u{2018}', '\u{2019}'),
];

/// The next quote from byte `from` on that may be closed.
fn next_opening(text: &str, from: usize, never: &[bool; MARKS.len()]) -> Option<(usize, usize)> {
    let rest = text.get(from..)?;
    rest.char_indices().find_map(|(offset, c)| {
        let at = from + offset;
        let mark = MARKS.iter().position(|(opening, _)| *opening == c)?;
        let inside_word = text
            .get(..at)
            .is_some_and(|before| before.ends_with(char::is_alphanumeric));
        let is_apostrophe = c == '\'' && inside_word;
        (!never[mark] && !is_apostrophe).then_some((at, mark))
    })
}

/// The end of the span whose content starts at byte `inside`. An apostrophe before a
/// letter is not a closing quote.
fn closing_of(text: &str, inside: usize, closing: char) -> Option<usize> {
    let rest = text.get(inside..)?;
    rest.match_indices(closing).find_map(|(offset, mark)| {
        let end = inside + offset + mark.len();
        let is_apostrophe = matches!(closing, '\'' | '\u{2019}')
            && text
                .get(end..)
                .is_some_and(|behind| behind.starts_with(char::is_alphanumeric));
        (!is_apostrophe).then_some(end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_spans_are_found_with_their_quotes() {
        let text = "a `b` \"c d\" e's \"f";
        let found: Vec<_> = spans(text).map(|span| &text[span]).collect();
        assert_eq!(found, ["`b`", "\"c d\""]);
    }

    #[test]
    fn quoted_spans_are_blanked_in_place() {
        for (text, expected) in [
            ("a `b` c", "a ### c"),
            ("say \"x y\" and \"z", "say ##### and \"z"),
            ("don't say 'it's so' again", "don't say ######### again"),
            ("the users' data of 'x'", "the users' data of ###"),
            ("\u{201c}ä\u{201d} ‘b’", "######## #######"),
            ("``` x ```", "#########"),
            ("", ""),
        ] {
            let blank = blanked(text);
            assert_eq!(blank, expected, "{text}");
            assert_eq!(blank.len(), text.len());
        }
    }
}
