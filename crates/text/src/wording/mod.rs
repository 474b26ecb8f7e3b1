//! The wording of feedback: vague issues, advisory actions, and actions without a
//! concrete change.
//!
//! Phrases are matched as whole words in any case, with any blanks between them; text
//! in quotes or backticks does not count, unless all of it is.

mod clause;
mod imperative;
mod phrase;

use phrase::List;

use crate::quoted;

/// A list of vague phrases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wording {
    /// Phrases that do not specify the problem.
    Vague,
    /// Phrases that advise instead of requesting a change.
    Advisory,
}

/// An occurrence of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The phrase as it is listed.
    pub phrase: &'static str,
    /// The byte offset.
    pub at: usize,
    /// Its weight in the sentence.
    pub weight: Weight,
}

/// The weight of a phrase in its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// It is inside a clause: "cases the parser does not consider".
    Inside,
    /// It starts the clause, or is the whole predicate of its subject.
    Leading,
}

impl Wording {
    /// Both lists.
    pub const ALL: [Self; 2] = [Self::Vague, Self::Advisory];

    /// Returns what is wrong with a phrase of the list, and what to write instead.
    #[must_use]
    pub const fn objection(self) -> &'static str {
        match self {
            Self::Vague => "is vague; say what is wrong, and what happens as a result",
            Self::Advisory => "is advice; say what to change",
        }
    }

    /// The phrases of the list, in lower case.
    pub fn phrases(self) -> impl ExactSizeIterator<Item = &'static str> {
        self.list().phrases.iter().map(|phrase| phrase.text)
    }

    /// Returns the phrase of the list with the highest weight in `text`; the first in
    /// case of a tie.
    ///
    /// ```
    /// use review_text::wording::{Weight, Wording};
    ///
    /// let hit = Wording::Advisory.find("Consider a smaller buffer").unwrap();
    /// assert_eq!((hit.phrase, hit.weight), ("consider", Weight::Leading));
    /// assert_eq!(Wording::Advisory.find("Wrap it in `Consider`"), None);
    /// ```
    #[must_use]
    pub fn find(self, text: &str) -> Option<Hit> {
        let list = self.list();
        phrase::matches(list, text).next()?;
        let blanked = quoted::blanked(text);
        let is_all_quoted = !blanked.chars().any(char::is_alphanumeric);
        let text = if is_all_quoted {
            text.to_owned()
        } else {
            blanked
        };
        let mut best: Option<Hit> = None;
        for (phrase, at) in phrase::matches(list, &text) {
            let weight = clause::weight(phrase.role, &text, at);
            if best.is_none_or(|hit| hit.weight < weight) {
                let phrase = phrase.text;
                best = Some(Hit { phrase, at, weight });
            }
            if weight == Weight::Leading {
                break;
            }
        }
        best
    }

    fn list(self) -> &'static List {
        match self {
            Self::Vague => &phrase::VAGUE,
            Self::Advisory => &phrase::ADVISORY,
        }
    }
}

/// Whether an action is concrete: it starts with an imperative, or contains a code
/// span, a path or a number.
#[must_use]
pub fn is_concrete(action: &str) -> bool {
    imperative::starts_with_verb(action) || names_something(action)
}

/// Words before the verb of an instruction.
const BEFORE_VERB: &[&str] = &["please", "always", "also", "first", "then"];
/// Openings of an instruction that forbids something.
const FORBIDDING: &[&str] = &["never", "don't", "don\u{2019}t", "do not", "no longer"];
/// Openings of a condition, which an instruction follows after a comma.
const CONDITIONS: &[&str] = &[
    "after", "as", "at", "before", "for", "from", "if", "in", "on", "once", "unless", "when",
    "whenever", "where", "while", "with", "without",
];

/// Whether a string tells someone to do something, or not to do it: it starts with an
/// imperative, after a condition if there is one.
///
/// ```
/// use review_text::wording::is_instruction;
///
/// assert!(is_instruction("Set a timeout on each upload."));
/// assert!(is_instruction("When a file is uploaded, set a timeout."));
/// assert!(!is_instruction("You forgot the timeout in src/upload.rs."));
/// ```
#[must_use]
pub fn is_instruction(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_condition = CONDITIONS.iter().any(|word| after(text, word).is_some());
    if is_condition && let Some((_, rest)) = text.split_once(", ") {
        return is_instruction(rest);
    }
    if FORBIDDING.iter().any(|word| after(text, word).is_some()) {
        return true;
    }
    match BEFORE_VERB.iter().find_map(|word| after(text, word)) {
        Some(rest) => is_instruction(rest),
        None => imperative::starts_with_verb(text),
    }
}

/// The string after its first word, if that is `word` in any case.
fn after<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let start = text.get(..word.len())?;
    let rest = text.get(word.len()..)?;
    let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'');
    (start.eq_ignore_ascii_case(word) && ends).then_some(rest)
}

fn names_something(action: &str) -> bool {
    action.contains('`')
        || action.bytes().any(|byte| byte.is_ascii_digit())
        || action.split_whitespace().any(is_path)
}

