//! Quoted spans.

/// What a byte of a quoted span becomes: neither a letter nor a blank, and no
/// end of a clause.
const BLANKED: u8 = b'#';

/// The text with every quoted span blanked, so that places stay what they are.
/// A quote that nothing closes is a character like any other.
pub(super) fn blanked(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut open_for_good = [false; MARKS.len()];
    let mut rest = text;
    while let Some((at, mark)) = next_opening(text, text.len() - rest.len(), &open_for_good) {
        let (opening, closing) = MARKS[mark];
        let inside = at + opening.len_utf8();
        let from = text.len() - rest.len();
        match closing_of(text, inside, closing) {
            Some(end) => {
                kept.push_str(text.get(from..at).unwrap_or_default());
                kept.extend(std::iter::repeat_n(char::from(BLANKED), end - at));
                rest = text.get(end..).unwrap_or_default();
            }
            None => {
                open_for_good[mark] = true;
                kept.push_str(text.get(from..inside).unwrap_or_default());
                rest = text.get(inside..).unwrap_or_default();
            }
        }
    }
    kept.push_str(rest);
    kept
}

const MARKS: [(char, char); 5] = [
    ('`', '`'),
    ('"', '"'),
    ('\'', '\''),
    ('\u{201c}', '\u{201d}'),
    ('\u{2018}', '\u{2019}'),
];

/// The next quote from byte `from` on that something may close.
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

/// The end of the span whose inside begins at byte `inside`. An apostrophe
/// before a letter closes nothing.
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
