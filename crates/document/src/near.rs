//! The names that somebody who mistyped one may have meant.

use std::borrow::Cow;

/// No name of a file, key or task is longer; longer words have no neighbours.
const MAX_LENGTH: usize = 128;

/// The candidates nearest to `word`, best first, at most `count`.
///
/// Case and the difference between `_` and `-` cost nothing. A candidate
/// counts as near when at most a third of the word differs, or when one of
/// the two begins with the other.
pub fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    let word = folded(word);
    if word.is_empty() || word.len() > MAX_LENGTH {
        return Vec::new();
    }
    let length = word.chars().count();
    let limit = (length + 1) / 3;
    let mut near: Vec<_> = candidates
        .into_iter()
        .filter(|candidate| !candidate.is_empty() && candidate.len() <= MAX_LENGTH)
        .filter(|candidate| {
            // Two words differ by no less than their lengths do.
            !candidate.is_ascii()
                || candidate.len().abs_diff(length) <= limit
                || begin_alike(candidate, &word)
        })
        .filter_map(|candidate| {
            let folded = folded(candidate);
            let prefix = folded.starts_with(&*word) || word.starts_with(&*folded);
            if !prefix && least_distance(&word, &folded) > limit {
                return None;
            }
            let distance = strsim::damerau_levenshtein(&word, &folded);
            (distance <= limit || prefix).then_some((distance, candidate))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.truncate(count);
    near.into_iter().map(|(_, candidate)| candidate).collect()
}

/// The least number of edits by which two words can differ: as many as one of
/// them has characters that the other lacks. Counting them is much cheaper than
/// the distance itself.
fn least_distance(one: &str, other: &str) -> usize {
    const KINDS: usize = 64;
    let mut surplus = [0_i16; KINDS];
    for (word, step) in [(one, 1), (other, -1)] {
        for char in word.chars() {
            surplus[char as usize % KINDS] += step;
        }
    }
    let sum = |sign: i16| {
        surplus
            .iter()
            .map(|count| (count * sign).max(0))
            .sum::<i16>()
    };
    usize::from(sum(1).max(sum(-1)).unsigned_abs())
}

/// Whether a candidate begins with a folded word, or the word with it.
fn begin_alike(candidate: &str, word: &str) -> bool {
    let folded = candidate.bytes().map(fold_byte);
    folded.zip(word.bytes()).all(|(a, b)| a == b)
}

fn fold_byte(byte: u8) -> u8 {
    if byte == b'_' {
        b'-'
    } else {
        byte.to_ascii_lowercase()
    }
}

/// Lower case with `-` for `_`: how names are compared.
#[must_use]
pub fn fold(name: &str) -> String {
    folded(name).into_owned()
}

/// Whether two names are the same as [`fold`] has them.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    if one.is_ascii() && other.is_ascii() {
        one.bytes().map(fold_byte).eq(other.bytes().map(fold_byte))
    } else {
        folded(one) == folded(other)
    }
}

/// A name as [`fold`] has it; one that is written so already is only borrowed.
pub(crate) fn folded(name: &str) -> Cow<'_, str> {
    if !name.is_ascii() {
        let lower = name.chars().flat_map(char::to_lowercase);
        return lower
            .map(|char| if char == '_' { '-' } else { char })
            .collect();
    }
    if name.bytes().all(|byte| fold_byte(byte) == byte) {
        return Cow::Borrowed(name);
    }
    name.bytes()
        .map(|byte| char::from(fold_byte(byte)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_but_for_case_and_underscores() {
        for (one, other, same) in [
            ("Event_Bus", "event-bus", true),
            ("event-bus", "event-buss", false),
            ("event-buss", "event-bus", false),
            ("\u{c9}TAT_1", "\u{e9}tat-1", true),
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
    fn words_differ_by_no_less_than_by_their_characters() {
        for (one, other, least) in [
            ("abc", "abc", 0),
            ("abc", "cba", 0),
            ("aab", "abc", 1),
            ("", "abc", 3),
            ("abcd", "wxyz", 4),
        ] {
            assert_eq!(least_distance(one, other), least, "{one} {other}");
            assert_eq!(least_distance(other, one), least, "{one} {other}");
            assert!(strsim::damerau_levenshtein(one, other) >= least);
        }
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
