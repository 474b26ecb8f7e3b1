//! Words of an issue, and contrasting words of one kind.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use crate::Lexicon;
use crate::lexicon::lines;
use crate::stem::{Stems, is_stop_word};

/// A word with a lower weight occurs in every review.
const MIN_SIGNIFICANT: f32 = 0.4;
/// The minimum length of a word that is compared for typing errors.
const MIN_MISTYPED: usize = 5;
const ARTICLES: &[&str] = &["a", "an", "the"];

/// A word of an issue.
#[derive(Clone, Debug)]
pub(super) struct Word {
    text: String,
    stem: String,
    weight: f32,
    concepts: Vec<u32>,
    has_article: bool,
}

impl Word {
    /// Creates a word from its lower-case form and the previous word.
    pub(super) fn of(text: &str, before: Option<&str>, lexicon: &Lexicon) -> Self {
        let stem = Stems::english().of_word(text);
        let weight = if is_stop_word(text) {
            0.0
        } else {
            lexicon.weight(&stem)
        };
        Self {
            text: text.to_owned(),
            weight,
            concepts: lexicon.concepts(&stem).to_vec(),
            has_article: before.is_some_and(|before| ARTICLES.contains(&before)),
            stem,
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is significant.
    pub(super) fn is_significant(&self) -> bool {
        self.weight >= MIN_SIGNIFICANT
    }

    /// Whether an article precedes it.
    pub(super) fn has_article(&self) -> bool {
        self.has_article
    }

    /// Whether both are forms or misspellings of one word.
    pub(super) fn is_equal(&self, other: &Self) -> bool {
        self.stem == other.stem || is_mistyped(&self.text, &other.text)
    }

    /// Whether both are synonyms.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let means = |concept| other.concepts.contains(concept);
        let kinds = kinds_of(&other.stem);
        let is_other = || kinds_of(&self.stem).iter().any(|kind| kinds.contains(kind));
        self.is_equal(other) || self.concepts.iter().any(means) && !is_other()
    }
}

/// Whether one word is the other with a letter omitted, doubled or swapped with the
/// next.
pub(super) fn is_mistyped(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let (short, long) = (short.as_bytes(), long.as_bytes());
    if short.len() < MIN_MISTYPED || !short.is_ascii() || short.iter().any(u8::is_ascii_digit) {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    match (&short[same..], &long[same..]) {
        ([a, b, short @ ..], [c, d, long @ ..]) if (a, b) == (d, c) => short == long,
        (short, [_, long @ ..]) => short == long,
        (_, []) => true,
    }
}

/// The kinds of things that words name, each with the stem of the word.
#[derive(Clone, Debug)]
pub(super) struct Kinds(BTreeSet<(usize, String)>);

/// The kinds of each stem, by their lines.
static KINDS: LazyLock<HashMap<String, Vec<usize>>> = LazyLock::new(|| {
    let stems = Stems::english();
    let mut kinds: HashMap<String, Vec<usize>> = HashMap::new();
    for (kind, words) in lines(include_str!("../../data/contrasts.txt")) {
        for word in words.split_whitespace() {
            kinds.entry(stems.of_word(word)).or_default().push(kind);
        }
    }
    kinds
});

fn kinds_of(stem: &str) -> &'static [usize] {
    KINDS.get(stem).map_or(&[], Vec::as_slice)
}

impl Kinds {
    /// The kinds of lower-case words.
    pub(super) fn of(words: &BTreeSet<String>) -> Self {
        let stems = Stems::english();
        let stems = words.iter().map(|word| stems.of_word(word));
        let kinds = stems.flat_map(|stem| {
            let kinds = kinds_of(&stem).iter();
            kinds.map(move |kind| (*kind, stem.clone()))
        });
        Self(kinds.collect())
    }

    /// Whether each has a word for a different thing of one kind.
    pub(super) fn differ(&self, other: &Self) -> bool {
        let only = |a: &Self, b: &Self| -> BTreeSet<usize> {
            a.0.difference(&b.0).map(|(kind, _)| *kind).collect()
        };
        !only(self, other).is_disjoint(&only(other, self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_be_mistyped_in_one_letter() {
        for (a, b, expected) in [
            ("upload", "uplod", true),
            ("upload", "uppload", true),
            ("upload", "uplaod", true),
            ("upload", "uploads", true),
            ("upload", "unload", false),
            ("import", "export", false),
            ("form", "from", false),
            ("upload", "ulpaod", false),
            ("fr-12", "fr-122", false),
            ("stra\u{df}e", "strae", false),
        ] {
            assert_eq!(
                (is_mistyped(a, b), is_mistyped(b, a)),
                (expected, expected),
                "{a} {b}"
            );
        }
    }

    #[test]
    fn words_of_one_concept_are_synonyms_unless_they_contrast() {
        let word = |text| Word::of(text, None, Lexicon::embedded());
        for (a, b, expected) in [
            ("deleted", "removing", true),
            ("limit", "maximum", true),
            ("postgres", "mysql", false),
            ("json", "yaml", false),
            ("upload", "download", false),
            ("otter", "zebra", false),
        ] {
            assert_eq!(word(a).is_same(&word(b)), expected, "{a} {b}");
        }
    }

    #[test]
    fn kinds_differ_if_each_has_a_word_that_the_other_lacks() {
        let kinds = |text: &str| Kinds::of(&text.split(' ').map(str::to_owned).collect());
        for (a, b, expected) in [
            ("the upload", "the download", true),
            ("uploads", "an upload", false),
            ("upload and download", "the download", false),
            ("the upload", "the export", false),
            ("the otter", "the zebra", false),
        ] {
            assert_eq!(kinds(a).differ(&kinds(b)), expected, "{a} | {b}");
        }
    }
}
