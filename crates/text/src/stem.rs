//! Stemming of words.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use crate::mask::words;

/// The maximum number of words of a string that are read.
const MAX_WORDS: usize = 4_096;

/// The stemmer.
pub(crate) struct Stems(Stemmer);

impl Stems {
    /// Stems of English words (Porter2).
    pub(crate) fn english() -> Self {
        Self(Stemmer::create(Algorithm::English))
    }

    /// Returns the stem of a lower-case word.
    pub(crate) fn of_word(&self, word: &str) -> String {
        self.0.stem(word).into_owned()
    }

    /// Returns the stems of a string in order.
    pub(crate) fn of_text(&self, text: &str) -> impl Iterator<Item = String> {
        let said = words(text).take(MAX_WORDS);
        said.filter(|word| !is_stop_word(word))
            .map(|word| self.of_word(&word))
    }
}

/// Returns the stems of the words of `text` in order, without names and stop words. At
/// most 4,096 words are read.
#[must_use]
pub fn stems(text: &str) -> Vec<String> {
    Stems::english().of_text(text).collect()
}

static STOP_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    include_str!("../data/stop-words.txt")
        .split_whitespace()
        .collect()
});

/// Whether a lower-case word is a stop word of English.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        let said = "The cached entries aren't being validated in src/cache/mod.rs";
        assert_eq!(stems(said), ["cach", "entri", "valid"]);
        assert_eq!(
            stems("validating the caches' entry"),
            ["valid", "cach", "entri"]
        );
    }

    #[test]
    fn a_text_is_read_up_to_its_4096th_word() {
        let long = "word ".repeat(4_097);
        assert_eq!(stems(&long).len(), 4_096);
        assert_eq!(stems(""), [""; 0]);
    }
}
