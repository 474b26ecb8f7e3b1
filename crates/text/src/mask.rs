//! The words of a string without the parts that vary between mentions.

/// The maximum length of a word in bytes; longer ones are hashes, keys or data.
const MAX_WORD: usize = 40;

/// Returns the words of `text` in order and in lower case, without URLs, paths, file
/// names, identifiers, numbers, single letters, and everything with a digit. The part
/// after an apostrophe is dropped too.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace()
        .map(|chunk| chunk.trim_matches(is_edge))
        .filter(|chunk| !is_slot(chunk))
        .flat_map(|chunk| chunk.split(|c: char| !c.is_alphanumeric() && !is_apostrophe(c)))
        .filter_map(word)
}

/// Whether a character at the edge of a chunk is punctuation. Characters that start a
/// path are kept.
fn is_edge(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '/' | '~')
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}

/// Whether a chunk names something: an identifier, a number, a path, a call or a flag.
pub(crate) fn is_name(chunk: &str) -> bool {
    let bare = chunk.trim_matches(|c: char| is_edge(c) && !matches!(c, '-' | '('));
    let is_flag = bare.starts_with("--");
    let is_call = bare.ends_with('(') || bare.contains("()");
    is_flag || is_call || is_slot(bare) || bare.contains(char::is_numeric) || has_hump(bare)
}

/// Whether a chunk is a name instead of a word.
fn is_slot(chunk: &str) -> bool {
    let is_name = chunk.contains('_') || chunk.contains("::") || chunk.contains("://");
    is_name || is_path(chunk) || is_numbered(chunk) || has_inner_dot(chunk)
}

/// Whether a chunk ends with a hyphen and a number, such as the name of a ticket.
fn is_numbered(chunk: &str) -> bool {
    let number = chunk.rsplit_once('-').map(|(_, number)| number);
    number.is_some_and(|number| number.chars().all(char::is_numeric))
}

/// Whether a chunk is a path: it starts like one or has two separators. A single
/// separator may also be between two words, as in "read/write".
fn is_path(chunk: &str) -> bool {
    let is_separator = |c: &char| matches!(c, '/' | '\\');
    chunk.starts_with(['/', '~']) || chunk.chars().filter(is_separator).nth(1).is_some()
}

/// Whether a dot is between two letters or digits, as in a file name.
fn has_inner_dot(chunk: &str) -> bool {
    let mut before = None;
    let mut is_dotted = false;
    for c in chunk.chars() {
        if is_dotted && c.is_alphanumeric() {
            return true;
        }
        is_dotted = c == '.' && before.is_some_and(char::is_alphanumeric);
        before = Some(c);
    }
    false
}

/// Returns the word that a part of a chunk is, if it is one.
fn word(part: &str) -> Option<String> {
    let part = part.trim_start_matches(is_apostrophe);
    let part = part.split(is_apostrophe).next().unwrap_or_default();
    let is_word = part.chars().nth(1).is_some()
        && part.len() <= MAX_WORD
        && !part.contains(char::is_numeric)
        && !has_hump(part);
    is_word.then(|| part.to_lowercase())
}

/// Whether a capital follows a lower-case letter, as in the name of a type.
fn has_hump(part: &str) -> bool {
    let mut was_small = false;
    part.chars().any(|c| {
        let is_hump = was_small && c.is_uppercase();
        was_small = c.is_lowercase();
        is_hump
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn said(text: &str) -> String {
        words(text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_are_removed() {
        let table = [
            ("see https://example.org/a for more", "see for more"),
            ("the file src/lib/mod is large", "the file is large"),
            ("in /etc and ~/notes or c:\\temp\\x here", "in and or here"),
            ("`main.rs:12` and spec.md.", "and"),
            ("call `retry_count` again", "call again"),
            ("the type RetryPolicy and tryAgain", "the type and"),
            ("a `std::io` error", "error"),
            (
                "ABC-12 fails in v2 after 30s, 100% of 5",
                "fails in after of",
            ),
        ];
        for (text, expected) in table {
            assert_eq!(said(text), expected, "{text}");
        }
    }

    #[test]
    fn words_are_kept() {
        let table = [
            ("Read/Write access", "read write access"),
            ("a read-only, \"quoted\" word.", "read only quoted word"),
            (
                "the user's file doesn\u{2019}t load",
                "the user file doesn load",
            ),
            ("'single' quotes", "single quotes"),
            ("the API and HTTP", "the api and http"),
            ("Ende. Ärger über öde", "ende ärger über öde"),
            ("stops... early", "stops early"),
            ("work-in-progress", "work in progress"),
            ("stops ...early", "stops early"),
        ];
        for (text, expected) in table {
            assert_eq!(said(text), expected, "{text}");
        }
    }

    #[test]
    fn a_word_has_two_letters_and_at_most_40_bytes() {
        let (most, more) = ("a".repeat(40), "a".repeat(41));
        assert_eq!(said(&format!("x at {most} {more}")), format!("at {most}"));
    }

    proptest! {
        #[test]
        fn numbers_and_punctuation_are_ignored(
            said in proptest::collection::vec("[a-z]{2,9}", 0..9),
            number in "[0-9]{1,9}",
        ) {
            let text = format!("{number} {}!", said.join(&format!(", ({number}) ")));
            prop_assert_eq!(words(&text).collect::<Vec<_>>(), said);
        }

        #[test]
        fn every_text_has_words(text in ".{0,200}") {
            for word in words(&text) {
                prop_assert!(!word.is_empty() && !word.contains(char::is_whitespace));
            }
        }
    }
}
