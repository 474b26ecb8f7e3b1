//! Inference of a common pattern from a message.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::LazyLock;

use review_text::stems;

use crate::corrections::{CorrectionType, PatternName};
use crate::normal::{contains, normal};

/// The maximum number of bytes of a message that are read.
const MAX_READ: usize = 4_096;

/// The phrases of a common pattern.
struct Phrases {
    name: &'static str,
    /// Phrases whose words follow one another, also such without a significant word.
    said: &'static [&'static str],
    /// Phrases whose significant words occur anywhere, in any form.
    about: &'static [&'static str],
}

const PHRASES: [Phrases; 8] = [
    Phrases {
        name: "missing-error-handling",
        said: &["handle the case that", "handle the failure"],
        about: &[
            "handle error",
            "error handling",
            "unhandled error",
            "handle exception",
            "catch exception",
            "caught exception",
            "wrap error",
            "swallowed error",
            "ignores error",
        ],
    },
    Phrases {
        name: "overly-complex-solution",
        said: &[
            "keep it simple",
            "make it simpler",
            "much simpler",
            "no simpler",
            "over complicated",
            "over engineered",
            "overly complex",
            "overly complicated",
            "too complex",
            "too complicated",
        ],
        about: &[
            "complex solution",
            "simpler approach",
            "simpler solution",
            "simpler way",
            "complicated solution",
            "overcomplicated",
            "overengineered",
            "overkill",
        ],
    },
    Phrases {
        name: "wrong-api-usage",
        said: &[],
        about: &[
            "wrong api",
            "wrong endpoint",
            "wrong method",
            "wrong function",
            "deprecated api",
            "deprecated method",
            "deprecated function",
            "wrong argument",
        ],
    },
    Phrases {
        name: "missing-validation",
        said: &[],
        about: &[
            "validate input",
            "missing validation",
            "forgot validation",
            "check input",
            "check argument",
            "validate argument",
            "unchecked input",
            "sanitize",
        ],
    },
    Phrases {
        name: "style-mismatch",
        said: &[
            "as everywhere else",
            "camel case",
            "early returns",
            "kebab case",
            "like everywhere else",
            "our convention",
            "our conventions",
            "our style",
            "snake case",
            "spaces over tabs",
            "tabs over spaces",
        ],
        about: &[
            "naming convention",
            "code style",
            "formatting style",
            "prefer style",
            "prefer tabs",
            "prefer spaces",
            "indentation",
        ],
    },
    Phrases {
        name: "scope-creep",
        said: &[
            "did not ask for",
            "did not ask you",
            "didn't ask for",
            "didn't ask you",
            "do not touch",
            "don't touch",
            "i never asked",
            "i only asked",
            "i only wanted",
            "more than asked",
            "more than i asked",
            "more than was asked",
            "nobody asked",
            "out of scope",
            "stop adding",
            "stop changing",
            "without asking",
        ],
        about: &[
            "scope creep",
            "outside scope",
            "unrelated change",
            "unrequested change",
        ],
    },
    Phrases {
        name: "incomplete-implementation",
        said: &[
            "half done",
            "left a todo",
            "left todos",
            "not finished",
            "you only did",
            "you stopped halfway",
        ],
        about: &[
            "unfinished",
            "incomplete",
            "forgot implement",
            "finish implementation",
            "left stub",
            "left placeholder",
        ],
    },
    Phrases {
        name: "misunderstood-requirement",
        said: &[
            "is not what i meant",
            "isn't what i meant",
            "not what i meant",
            "you misread",
        ],
        about: &[
            "misunderstood",
            "misunderstanding",
            "misread requirement",
            "wrong problem",
            "different requirement",
        ],
    },
];

/// The stems of each phrase about a pattern.
static STEMS: LazyLock<Vec<(&'static str, Vec<String>)>> = LazyLock::new(|| {
    let phrases = PHRASES.iter().flat_map(|phrases| {
        let about = phrases.about.iter();
        about.map(|phrase| (phrases.name, stems(phrase)))
    });
    phrases.collect()
});

/// The common patterns whose phrases a message contains: those with words that follow one
/// another first, then those with the longest phrase.
fn matches(text: &str) -> Vec<PatternName> {
    let end = text.floor_char_boundary(MAX_READ.min(text.len()));
    let text = &text[..end];
    let said = normal(text);
    let spoken = PHRASES.iter().filter(|phrases| {
        let mut phrases = phrases.said.iter();
        phrases.any(|phrase| contains(&said, phrase))
    });
    let stems: HashSet<String> = stems(text).into_iter().collect();
    let about = STEMS.iter();
    let about = about.filter(|(_, words)| words.iter().all(|word| stems.contains(word)));
    let mut about: Vec<_> = about.collect();
    about.sort_by_key(|(_, words)| Reverse(words.len()));
    let names = spoken.map(|phrases| phrases.name);
    let names = names.chain(about.into_iter().map(|(name, _)| *name));
    names
        .filter_map(|name| PatternName::new(name).ok())
        .collect()
}

