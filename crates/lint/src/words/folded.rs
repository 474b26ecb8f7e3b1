//! Texts in the form in which they are compared.

use std::borrow::Cow;
use std::ops::Range;

/// Texts as their words in lower case with single blanks between, all of them
/// in one buffer.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    buffer: String,
    texts: Vec<Range<usize>>,
}

impl Folded {
    /// Expects so many texts of the length of a name.
    pub(crate) fn of_names(count: usize) -> Self {
        const LENGTH: usize = 24;
        Self {
            buffer: String::with_capacity(count * LENGTH),
            texts: Vec::with_capacity(count),
        }
    }

    /// Adds a text, whose words stand between characters that satisfy `splits`.
    pub(crate) fn push(&mut self, text: &str, splits: impl Fn(char) -> bool) {
        let start = self.buffer.len();
        let lower = if text.is_ascii() {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(text.to_lowercase())
        };
        let mut word = 0;
        for (at, char) in lower.char_indices().filter(|(_, char)| splits(*char)) {
            self.push_word(start, &lower[word..at]);
            word = at + char.len_utf8();
        }
        self.push_word(start, &lower[word..]);
        self.buffer[start..].make_ascii_lowercase();
        self.texts.push(start..self.buffer.len());
    }

    fn push_word(&mut self, start: usize, word: &str) {
        if !word.is_empty() {
            let is_first = self.buffer.len() == start;
            self.buffer.push_str(if is_first { "" } else { " " });
            self.buffer.push_str(word);
        }
    }

    /// All texts, in the order in which they were added.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.texts.iter().map(|text| &self.buffer[text.clone()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_their_words_in_lower_case() {
        let mut folded = Folded::default();
        for text in [
            "Error  Handling",
            "",
            "\u{c9}TAT \u{39f}\u{394}\u{39f}\u{3a3}",
        ] {
            folded.push(text, char::is_whitespace);
        }
        let texts: Vec<_> = folded.iter().collect();
        assert_eq!(
            texts,
            [
                "error handling",
                "",
                "\u{e9}tat \u{3bf}\u{3b4}\u{3bf}\u{3c2}"
            ]
        );
    }
}
