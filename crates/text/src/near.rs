//! Comparison of names, and suggestions for mistyped ones.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;

/// Longer words than any name of a file, key or task have no suggestions.
const MAX_LENGTH: usize = 128;

/// Maximum number of edits after which a key is taken for a mistyped one: others belong to
/// another program.
const MAX_EDITS: usize = 2;

/// Returns the candidates nearest to `word`, best first, at most `count`.
///
/// Case and the difference between `_` and `-` are ignored. A candidate
/// counts as near when at most a third of the word differs, or when one of
/// the two starts with the other.
pub fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    let mut near = ranked(word, candidates, true, usize::MAX);
    near.truncate(count);
    near
}

/// Returns the known key that `key` is with at most two mistakes. Keys that differ more may be
/// those of other programs.
pub fn mistyped<'a>(key: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    ranked(key, known, false, MAX_EDITS).into_iter().next()
}

fn ranked<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    with_prefixes: bool,
    most: usize,
) -> Vec<&'a str> {
    let word = fold(word);
    if word.is_empty() || word.len() > MAX_LENGTH {
        return Vec::new();
    }
    let length = word.chars().count();
    let limit = ((length + 1) / 3).min(most);
    let mut near: Vec<_> = candidates
        .into_iter()
        .filter(|candidate| !candidate.is_empty() && candidate.len() <= MAX_LENGTH)
        .filter_map(|candidate| {
            let folded = fold(candidate);
            let is_prefix =
                with_prefixes && (folded.starts_with(&word) || word.starts_with(&folded));
            if !is_prefix && folded.chars().count().abs_diff(length) > limit {
                return None;
            }
            let distance = strsim::damerau_levenshtein(&word, &folded);
            (distance <= limit || is_prefix).then_some((distance, candidate))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Returns `name` in lower case with `-` for `_` and composed characters, for comparison.
#[must_use]
pub fn fold(name: &str) -> String {
    composed(name).to_lowercase().replace('_', "-")
}

/// Returns a name with composed characters (NFC): some systems store names with their
/// accents apart (NFD), and people type them composed.
#[must_use]
pub fn composed(name: &str) -> Cow<'_, str> {
    const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfc();
    NFC.normalize(name)
}

/// Returns whether two names are equal after [`fold`].
#[must_use]
pub fn is_same(one: &str, other: &str) -> bool {
    fold(one) == fold(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_at_most_two_edits_is_mistyped() {
        let known = ["id", "timestamp", "target", "severity"];
        for (key, expected) in [
            ("timestmap", Some("timestamp")),
            ("targets", Some("target")),
            ("Severity", Some("severity")),
            ("s\u{e9}verity", Some("severity")),
            ("severity\u{1f600}\u{1f600}", Some("severity")),
            ("sevrty", Some("severity")),
            ("sevry", None),
            ("target_of", None),
            ("ide", Some("id")),
            ("x", None),
            ("xy", None),
            ("author", None),
            ("", None),
        ] {
            assert_eq!(mistyped(key, known), expected, "{key}");
        }
        assert_eq!(mistyped("it", ["id", "it"]), Some("it"));
        assert_eq!(mistyped("ia", ["ib", "ic"]), Some("ib"));
    }

    #[test]
    fn names_are_the_same_but_for_case_and_underscores() {
        for (one, other, same) in [
            ("Event_Bus", "event-bus", true),
            ("event-bus", "event-buss", false),
            ("event-buss", "event-bus", false),
            ("\u{c9}TAT_1", "\u{e9}tat-1", true),
            ("\u{c9}tat", "E\u{301}tat", true),
            ("\u{212a}", "k", true),
            ("\u{e9}", "e", false),
        ] {
            assert_eq!(is_same(one, other), same, "{one} {other}");
            assert_eq!(fold(one) == fold(other), same, "{one} {other}");
        }
    }

    #[test]
    fn near_names_come_best_first() {
        let names = ["spec-review", "spec-reviews", "spec", "worker", "git"];
        assert_eq!(
            nearest("SPEC_REVEIW", names, 2),
            ["spec-review", "spec-reviews"]
        );
        assert_eq!(nearest("spec-review", names, 9)[2], "spec");
        assert_eq!(nearest("gti", names, 3), ["git"]);
        assert_eq!(nearest("banana", names, 3), [""; 0]);
    }

    #[test]
    fn a_candidate_may_be_longer_or_shorter_by_a_third() {
        assert_eq!(nearest("abcde", ["xabcdey", "xabcdeyz"], 9), ["xabcdey"]);
        assert_eq!(nearest("abcdef", ["bcde", "bcd"], 9), ["bcde"]);
        assert_eq!(nearest("\u{e9}bcde", ["x\u{e9}bcdey"], 9), ["x\u{e9}bcdey"]);
    }

    #[test]
    fn nothing_is_near_to_an_empty_or_a_huge_word() {
        assert_eq!(nearest("", ["a"], 3), [""; 0]);
        assert_eq!(nearest(&"a".repeat(129), ["a"], 3), [""; 0]);
        let huge = "a".repeat(129);
        assert_eq!(nearest("a", [huge.as_str()], 3), [""; 0]);
        assert_eq!(nearest("a", ["", "b", "ab"], 3), ["ab"]);
    }
}
