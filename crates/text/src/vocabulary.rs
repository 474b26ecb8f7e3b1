//! The terms of many strings as numbers.

use std::collections::HashMap;

use crate::Term;
use crate::fingerprint::WORD_OF_CONCEPT;
use crate::lexicon::Lexicon;
use crate::mask::words;
use crate::stem::{Stems, is_stop_word};

/// The terms of many strings, numbered from 0 in the order of their first occurrence.
/// Each word is stemmed and looked up once; synonyms share a concept.
pub struct Vocabulary {
    lexicon: &'static Lexicon,
    stems: Stems,
    /// The terms of a lower-case word; empty if it is not significant.
    of_word: HashMap<String, Box<[u32]>>,
    numbers: HashMap<Term, u32>,
    /// The weight of each term.
    shares: Vec<f32>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self {
            lexicon: Lexicon::embedded(),
            stems: Stems::english(),
            of_word: HashMap::new(),
            numbers: HashMap::new(),
            shares: Vec::new(),
        }
    }
}

impl Vocabulary {
    /// Returns the terms of a string in order: the stem of each word, followed by its
    /// concepts. At most `max` words are read.
    pub fn terms(&mut self, text: &str, max: usize) -> Vec<u32> {
        let mut terms = Vec::new();
        for word in words(text).take(max) {
            if let Some(known) = self.of_word.get(&word) {
                terms.extend_from_slice(known);
            } else {
                let of_word = self.terms_of(&word);
                terms.extend_from_slice(&of_word);
                self.of_word.insert(word, of_word);
            }
        }
        terms
    }

    /// Returns the intrinsic weight of a term, from 0 to 1: that of the lexicon,
    /// reduced for a word that has a concept.
    #[must_use]
    pub fn share(&self, term: u32) -> f32 {
        self.shares.get(term as usize).copied().unwrap_or_default()
    }

    /// The number of terms.
    #[must_use]
    pub fn count(&self) -> usize {
        self.shares.len()
    }

    fn terms_of(&mut self, word: &str) -> Box<[u32]> {
        if is_stop_word(word) {
            return Box::default();
        }
        let stem = self.stems.of_word(word);
        let concepts = self.lexicon.concepts(&stem);
        let weight = self.lexicon.weight(&stem);
        let own = if concepts.is_empty() {
            weight
        } else {
            weight * WORD_OF_CONCEPT
        };
        let own = self.number(Term::Stem(stem.into()), own);
        let mut terms = vec![own];
        for concept in concepts {
            terms.push(self.number(Term::Concept(*concept), 1.0));
        }
        terms.into()
    }

    fn number(&mut self, term: Term, share: f32) -> u32 {
        let next = u32::try_from(self.shares.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(term).or_insert_with(|| {
            self.shares.push(share);
            next
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_share_the_number_of_their_concept() {
        let mut vocabulary = Vocabulary::default();
        assert_eq!(vocabulary.terms("The deleted and 3 zebras", 10), [0, 1, 2]);
        assert_eq!(vocabulary.terms("an erasing, a delete", 10), [3, 1, 0, 1]);
        assert_eq!(vocabulary.terms("erased zebras", 1), [3, 1]);
        assert_eq!(vocabulary.count(), 4);
        let shares = [0, 1, 2, 3, 4].map(|term| vocabulary.share(term));
        assert_eq!(shares, [WORD_OF_CONCEPT, 1.0, 1.0, WORD_OF_CONCEPT, 0.0]);
        let common = vocabulary.terms("nits", 1)[0];
        assert!((vocabulary.share(common) - 0.05).abs() < 1e-6);
    }
}
