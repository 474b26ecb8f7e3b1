//! Synonyms and insignificant words.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::stem::Stems;

/// The lexicon of reviews: concepts with their words, and the weight of each word.
#[derive(Debug)]
pub(crate) struct Lexicon {
    /// The concepts of a stem, by their numbers.
    concepts: HashMap<String, Vec<u32>>,
    /// The weight of a stem, from 0 to 1, if it is less than 1.
    weights: HashMap<String, f32>,
}

static EMBEDDED: LazyLock<Lexicon> = LazyLock::new(|| Lexicon {
    concepts: concepts(include_str!("../data/lexicon.txt")),
    weights: weights(include_str!("../data/common-words.txt")),
});

impl Lexicon {
    pub(crate) fn embedded() -> &'static Self {
        &EMBEDDED
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

/// The lines that are neither empty nor comments.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Parses lines of a name, a colon and the words of a concept.
fn concepts(text: &str) -> HashMap<String, Vec<u32>> {
    let stems = Stems::english();
    let mut concepts: HashMap<String, Vec<u32>> = HashMap::new();
    for (number, line) in (0..).zip(lines(text)) {
        let words = line.split_once(':').map_or("", |(_, words)| words);
        for word in words.split_whitespace() {
            let known = concepts.entry(stems.of_word(word)).or_default();
            if known.last() != Some(&number) {
                known.push(number);
            }
        }
    }
    concepts
}

/// Parses lines of a percentage and words.
fn weights(text: &str) -> HashMap<String, f32> {
    let stems = Stems::english();
    let mut weights = HashMap::new();
    for line in lines(text) {
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
    use std::collections::BTreeSet;

    use super::*;

    fn stem(word: &str) -> String {
        Stems::english().of_word(word)
    }

    #[test]
    fn every_line_of_the_lexicon_is_a_concept() {
        let lexicon = Lexicon::embedded();
        let groups = lines(include_str!("../data/lexicon.txt")).count();
        let numbers: BTreeSet<_> = lexicon.concepts.values().flatten().collect();
        assert_eq!(numbers.len(), groups);
        assert!(groups > 80, "{groups}");
        let meant = |word| lexicon.concepts(&stem(word)).to_vec();
        assert_eq!(meant("deleted"), meant("erasing"));
        assert_ne!(meant("delete"), meant("create"));
        assert!(lexicon.weight(&stem("sections")) < lexicon.weight(&stem("tests")));
        assert!((lexicon.weight("quota") - 1.0).abs() < f32::EPSILON);
    }
}
