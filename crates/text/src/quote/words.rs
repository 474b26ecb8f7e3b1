//! The words of a string with their places.

use std::ops::Range;

use icu_normalizer::ComposingNormalizerBorrowed;

/// The maximum length of a tag and of the target of a link, in bytes.
const MAX_HIDDEN: usize = 2_000;

/// Words that turn a statement round.
const NEGATIONS: [&str; 11] = [
    "cannot", "except", "neither", "never", "no", "none", "nor", "not", "only", "t", "without",
];

/// A run of letters or of digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// Its letters or digits, without differences of case and of typography.
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
    /// Whether a reader of the rendered text sees it.
    pub(crate) is_seen: bool,
}

/// Whether another word in the place of this one makes another statement.
pub(crate) fn is_decisive(word: &str) -> bool {
    word.chars().any(char::is_numeric) || NEGATIONS.binary_search(&word).is_ok()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Other,
}

impl Class {
    fn of(c: char) -> Self {
        match c {
            // Accents that are characters of their own.
            '\u{300}'..='\u{36f}' => Self::Letter,
            c if c.is_numeric() => Self::Digit,
            c if c.is_alphabetic() => Self::Letter,
            _ => Self::Other,
        }
    }
}

/// Whether a character only says how a word may be broken or joined, and is not seen: soft
/// hyphens and characters without width.
const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}'
    )
}

/// The words of a string in order.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Word> {
    let hidden = hidden(text);
    let mut past = 0;
    runs(text).map(move |span| {
        while hidden.get(past).is_some_and(|part| part.end <= span.start) {
            past += 1;
        }
        let part = hidden.get(past);
        Word {
            text: folded(text.get(span.clone()).unwrap_or_default()),
            is_seen: part.is_none_or(|part| span.start < part.start),
            span,
        }
    })
}

fn folded(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let normalizer = ComposingNormalizerBorrowed::new_nfkc();
    let seen = word.chars().filter(|c| !is_invisible(*c));
    let normalized: String = normalizer.normalize_iter(seen).collect();
    normalized.to_lowercase()
}

/// The runs of letters and of digits.
fn runs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (start, first) = chars.next()?;
            let class = Class::of(first);
            if class == Class::Other {
                continue;
            }
            let mut end = start + first.len_utf8();
            let goes_on = |next: char| is_invisible(next) || Class::of(next) == class;
            while let Some((at, next)) = chars.next_if(|(_, next)| goes_on(*next)) {
                if !is_invisible(next) {
                    end = at + next.len_utf8();
                }
            }
            return Some(start..end);
        }
    })
}

/// The parts of a Markdown text that a reader does not see, in order: numbers of lists,
/// targets of links, and tags.
fn hidden(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches([' ', '\t', '>']);
        let indent = line.len() - content.len();
        let digits = content.len()
            - content
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        let after = content.get(digits..).unwrap_or_default();
        let mut at = 0;
        if digits > 0 && (after.starts_with(". ") || after.starts_with(") ")) {
            at = indent + digits;
            parts.push(start + indent..start + at);
        }
        while let Some(part) = next_hidden(line, at) {
            at = part.end;
            parts.push(start + part.start..start + part.end);
        }
        start += line.len();
    }
    parts
}

/// The next target of a link or tag of a line.
fn next_hidden(line: &str, from: usize) -> Option<Range<usize>> {
    let bytes = line.as_bytes();
    let mut at = from;
    loop {
        at += bytes
            .get(at..)?
            .iter()
            .position(|byte| matches!(byte, b']' | b'<'))?;
        let rest = bytes.get(at..at.saturating_add(MAX_HIDDEN).min(bytes.len()))?;
        let end = match rest {
            [b']', b'(', ..] => rest.iter().position(|byte| *byte == b')'),
            [b'<', next, ..] if next.is_ascii_alphabetic() || matches!(next, b'/' | b'!') => {
                rest.iter().position(|byte| *byte == b'>')
            }
            _ => None,
        };
        match end {
            Some(end) => return Some(at + 1..at + end),
            None => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_same_in_any_typography() {
        for (text, expected) in [
            (
                "At most 50ms, p99.",
                &["at", "most", "50", "ms", "p", "99"][..],
            ),
            ("**Don\u{2019}t** `panic!`", &["don", "t", "panic"]),
            (
                "\u{fb01}le \u{ff11}\u{ff12} x\u{b2}",
                &["file", "12", "x", "2"],
            ),
            ("Cafe\u{301} = caf\u{e9}", &["caf\u{e9}", "caf\u{e9}"]),
            ("STRASSE \u{1e9e}", &["strasse", "\u{df}"]),
            (
                "re\u{ad}quest Re\u{ad}\u{200b}quest",
                &["request", "request"],
            ),
            (
                "a\u{200c}b c\u{200d}d e\u{2060}f g\u{feff}h",
                &["ab", "cd", "ef", "gh"],
            ),
            ("1\u{200b}000\u{ad}ms", &["1000", "ms"]),
            ("\u{feff}\u{ad} a", &["a"]),
            ("", &[]),
        ] {
            let found: Vec<_> = words(text).map(|word| word.text).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_word_ends_at_its_last_character_that_is_seen() {
        let text = "\u{ad}re\u{ad}quest\u{200b}, 50\u{ad}ms";
        let spans: Vec<_> = words(text).map(|word| &text[word.span]).collect();
        assert_eq!(spans, ["re\u{ad}quest", "50", "ms"]);
    }

    #[test]
    fn a_reader_does_not_see_targets_of_links_numbers_of_lists_and_tags() {
        for (text, expected) in [
            ("see [the guide](docs/guide.md) here", "see the guide here"),
            ("> 12. first\n3) second\n2024. was", "first second was"),
            ("a <br/>b <!-- c --> d < e > f", "a b d e f"),
            ("x](y", "x y"),
            ("1.5 s", "1 5 s"),
            ("[a](b) 7. c](d)", "a 7 c"),
        ] {
            let seen = words(text).filter(|word| word.is_seen);
            let seen: Vec<_> = seen.map(|word| word.text).collect();
            assert_eq!(seen.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn numbers_and_negations_are_decisive() {
        let decisive = ["50", "not", "never", "without", "t"];
        assert!(decisive.iter().all(|word| is_decisive(word)));
        assert!(NEGATIONS.is_sorted());
        assert!(!is_decisive("shall"));
    }
}
