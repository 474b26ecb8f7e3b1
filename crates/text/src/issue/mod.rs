//! The identity of issues that reviewers word differently.
//!
//! The names in the issues decide first: ids, identifiers, code, quotations and
//! numbers. Then the sentences: two issues that are equal except for one word are
//! different. Similar words confirm the rest.

mod anchor;
mod frame;
mod token;
mod word;

use std::collections::BTreeSet;

use crate::{Fingerprint, Lexicon, SAME_ISSUE, Term};
use anchor::Anchor;
use token::{Token, tokens};
use word::{Kinds, Word};

/// Words that do not change the meaning of an issue.
const FILLERS: &[&str] = &["a", "an", "the", "still", "again", "please", "also"];

/// The minimum similarity of two issues with a common name that are the same.
const SAME_WITH_NAME: f32 = 0.35;
/// The minimum similarity of two issues that are the same if only one of them has
/// names.
const SAME_WITHOUT_NAME: f32 = 0.55;

/// An issue in the words of a reviewer.
///
/// ```
/// use review_text::{Issue, Lexicon};
///
/// let of = |text| Issue::of(text, Lexicon::embedded());
/// let issue = of("FR-1 has no acceptance criterion");
/// let nearness = |text| issue.nearness(&of(text));
/// assert!(nearness("There are no acceptance criteria for FR-1").is_some());
/// assert!(nearness("FR-2 has no acceptance criterion").is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Issue {
    key: String,
    anchors: BTreeSet<Anchor>,
    /// Its words in lower case, including those of quotations.
    said: BTreeSet<String>,
    kinds: Kinds,
    parts: Vec<Part>,
    words: Fingerprint,
    about: Fingerprint,
}

/// A word or a name of an issue.
#[derive(Clone, Debug)]
enum Part {
    Word(Word),
    Anchor(Anchor),
}

impl Issue {
    /// Parses an issue, with the synonyms of `lexicon`.
    #[must_use]
    pub fn of(text: &str, lexicon: &Lexicon) -> Self {
        let mut parts = Vec::new();
        let mut words = Vec::new();
        let mut said = BTreeSet::new();
        for token in tokens(text, lexicon) {
            match token {
                Token::Word(word) => {
                    let before = words.last().map(String::as_str);
                    if !FILLERS.contains(&word.as_str()) {
                        parts.push(Part::Word(Word::of(&word, before, lexicon)));
                    }
                    words.push(word);
                }
                Token::Proper(word) => {
                    words.push(word.clone());
                    parts.push(Part::Anchor(Anchor::Name(word)));
                }
                Token::Anchor(anchor) => {
                    said.extend(anchor.quoted_words().map(str::to_owned));
                    parts.push(Part::Anchor(anchor));
                }
            }
        }
        let anchors: BTreeSet<_> = parts.iter().filter_map(Part::anchor).cloned().collect();
        said.extend(words.iter().cloned());
        let words = Fingerprint::weights(&words.join(" "), lexicon);
        let names = anchors
            .iter()
            .map(|anchor| (Term::Name(anchor.to_string().into()), 1.0));
        Self {
            key: issue_key(text),
            kinds: Kinds::of(&said),
            about: Fingerprint::new(words.clone().into_iter().chain(names).collect()),
            words: Fingerprint::new(words),
            anchors,
            said,
            parts,
        }
    }

    /// The fingerprint, including names: similar issues may be the same.
    #[must_use]
    pub fn about(&self) -> &Fingerprint {
        &self.about
    }

    /// Returns the similarity of another issue that may be the same; `None` if they are
    /// different.
    #[must_use]
    pub fn nearness(&self, other: &Self) -> Option<f32> {
        if self.key == other.key {
            return Some(f32::INFINITY);
        }
        let similarity = self.words.similarity(&other.words);
        let (mine, theirs) = (self.beyond(other), other.beyond(self));
        let is_named_by_both = self
            .anchors
            .iter()
            .any(|anchor| anchor.is_distinctive() && other.names(anchor));
        let (least, bonus) = if is_named_by_both {
            (SAME_WITH_NAME, 1.0)
        } else if mine.iter().chain(&theirs).any(|anchor| anchor.is_name()) {
            (SAME_WITHOUT_NAME, 0.0)
        } else {
            (SAME_ISSUE, 0.0)
        };
        // The longest common subsequence may differ between the two directions.
        let (one, two) = match self.key < other.key {
            true => (&self.parts, &other.parts),
            false => (&other.parts, &self.parts),
        };
        let differ = |a: &Anchor| theirs.iter().any(|b| a.is_of_kind(b));
        let is_other = similarity < least
            || mine.into_iter().any(differ)
            || self.kinds.differ(&other.kinds)
            || frame::are_about_others(one, two)
            || frame::is_swapped(one, two);
        (!is_other).then_some(bonus + similarity)
    }

