//! Inference of a common pattern from a text.

use std::collections::HashSet;
use std::sync::LazyLock;

use review_text::stems;

use crate::corrections::PatternName;

/// The maximum number of bytes of a text that are read.
const MAX_READ: usize = 4_096;

/// Phrases for each common pattern; a text contains a phrase if it contains all of its
/// words, in any form.
const PHRASES: [(&str, &[&str]); 8] = [
    (
        "missing-error-handling",
        &[
            "handle error",
            "error handling",
            "catch exception",
            "wrap error",
            "swallowed error",
            "ignores error",
        ],
    ),
    (
        "overly-complex-solution",
        &[
            "complex solution",
            "simpler approach",
            "complicated solution",
            "overengineered",
        ],
    ),
    (
        "wrong-api-usage",
        &[
            "wrong api",
            "wrong method",
            "wrong function",
            "deprecated api",
            "wrong argument",
        ],
    ),
    (
        "missing-validation",
        &[
            "validate input",
            "missing validation",
            "check input",
            "unchecked input",
            "sanitize",
        ],
    ),
    (
        "style-mismatch",
        &[
            "naming convention",
            "code style",
            "formatting style",
            "prefer style",
        ],
    ),
    (
        "scope-creep",
        &[
            "scope creep",
            "outside scope",
            "unrelated change",
            "unrequested change",
        ],
    ),
    (
        "incomplete-implementation",
        &[
            "unfinished",
            "incomplete",
            "forgot implement",
            "left stub",
            "left placeholder",
        ],
    ),
    (
        "misunderstood-requirement",
        &[
            "misunderstood",
            "misread requirement",
            "wrong problem",
            "different requirement",
        ],
    ),
];

/// The stems of each phrase, with its pattern.
static PHRASE_STEMS: LazyLock<Vec<(&'static str, Vec<String>)>> = LazyLock::new(|| {
    let phrases = PHRASES
        .iter()
        .flat_map(|(name, phrases)| phrases.iter().map(|phrase| (*name, stems(phrase))));
    phrases.collect()
});

/// Returns the common pattern of a phrase in a text; the one with the longest phrase if
/// there are several, then the first.
#[must_use]
pub fn inferred(text: &str) -> Option<PatternName> {
    let end = text.floor_char_boundary(MAX_READ.min(text.len()));
    let said: HashSet<String> = stems(&text[..end]).into_iter().collect();
    let mut best: Option<(usize, &'static str)> = None;
    for (name, words) in PHRASE_STEMS.iter() {
        let is_said = words.iter().all(|word| said.contains(word));
        if is_said && best.is_none_or(|(most, _)| words.len() > most) {
            best = Some((words.len(), name));
        }
    }
    best.and_then(|(_, name)| PatternName::new(name).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corrections::COMMON_PATTERNS;

    #[test]
    fn texts_match_common_patterns_in_any_word_form() {
        for (text, name) in [
            (
                "Errors are swallowed here, handle them",
                "missing-error-handling",
            ),
            ("A simpler approach would do", "overly-complex-solution"),
            ("This calls the wrong method", "wrong-api-usage"),
            ("Inputs must be validated first", "missing-validation"),
            ("That breaks our naming conventions", "style-mismatch"),
            ("Reverted unrelated changes", "scope-creep"),
            ("The parser is incomplete", "incomplete-implementation"),
            ("You misunderstood the ticket", "misunderstood-requirement"),
        ] {
            let inferred = inferred(text).map(|name| name.as_str().to_owned());
            assert_eq!(inferred.as_deref(), Some(name), "{text}");
        }
        assert_eq!(inferred("Moved the button to the left"), None);
        assert_eq!(inferred(""), None);
    }

    #[test]
    fn every_phrase_matches_its_pattern() {
        for (name, words) in PHRASE_STEMS.iter() {
            assert!(COMMON_PATTERNS.iter().any(|common| common.name == *name));
            assert!(!words.is_empty(), "{name}");
        }
        assert_eq!(PHRASE_STEMS[0].1, ["handl", "error"]);
    }

    #[test]
    fn only_the_start_of_a_long_text_is_read() {
        let text = format!("{} incomplete", "ä ".repeat(MAX_READ));
        assert_eq!(inferred(&text), None);
    }
}
