//! Vague words in requirements.

mod classes;
mod lists;
mod number;

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use review_document::Span;

pub(crate) use classes::WordClass;
pub(crate) use lists::{WordList, listed};
pub(crate) use number::has_number;

/// A vague word in a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VagueWord {
    pub(crate) class: WordClass,
    /// Its span in the content.
    pub(crate) span: Span,
}

/// All words, and the idioms in which they are precise; absent only if the expression
/// does not compile.
static SEARCH: LazyLock<Option<Search>> = LazyLock::new(|| {
    let mut automaton = AhoCorasick::builder();
    automaton.match_kind(MatchKind::LeftmostLongest);
    automaton.ascii_case_insensitive(true);
    let patterns: Vec<_> = phrases().collect();
    let automaton = automaton
        .build(patterns.iter().map(|(word, _)| word))
        .ok()?;
    let classes = patterns.iter().map(|(_, class)| *class).collect();
    Some(Search { automaton, classes })
});

/// The listed words with their classes; `None` for an idiom.
fn phrases() -> impl Iterator<Item = (&'static str, Option<WordClass>)> {
    let lines = include_str!("../../data/vague-words.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    let lists = lines.filter_map(|line| line.split_once(": "));
    lists.flat_map(|(class, words)| {
        let class = WordClass::named(class);
        words.split(", ").map(move |word| (word, class))
    })
}

struct Search {
    automaton: AhoCorasick,
    /// The class of each pattern; `None` for an idiom.
    classes: Vec<Option<WordClass>>,
}

/// The vague words of a string that are whole words and not part of an idiom.
pub(crate) fn vague_words(text: &str) -> impl Iterator<Item = VagueWord> + '_ {
    let search = SEARCH.as_ref();
    search.into_iter().flat_map(move |search| {
        search.automaton.find_iter(text).filter_map(|found| {
            let class = search.classes.get(found.pattern().as_usize())?;
            let span = Span::from(found.range());
            let word = VagueWord {
                class: (*class)?,
                span,
            };
            is_whole(text, span).then_some(word)
        })
    })
}

/// Whether the word is not joined to a letter, digit or hyphen.
fn is_whole(text: &str, span: Span) -> bool {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '\'' | '’');
    let before = text[..span.start].chars().next_back();
    let after = text[span.end..].chars().next();
    !before.is_some_and(joins) && !after.is_some_and(joins)
}

/// Whether a string contains `part`, which is lower-case ASCII, ignoring case.
pub(crate) fn contains(text: &str, part: &str) -> bool {
    text.to_ascii_lowercase().contains(part)
}

/// Whether a string starts with `part`, which is ASCII, ignoring case.
pub(crate) fn begins(text: &str, part: &str) -> bool {
    let head = text.get(..part.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(part))
}

/// The first `limit` characters of a string.
pub(crate) fn beginning(text: &str, limit: usize) -> &str {
    let end = text.char_indices().nth(limit);
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, WordClass)> {
        let words = vague_words(text);
        words
            .map(|word| (word.span.slice(text).unwrap(), word.class))
            .collect()
    }

    #[test]
    fn words_are_compared_ignoring_case() {
        assert!(contains("The MUST Pass table", "must pass") && contains("ab", "ab"));
        assert!(!contains("must  pass", "must pass") && !contains("", "a"));
        assert!(contains("a Must pas MUST PASS", "must pass") && contains("a", ""));
        assert!(begins("Files to make", "file") && !begins("fil", "file"));
        assert!(!begins("afile", "file") && !begins("fil\u{e9}", "file"));
    }

    #[test]
    fn the_start_of_a_text_is_measured_in_characters() {
        let cases = [
            ("abc", "abc"),
            ("abcd", "abc"),
            ("\u{e9}\u{e9}\u{e9}", "\u{e9}\u{e9}\u{e9}"),
            ("\u{e9}bcd", "\u{e9}bc"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(beginning(text, 3), expected, "{text}");
        }
    }

    #[test]
    fn words_are_found_in_any_case() {
        assert_eq!(
            found("Several users OFTEN retry, if possible."),
            [
                ("Several", WordClass::Quantity),
                ("OFTEN", WordClass::Frequency),
                ("if possible", WordClass::Loophole),
            ]
        );
    }

    #[test]
    fn the_longest_phrase_wins() {
        assert_eq!(
            found("as soon as possible, where appropriate"),
            [
                ("as soon as possible", WordClass::Time),
                ("where appropriate", WordClass::Loophole),
            ]
        );
    }

    #[test]
    fn parts_of_words_and_idioms_are_not_vague() {
        for text in [
            "insufficient",
            "fast-forward",
            "non-trivial/simple",
            "a graceful shutdown that cleans up",
            "how often it runs",
            "as soon as it ends",
            "breakfast",
            "the most recent run",
            "simple_name",
            "it exits normally",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn every_idiom_contains_a_listed_word() {
        let (words, idioms): (Vec<_>, Vec<_>) = phrases().partition(|(_, class)| class.is_some());
        assert_eq!((words.len(), idioms.len()), (98, 35));
        for (idiom, _) in idioms {
            assert!(
                words.iter().any(|(word, _)| idiom.contains(word)),
                "{idiom}"
            );
            assert_eq!(found(idiom), [], "{idiom}");
        }
    }

    #[test]
    fn no_word_is_in_two_lists() {
        let mut seen = std::collections::BTreeSet::new();
        for (word, _) in phrases() {
            assert!(seen.insert(word), "{word}");
            assert_eq!(word, word.to_lowercase());
        }
    }
}