    /// The names that the other issue does not mention.
    fn beyond(&self, other: &Self) -> Vec<&Anchor> {
        let is_said = |anchor: &Anchor| other.names(anchor) || anchor.is_expressed_by(&other.said);
        let anchors = self.anchors.iter();
        anchors.filter(|anchor| !is_said(anchor)).collect()
    }

    fn names(&self, anchor: &Anchor) -> bool {
        self.anchors.contains(anchor) || self.anchors.iter().any(|own| own.is_same(anchor))
    }
}

impl Part {
    fn word(&self) -> Option<&Word> {
        match self {
            Self::Word(word) => Some(word),
            Self::Anchor(_) => None,
        }
    }

    fn anchor(&self) -> Option<&Anchor> {
        match self {
            Self::Word(_) => None,
            Self::Anchor(anchor) => Some(anchor),
        }
    }
}

/// Returns the words of an issue without insignificant parts: blanks, punctuation
/// around words, and words such as "the" and "still".
#[must_use]
pub fn issue_key(text: &str) -> String {
    let is_around = |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '*' | '(' | ')');
    let words = text.split_whitespace();
    let words = words.map(|word| word.trim_matches(|c| is_around(c) || token::is_quote(c)));
    let said = words.filter(|word| !word.is_empty() && !FILLERS.contains(word));
    let key = said.collect::<Vec<_>>().join(" ");
    if key.is_empty() { text.to_owned() } else { key }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_an_issue_has_no_insignificant_parts() {
        let key = issue_key("The limit is missing");
        for (text, is_same) in [
            ("The  limit\nis missing.", true),
            ("The `limit` is (still) missing", true),
            ("the limit is missing", false),
            ("The limits is missing", false),
            ("The limit is not missing", false),
        ] {
            assert_eq!(issue_key(text) == key, is_same, "{text}");
        }
        assert_ne!(issue_key("!"), issue_key("?"));
        assert_ne!(issue_key("A fails"), issue_key("B fails"));
    }

    #[test]
    fn a_nearer_issue_shares_words_or_names() {
        let of = |text| Issue::of(text, Lexicon::embedded());
        let issue = of("`shorten` does not say which error it raises");
        let nearness = |text| issue.nearness(&of(text));
        let near = [
            "`shorten` does still not say which error it raises.",
            "It is unclear what error `shorten` raises",
            "It is not said which error is raised",
        ];
        let near: Vec<_> = near.map(nearness).into_iter().flatten().collect();
        assert_eq!(near.len(), 3);
        assert!(near.is_sorted_by(|a, b| a > b), "{near:?}");
        assert_eq!(nearness("The colours of the legend are alike"), None);
    }

    #[test]
    fn a_missing_name_may_match_and_a_small_number_is_not_a_name() {
        let of = |text| Issue::of(text, Lexicon::embedded());
        for (one, other, expected) in [
            (
                "`retry` has no limit in `upload_all`",
                "The retry has no limit in `upload_all` and `main_loop`",
                true,
            ),
            (
                "`retry` has no limit in `upload_all`",
                "There is no limit in `upload_all` and `main_loop`",
                false,
            ),
            (
                "How long traces of 90 hosts are kept is open",
                "The retention of traces of 90 hosts is not specified",
                true,
            ),
            (
                "How long traces of 2 are kept is open",
                "The retention of traces of 2 is not specified",
                false,
            ),
        ] {
            let nearness = of(one).nearness(&of(other));
            assert_eq!(nearness.is_some(), expected, "{one} | {other}");
        }
    }
}
