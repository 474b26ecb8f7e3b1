//! The topic of a string as a vector.

use std::collections::BTreeMap;

use crate::Vector;
use crate::lexicon::Lexicon;
use crate::stem::Stems;

/// The weight of a word relative to its concept, which has the full weight.
pub(crate) const WORD_OF_CONCEPT: f32 = 0.35;

/// The topic of a string, for collections too small to have their own word frequencies:
/// its stems and concepts, weighted by a lexicon.
pub type Fingerprint = Vector<Term>;

/// A term of a fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// A concept of the lexicon, by its number.
    Concept(u32),
    /// The stem of a word.
    Stem(Box<str>),
}

impl Fingerprint {
    /// Computes the fingerprint of a string. A string without significant words has an
    /// empty one, which is similar to nothing.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let lexicon = Lexicon::embedded();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for stem in Stems::english().of_text(text) {
            *counts.entry(stem).or_default() += 1;
        }
        let mut terms: BTreeMap<Term, f32> = BTreeMap::new();
        for (stem, count) in counts {
            let weight = damped(count) * lexicon.weight(&stem);
            let concepts = lexicon.concepts(&stem);
            for concept in concepts {
                let concept = terms.entry(Term::Concept(*concept)).or_default();
                *concept = concept.max(weight);
            }
            let own = if concepts.is_empty() {
                weight
            } else {
                weight * WORD_OF_CONCEPT
            };
            terms.insert(Term::Stem(stem.into()), own);
        }
        Self::new(terms)
    }
}

/// Returns 1 + ln of the number of occurrences of a term, equal on every machine and
/// constant from eight on.
#[must_use]
pub fn damped(count: usize) -> f32 {
    const DAMPED: [f32; 9] = [0.0, 1.0, 1.693, 2.099, 2.386, 2.609, 2.792, 2.946, 3.079];
    DAMPED[count.min(DAMPED.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn similarity(a: &str, b: &str) -> f32 {
        let of = |text| Fingerprint::of(text);
        let similarity = of(a).similarity(&of(b));
        assert!((similarity - of(b).similarity(&of(a))).abs() < 1e-6);
        similarity
    }

    #[test]
    fn a_text_has_the_highest_similarity_to_itself() {
        let text = "The retry of a failed upload has no limit";
        assert!((similarity(text, text) - 1.0).abs() < 1e-5);
        assert!(similarity(text, "Colours of the legend are hard to tell").abs() < f32::EPSILON);
    }

    #[test]
    fn a_text_without_words_is_similar_to_nothing() {
        for text in ["", "the 42 of src/a/b.rs"] {
            assert!(similarity(text, text).abs() < f32::EPSILON);
        }
    }

    #[test]
    fn synonyms_are_similar() {
        let a = "Deleting a folder leaves orphaned thumbnails behind";
        let b = "thumbnails stay orphaned after 3 directories were removed in src/a/gallery.rs";
        assert!(similarity(a, b) > 0.5, "{}", similarity(a, b));
        let other = "Deleting a folder twice crashes the sync";
        assert!(similarity(a, other) < 0.5, "{}", similarity(a, other));
    }

    #[test]
    fn insignificant_words_add_no_similarity() {
        let a = "The section does not specify the retention of invoices";
        let b = "The section does not specify the colour of buttons";
        assert!(similarity(a, b) < 0.3, "{}", similarity(a, b));
    }

    #[test]
    fn a_repeated_word_counts_less_than_twice() {
        let many = "audit ".repeat(50);
        let near = similarity(&format!("{many} zebra giraffe lion"), "zebra giraffe lion");
        assert!(near > 0.3, "{near}");
        assert!(similarity("zebra zebra lion", "zebra lion") < 1.0);
    }
}
