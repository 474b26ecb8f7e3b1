//! Synonyms and insignificant words.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::stem::Stems;

/// A lexicon of reviews: concepts with their words, and the weight of each word.
#[derive(Clone, Debug)]
pub struct Lexicon {
    /// The concepts of a stem, by their numbers.
    concepts: HashMap<String, Vec<u32>>,
    /// The weight of a stem, from 0 to 1, if it is less than 1.
    weights: HashMap<String, f32>,
    /// The number of concepts.
    count: u32,
}

/// A lexicon line that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexiconError {
    /// Its number, from 1.
    pub line: usize,
}

impl std::fmt::Display for LexiconError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "line {} is not a concept; expected `NAME: WORD WORD`",
            self.line
        )
    }
}

impl std::error::Error for LexiconError {}

static EMBEDDED: LazyLock<Lexicon> = LazyLock::new(|| {
    let bare = Lexicon {
        concepts: HashMap::new(),
        weights: weights(include_str!("../data/common-words.txt")),
        count: 0,
    };
    let extended = bare.extended(include_str!("../data/lexicon.txt"));
    extended.unwrap_or(bare)
});

impl Lexicon {
    /// The built-in lexicon.
    #[must_use]
    pub fn embedded() -> &'static Self {
        &EMBEDDED
    }

    /// Returns this lexicon with the concepts of `text`: one per line, `NAME: WORD
    /// WORD`; lines that are empty or start with `#` are ignored.
    ///
    /// # Errors
    /// [`LexiconError`] for the first line without a colon or words.
    pub fn extended(&self, text: &str) -> Result<Self, LexiconError> {
        let stems = Stems::english();
        let mut lexicon = self.clone();
        for (line, group) in lines(text) {
            let words = group.split_once(':').map(|(_, words)| words.trim());
            let words = words.filter(|words| !words.is_empty());
            for word in words.ok_or(LexiconError { line })?.split_whitespace() {
                let stem = stems.of_word(&word.to_lowercase());
                let concepts = lexicon.concepts.entry(stem).or_default();
                if concepts.last() != Some(&lexicon.count) {
                    concepts.push(lexicon.count);
                }
            }
            lexicon.count += 1;
        }
        Ok(lexicon)
    }

    /// The concepts of a stem.
    pub(crate) fn concepts(&self, stem: &str) -> &[u32] {
        self.concepts.get(stem).map_or(&[], Vec::as_slice)
    }

    /// The weight of a stem, from 0 to 1.
    pub(crate) fn weight(&self, stem: &str) -> f32 {
        self.weights.get(stem).copied().unwrap_or(1.0)
    }
}

/// The lines that are neither empty nor comments, with their numbers.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate();
    numbered
        .map(|(at, line)| (at + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Parses lines of a percentage and words.
fn weights(text: &str) -> HashMap<String, f32> {
    let stems = Stems::english();
    let mut weights = HashMap::new();
    for (_, line) in lines(text) {
        let mut words = line.split_whitespace();
        let percent: u8 = words
            .next()
            .and_then(|word| word.parse().ok())
            .unwrap_or(100);
        let weight = f32::from(percent.min(100)) / 100.0;
        weights.extend(words.map(|word| (stems.of_word(word), weight)));
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(word: &str) -> String {
        Stems::english().of_word(word)
    }

    #[test]
    fn every_line_of_the_embedded_lexicon_is_read() {
        let lexicon = Lexicon::embedded();
        let groups = lines(include_str!("../data/lexicon.txt")).count();
        assert_eq!(lexicon.count as usize, groups);
        assert!(groups > 80, "{groups}");
        let meant = |word| lexicon.concepts(&stem(word)).to_vec();
        assert_eq!(meant("deleted"), meant("erasing"));
        assert_ne!(meant("delete"), meant("create"));
        assert!(lexicon.weight(&stem("sections")) < lexicon.weight(&stem("tests")));
        assert!((lexicon.weight("quota") - 1.0).abs() < f32::EPSILON);
    }

    #[test]
    fn a_lexicon_is_extended_by_own_concepts() {
        let text = "# mine\n\npet: cat Dog dogs\n";
        let lexicon = Lexicon::embedded().extended(text).unwrap();
        assert_eq!(lexicon.concepts("cat"), lexicon.concepts("dog"));
        assert_eq!(lexicon.concepts("cat").len(), 1);
        assert_eq!(Lexicon::embedded().concepts("cat"), [0; 0]);
    }

    #[test]
    fn a_line_without_colon_or_words_is_reported() {
        for text in ["a: b\nno colon", "a: b\nname:  "] {
            let error = Lexicon::embedded().extended(text).unwrap_err();
            assert_eq!(error, LexiconError { line: 2 });
            assert_eq!(
                error.to_string(),
                "line 2 is not a concept; expected `NAME: WORD WORD`"
            );
        }
    }
}
