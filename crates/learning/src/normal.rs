//! Normalization of text for the phrase search.

/// The number of bytes that are searched: a correction comes at the start of a prompt.
const MAX_SEARCHED: usize = 600;

/// Returns the words in lower case, with one space around each word and without
/// quotations and code.
pub(crate) fn normal(text: &str) -> String {
    let end = text.floor_char_boundary(MAX_SEARCHED.min(text.len()));
    let text = without_code(&text[..end])
        .to_lowercase()
        .replace('\u{2019}', "'");
    let mut words = String::with_capacity(text.len() + 2);
    words.push(' ');
    let is_part = |character: char| character.is_alphanumeric() || character == '\'';
    for word in text.split(|character| !is_part(character)) {
        let word = word.trim_matches('\'');
        if !word.is_empty() {
            words.push_str(word);
            words.push(' ');
        }
    }
    words
}

/// Whether a normalized text contains the words of a phrase, one after the other.
pub(crate) fn contains(said: &str, phrase: &str) -> bool {
    said.match_indices(phrase).any(|(start, _)| {
        let bytes = said.as_bytes();
        let end = start + phrase.len();
        bytes[start.saturating_sub(1)] == b' ' && bytes.get(end) == Some(&b' ')
    })
}

/// Returns the words without what is in backticks or double quotes.
fn without_code(text: &str) -> String {
    without(&without(text, '`'), '"')
}

/// Returns the words without what is between pairs of `mark`.
fn without(text: &str, mark: char) -> String {
    let mut outside = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(mark) {
        outside.push_str(before);
        outside.push(' ');
        rest = behind.split_once(mark).map_or(behind, |(_, after)| after);
    }
    outside.push_str(rest);
    outside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_and_code_are_removed_from_text() {
        for (text, expected) in [
            ("No, DON\u{2019}T do that!", " no don't do that "),
            ("Use `no_std` and \"stop\" here", " use and here "),
            ("```\nwrong\n``` fine", " fine "),
            ("an open ` back-tick", " an open back tick "),
            ("", " "),
            ("'quoted'", " quoted "),
        ] {
            assert_eq!(normal(text), expected, "{text}");
        }
        let long = format!("{} wrong", "a ".repeat(600));
        assert!(!normal(&long).contains("wrong"));
    }
}
