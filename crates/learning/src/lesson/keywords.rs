//! The words that distinguish a group of entries.

use std::collections::{BTreeMap, HashMap};

use review_text::{stems, words};

/// The maximum number of keywords.
const KEYWORDS: usize = 5;

/// The words of entries, counted by stem.
#[derive(Debug, Default)]
pub(super) struct WordCounts {
    stems: BTreeMap<String, Counted>,
    /// The number of words.
    words: u32,
}

#[derive(Debug, Default)]
struct Counted {
    count: u32,
    /// The number of occurrences of each word with this stem.
    words: HashMap<String, u32>,
}

impl WordCounts {
    /// Counts the words of these entries.
    pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut counts = Self::default();
        for word in texts.into_iter().flat_map(words) {
            // A word without meaning of its own has no stem.
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

    /// Returns the words that distinguish this group from all entries, each in its most
    /// frequent form: those with the highest product of frequency in the group and
    /// rareness overall, where a group counts as one entry of mean length.
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
        first
            .filter_map(|(_, counted)| counted.most_frequent())
            .collect()
    }
}

impl Counted {
    /// The most frequent form; the first in case of a tie.
    fn most_frequent(&self) -> Option<String> {
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
    fn there_are_at_most_five_keywords() {
        let text = ["zebra lion walrus otter beaver quokka"];
        let counts = WordCounts::of(text);
        let found = counts.keywords(&WordCounts::of(text), 1);
        assert_eq!(found, ["beaver", "lion", "otter", "quokka", "walrus"]);
    }
}