/// Whether a word is a path or a file name.
fn is_path(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
    let inner = |mark: char| {
        word.match_indices(mark).any(|(at, _)| {
            let before = word.get(..at).and_then(|part| part.chars().next_back());
            let behind = word.get(at + 1..).and_then(|part| part.chars().next());
            before.is_some_and(char::is_alphanumeric) && behind.is_some_and(char::is_alphanumeric)
        })
    };
    word.matches('/').count() > 1 || word.starts_with('/') && word.len() > 1 || inner('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(list: Wording, text: &str) -> Option<Weight> {
        list.find(text).map(|hit| hit.weight)
    }

    #[test]
    fn an_issue_is_vague_if_its_clause_has_no_other_content() {
        for (text, expected) in [
            ("Code could be better", Some(Weight::Leading)),
            (
                "The naming of the helpers needs\n improvement",
                Some(Weight::Leading),
            ),
            (
                "CONSIDER  CHANGING the order of the fields",
                Some(Weight::Leading),
            ),
            (
                "Works, but you might want to split it",
                Some(Weight::Leading),
            ),
            (
                "One should probably lock the file here",
                Some(Weight::Leading),
            ),
            (
                "The comment says that the loop should probably stop",
                Some(Weight::Inside),
            ),
            (
                "It is unclear when callers might want to retry",
                Some(Weight::Inside),
            ),
            ("The page prints \"could be better\" for every score", None),
            ("\"Code could be better\"", Some(Weight::Leading)),
            ("The word `needs improvement` is translated twice", None),
            ("The index could be betterment of nothing at all", None),
            ("The function lacks input validation for null", None),
        ] {
            assert_eq!(weight(Wording::Vague, text), expected, "{text}");
        }
    }

    #[test]
    fn an_advisory_action_starts_its_clause_with_advice() {
        for (text, expected) in [
            ("Consider improving this", Some(Weight::Leading)),
            (
                "Please also consider a smaller buffer",
                Some(Weight::Leading),
            ),
            (
                "Rename the field; perhaps to `limit`",
                Some(Weight::Leading),
            ),
            ("1. Think about the order of locks", Some(Weight::Leading)),
            (
                "Split it. You  Might then drop the flag",
                Some(Weight::Leading),
            ),
            (
                "Handle the cases the parser does not consider",
                Some(Weight::Inside),
            ),
            ("Ask those who maybe wrote it", Some(Weight::Inside)),
            ("Replace the union by MaybeUninit", None),
            ("Rename consider_all to every", None),
            ("Reconsider the considerate approach", None),
            ("Delete the sentence 'Consider this' from the page", None),
            ("Replace the loop by one call of map", None),
        ] {
            assert_eq!(weight(Wording::Advisory, text), expected, "{text}");
        }
    }

    #[test]
    fn the_phrase_with_the_highest_weight_is_found() {
        let hit = |text| Wording::Advisory.find(text);
        let text = "Cover what readers consider, then maybe delete it: think about it";
        let expected = Hit {
            phrase: "maybe",
            at: 34,
            weight: Weight::Leading,
        };
        assert_eq!(hit(text), Some(expected));
        let text = "Ask why readers consider it and what they perhaps mean";
        let expected = Hit {
            phrase: "consider",
            at: 16,
            weight: Weight::Inside,
        };
        assert_eq!(hit(text), Some(expected));
    }

    #[test]
    fn adjacent_characters_that_are_not_ascii_letters_count_too() {
        assert_eq!(weight(Wording::Advisory, "äconsider, considerä"), None);
        let dash = "Drop it —maybe— at once";
        assert_eq!(weight(Wording::Advisory, dash), Some(Weight::Leading));
    }

    #[test]
    fn a_concrete_action_has_an_imperative_or_a_name() {
        for text in [
            "Replace the loop",
            "  add a test",
            "- Move it up",
            "The limit becomes 30 seconds",
            "The call of `open` goes first",
            "What is in src/main/lib goes first",
            "The table of notes.md goes first",
            "Everything of /etc goes first",
        ] {
            assert!(is_concrete(text), "{text}");
        }
        for text in [
            "Better error handling in this place",
            "The read/write order is the other way round.",
            "Addition of a test for it",
            "A / alone and ... dots",
            "",
        ] {
            assert!(!is_concrete(text), "{text}");
        }
    }

    #[test]
    fn hostile_texts_are_read_in_linear_time() {
        let many = "'a \"b `c maybe ".repeat(20_000);
        assert_eq!(weight(Wording::Advisory, &many), Some(Weight::Inside));
        let words = "consider ".repeat(20_000);
        assert_eq!(weight(Wording::Advisory, &words), Some(Weight::Leading));
        let inside = format!("x {}", "consider ".repeat(20_000));
        assert_eq!(weight(Wording::Advisory, &inside), Some(Weight::Inside));
    }

    #[test]
    fn the_lists_are_those_of_the_published_schema() {
        let vague: Vec<_> = Wording::Vague.phrases().collect();
        let expected = [
            "could be better",
            "needs improvement",
            "consider changing",
            "might want to",
            "should probably",
        ];
        assert_eq!(vague, expected);
        let advisory: Vec<_> = Wording::Advisory.phrases().collect();
        let expected = ["think about", "consider", "maybe", "perhaps", "you might"];
        assert_eq!(advisory, expected);
    }
}