/// Returns the common pattern of a phrase in a message; the one with the longest phrase if
/// there are several, then the first.
#[must_use]
pub fn inferred(text: &str) -> Option<PatternName> {
    matches(text).into_iter().next()
}

/// Returns the common pattern of a correction in the words of a user: one of its type if
/// there is one, else that of [`inferred`].
#[must_use]
pub fn inferred_as(text: &str, correction_type: CorrectionType) -> Option<PatternName> {
    let matches = matches(text);
    let is_same = |name: &&PatternName| {
        let common = name.common();
        common.is_some_and(|common| common.correction_type == correction_type)
    };
    let same = matches.iter().find(is_same);
    same.or(matches.first()).cloned()
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
        let names = PHRASES.each_ref().map(|phrases| phrases.name);
        assert_eq!(names, COMMON_PATTERNS.map(|common| common.name));
        for (name, words) in STEMS.iter() {
            assert!(!words.is_empty(), "{name}");
        }
        assert_eq!(STEMS[0].1, ["handl", "error"]);
    }

    /// Written down before the phrases.
    #[test]
    fn what_users_say_has_the_pattern_that_they_mean() {
        for (text, name) in [
            (
                "You forgot the error handling in the upload",
                "missing-error-handling",
            ),
            (
                "No, the exceptions should be caught and logged",
                "missing-error-handling",
            ),
            (
                "too complex, keep it simple please",
                "overly-complex-solution",
            ),
            (
                "This is overkill, one function is enough",
                "overly-complex-solution",
            ),
            ("No, simpler: a plain loop", "overly-complex-solution"),
            (
                "that's way too complicated for a config reader",
                "overly-complex-solution",
            ),
            (
                "That's wrong, you call the wrong endpoint",
                "wrong-api-usage",
            ),
            (
                "No, this method is deprecated, use fetch_all",
                "wrong-api-usage",
            ),
            ("you used the wrong function for this", "wrong-api-usage"),
            ("You forgot to validate the input", "missing-validation"),
            (
                "you missed the validation of the email field",
                "missing-validation",
            ),
            (
                "No, the arguments should be checked first",
                "missing-validation",
            ),
            ("I prefer tabs over spaces", "style-mismatch"),
            ("No, use tabs as everywhere else", "style-mismatch"),
            (
                "Our convention is a blank line between functions",
                "style-mismatch",
            ),
            ("You did more than I asked", "scope-creep"),
            ("I didn't ask for that", "scope-creep"),
            (
                "You changed the lock file too. I only asked for the readme.",
                "scope-creep",
            ),
            ("Don\u{2019}t touch the lock file", "scope-creep"),
            (
                "You stopped halfway, finish the implementation",
                "incomplete-implementation",
            ),
            (
                "You only did the first two cases",
                "incomplete-implementation",
            ),
            ("you left a TODO in the parser", "incomplete-implementation"),
            (
                "You misunderstood, I meant the other file",
                "misunderstood-requirement",
            ),
            ("That is not what I meant", "misunderstood-requirement"),
            ("you solved the wrong problem", "misunderstood-requirement"),
        ] {
            let inferred = inferred(text).map(|name| name.as_str().to_owned());
            assert_eq!(inferred.as_deref(), Some(name), "{text}");
        }
        for text in [
            "No, the limit should be ten",
            "that's wrong, the limit is 10 MiB",
            "Undo that, it breaks the import",
            "The complex numbers are rounded wrong",
            "You deleted my comments! Put them back",
            "I prefer Postgres over Redis",
            "You missed the German translation",
            "you broke the build",
        ] {
            assert_eq!(inferred(text), None, "{text}");
        }
    }

    #[test]
    fn a_pattern_of_the_type_of_the_correction_comes_first() {
        let text = "You forgot the error handling, and it is too complex";
        for (correction_type, name) in [
            (CorrectionType::CodeCompleteness, "missing-error-handling"),
            (CorrectionType::ApproachRejection, "overly-complex-solution"),
            (CorrectionType::CodeQuality, "overly-complex-solution"),
        ] {
            let inferred = inferred_as(text, correction_type).unwrap();
            assert_eq!(inferred.as_str(), name);
        }
    }

    #[test]
    fn only_the_start_of_a_long_text_is_read() {
        let text = format!("{} incomplete", "ä ".repeat(MAX_READ));
        assert_eq!(inferred(&text), None);
    }
}
