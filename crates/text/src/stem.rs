//! Words reduced to their stems.

use rust_stemmers::{Algorithm, Stemmer};

use crate::mask::words;
use crate::stop::is_stop_word;

/// At most so many words of a text are looked at.
const MAX_WORDS: usize = 4_096;

/// Reduces words to their stems.
pub(crate) struct Stems(Stemmer);

impl Stems {
    /// Stems of English words (Porter2).
    pub(crate) fn english() -> Self {
        Self(Stemmer::create(Algorithm::English))
    }

    /// The stem of a word in lower case.
    pub(crate) fn of_word(&self, word: &str) -> String {
        self.0.stem(word).into_owned()
    }

    /// The stems of a text in their order.
    pub(crate) fn of_text(&self, text: &str) -> impl Iterator<Item = String> {
        let said = words(text).take(MAX_WORDS);
        said.filter(|word| !is_stop_word(word))
            .map(|word| self.of_word(&word))
    }
}

/// The stems of the words of `text` in their order, without what names
/// something and without words that every text has. At most 4,096 words are
/// looked at.
#[must_use]
pub fn stems(text: &str) -> Vec<String> {
    Stems::english().of_text(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_in_form_have_one_stem() {
        let said = "The cached entries aren't being validated in src/cache/mod.rs";
        assert_eq!(stems(said), ["cach", "entri", "valid"]);
        assert_eq!(
            stems("validating the caches' entry"),
            ["valid", "cach", "entri"]
        );
    }

    #[test]
    fn a_long_text_is_read_to_its_4096th_word() {
        let long = "word ".repeat(4_097);
        assert_eq!(stems(&long).len(), 4_096);
        assert_eq!(stems(""), [""; 0]);
    }
}
