//! The words that set a group of texts apart.

use std::collections::{BTreeMap, HashMap};

use review_text::{stems, words};

/// So many words are told.
const KEYWORDS: usize = 5;

/// The words of all texts, by their stems.
#[derive(Debug, Default)]
pub(super) struct WordCounts {
    stems: BTreeMap<String, Counted>,
    /// How many words there are.
    words: u32,
}

#[derive(Debug, Default)]
struct Counted {
    count: u32,
    /// How often each word with this stem is said.
    words: HashMap<String, u32>,
}

impl WordCounts {
    /// The words of these texts.
    pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut counts = Self::default();
        for word in texts.into_iter().flat_map(words) {
            // A word that says nothing has no stem.
            let Some(stem) = stems(&word).pop() else {
                continue;
            };
            counts.words += 1;
            let counted = counts.stems.entry(stem).or_default();
            counted.count += 1;
            *counted.words.entry(word).or_default() += 1;
        }
        counts
    }

    /// The words of this group that set it apart from all texts, each in the form
    /// in which it is said most: those with the most weight by frequency in the
    /// group and rareness in all, for which a group counts as one text of mean
    /// length.
    pub(super) fn keywords(&self, all: &Self, groups: usize) -> Vec<String> {
        let mean = f64::from(all.words) / groups.max(1) as f64;
        let mut weighed: Vec<(f64, &Counted)> = self
            .stems
            .iter()
            .map(|(stem, counted)| {
                let in_all = all.stems.get(stem).map_or(counted.count, |all| all.count);
                let rareness = (mean / f64::from(in_all)).ln_1p();
                (f64::from(counted.count) * rareness, counted)
            })
            .collect();
        weighed.sort_by(|a, b| b.0.total_cmp(&a.0));
        let first = weighed.into_iter().take(KEYWORDS);
        first.filter_map(|(_, counted)| counted.said()).collect()
    }
}

impl Counted {
    /// The word that is said most, of equally frequent ones the first.
    fn said(&self) -> Option<String> {
        let most = self
            .words
            .iter()
            .max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
        most.map(|(word, _)| word.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_frequent_in_the_group_and_rare_elsewhere() {
        let group = [
            "Uploads have no limit in a.rs",
            "the upload lacks limits",
            "upload: error",
        ];
        let others = [
            "error in the parser",
            "parser error",
            "error again",
            "an error of lexers",
        ];
        let all = WordCounts::of(group.into_iter().chain(others));
        let found = WordCounts::of(group).keywords(&all, 2);
        assert_eq!(found, ["upload", "limit", "lacks", "error"]);
    }

    #[test]
    fn at_most_five_words_are_told() {
        let text = ["zebra lion walrus otter beaver quokka"];
        let counts = WordCounts::of(text);
        let found = counts.keywords(&WordCounts::of(text), 1);
        assert_eq!(found, ["beaver", "lion", "otter", "quokka", "walrus"]);
    }
}
