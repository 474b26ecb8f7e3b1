//! Texts in the form in which they are compared.

use std::ops::Range;

/// Texts as their words in lower case with single blanks between, all of them
/// in one buffer.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    buffer: String,
    texts: Vec<Range<usize>>,
}

impl Folded {
    /// Adds a text that consists of some words.
    pub(crate) fn push<'w>(&mut self, words: impl IntoIterator<Item = &'w str>) {
        let start = self.buffer.len();
        for word in words {
            if self.buffer.len() > start {
                self.buffer.push(' ');
            }
            self.buffer.push_str(word);
        }
        let text = &mut self.buffer[start..];
        if text.is_ascii() {
            text.make_ascii_lowercase();
        } else {
            let lower = text.to_lowercase();
            self.buffer.truncate(start);
            self.buffer.push_str(&lower);
        }
        self.texts.push(start..self.buffer.len());
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
            folded.push(text.split_whitespace());
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
