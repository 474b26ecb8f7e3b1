//! Texts made fit for the search of phrases.

/// Only so many bytes of a text are searched: whoever corrects says so first.
const MAX_SEARCHED: usize = 600;

/// A text in small letters, its words with one blank around each, without what is
/// quoted or code.
pub(super) fn normal(text: &str) -> String {
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

/// The text outside of back-ticks and double quotes.
fn without_code(text: &str) -> String {
    without(&without(text, '`'), '"')
}

/// The text outside of pairs of a mark.
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
    fn a_text_becomes_its_words_without_code_and_quotations() {
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
