//! Names of patterns.

use std::sync::LazyLock;

use review_text::near::mistyped;
use serde::{Deserialize, Serialize};

use super::CorrectionType;

/// The maximum length of a name, in characters.
const MAX_LENGTH: usize = 64;

/// A shorter name is not descriptive.
pub(super) const SHORT: usize = 8;

/// The ASCII letters for letters with a mark.
const LETTERS: &str = include_str!("../../data/letters.txt");

/// The maximum number of names that a name is compared with.
const MAX_KNOWN: usize = 256;

/// The name of a pattern: lowercase letters, digits and single hyphens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct PatternName(String);

/// A string that is not a valid pattern name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternNameError {
    /// It is not in kebab case.
    #[error("expected kebab case: lowercase letters, digits and single hyphens")]
    NotKebab,
    /// It is too long.
    #[error("expected at most 64 characters")]
    TooLong,
}

impl PatternName {
    /// Parses a name.
    ///
    /// # Errors
    /// [`PatternNameError`] if it is not in kebab case or too long.
    pub(crate) fn new(text: &str) -> Result<Self, PatternNameError> {
        if !is_kebab(text) {
            return Err(PatternNameError::NotKebab);
        }
        if text.len() > MAX_LENGTH {
            return Err(PatternNameError::TooLong);
        }
        Ok(Self(text.to_owned()))
    }

    /// Converts a string in another case to a name in kebab case.
    pub(crate) fn converted(text: &str) -> Option<Self> {
        // A name that loses letters is another one.
        let is_lost = |c: char| c.is_alphabetic() && !unaccented(c).iter().all(char::is_ascii);
        if text.chars().any(is_lost) {
            return None;
        }
        // A string of this length cannot give a valid name.
        if text.len() > 4 * MAX_LENGTH {
            return None;
        }
        Self::new(&kebab(text)).ok()
    }

    /// Returns the name as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The common pattern of this name, if there is one.
    pub fn common(&self) -> Option<&'static CommonPattern> {
        CommonPattern::named(&self.0)
    }
}

impl TryFrom<String> for PatternName {
    type Error = PatternNameError;

    fn try_from(text: String) -> Result<Self, PatternNameError> {
        Self::new(&text)
    }
}

/// Whether a string matches `[a-z0-9]+(-[a-z0-9]+)*`.
fn is_kebab(text: &str) -> bool {
    let mut after_hyphen = true;
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' => after_hyphen = false,
            b'-' if !after_hyphen => after_hyphen = true,
            _ => return false,
        }
    }
    !after_hyphen
}

/// Returns a string in kebab case: a hyphen at each start of a word and for every
/// character that is neither a letter nor a digit.
fn kebab(text: &str) -> String {
    let chars: Vec<char> = text.chars().flat_map(unaccented).collect();
    let mut name = String::with_capacity(text.len() + 8);
    for (at, c) in chars.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            if !name.is_empty() && !name.ends_with('-') {
                name.push('-');
            }
            continue;
        }
        let before = at.checked_sub(1).map(|at| chars[at]);
        let follows_small = before.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        let next_is_small = chars.get(at + 1).is_some_and(char::is_ascii_lowercase);
        let follows_capital = before.is_some_and(|c| c.is_ascii_uppercase());
        let begins_word =
            c.is_ascii_uppercase() && (follows_small || (follows_capital && next_is_small));
        if begins_word && !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name.trim_end_matches('-').to_owned()
}

/// The ASCII letters for a Latin letter with a mark; any other character as it is.
fn unaccented(c: char) -> Vec<char> {
    let small = c.to_lowercase().next().unwrap_or(c);
    let mut letters = LETTERS.lines().filter_map(|line| line.split_once(' '));
    let plain = letters.find(|(_, marked)| !c.is_ascii() && marked.contains(small));
    let mut plain: Vec<char> = plain.map_or(vec![c], |(plain, _)| plain.chars().collect());
    if c.is_uppercase() {
        plain[0] = plain[0].to_ascii_uppercase();
    }
    plain
}

/// A pattern that is common in many projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommonPattern {
    /// Its name.
    pub name: &'static str,
    /// The type of its corrections.
    pub correction_type: CorrectionType,
    /// A description of the behaviour, which follows "Claude" or another name.
    pub description: &'static str,
    /// The lesson that follows from it.
    pub lesson: &'static str,
}

static COMMON_PATTERNS: LazyLock<Vec<CommonPattern>> = LazyLock::new(|| {
    let rows = include_str!("../../data/patterns.txt").lines();
    let rows = rows.filter_map(|row| match row.split('\t').collect::<Vec<_>>()[..] {
        [name, correction_type, description, lesson] => Some(CommonPattern {
            name,
            correction_type: correction_type.parse().ok()?,
            description,
            lesson,
        }),
        _ => None,
    });
    rows.collect()
});

impl CommonPattern {
    /// The common patterns that the format defines.
    pub(crate) fn all() -> &'static [Self] {
        &COMMON_PATTERNS
    }

    /// The common pattern of this name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|known| known.name == name)
    }

    pub(crate) fn to_name(self) -> PatternName {
        PatternName(self.name.to_owned())
    }
}

/// The names seen so far, used to detect similar names.
#[derive(Clone, Debug)]
pub struct KnownPatterns {
    names: Vec<String>,
}

impl Default for KnownPatterns {
    fn default() -> Self {
        let names = CommonPattern::all().iter();
        Self {
            names: names.map(|pattern| pattern.name.to_owned()).collect(),
        }
    }
}

impl KnownPatterns {
    /// Records a name; returns a similar known name the first time this name occurs.
    pub fn note(&mut self, name: &PatternName) -> Option<String> {
        let name = name.as_str();
        if self.names.len() >= MAX_KNOWN || self.names.iter().any(|known| known == name) {
            return None;
        }
        // Built-in names take precedence, then earlier ones; an earlier misspelling is
        // no better than a later one.
        let mut known = self.names.iter();
        let near = known.find(|known| mistyped(name, [known.as_str()]).is_some());
        let near = near.cloned();
        self.names.push(name.to_owned());
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_kebab_case_and_short() {
        for name in ["missing-error-handling", "a", "0", "a-1-b"] {
            assert_eq!(PatternName::new(name).unwrap().as_str(), name);
        }
        for name in ["", "-", "a-", "-a", "a--b", "A", "a_b", "a b", "ä"] {
            assert_eq!(
                PatternName::new(name),
                Err(PatternNameError::NotKebab),
                "{name}"
            );
        }
        assert!(PatternName::new(&"a".repeat(64)).is_ok());
        assert_eq!(
            PatternName::new(&"a".repeat(65)),
            Err(PatternNameError::TooLong)
        );
    }

    #[test]
    fn other_cases_are_converted() {
        for (text, name) in [
            ("missingErrorHandling", "missing-error-handling"),
            ("MissingErrorHandling", "missing-error-handling"),
            ("MISSING_ERROR_HANDLING", "missing-error-handling"),
            ("missing_error_handling", "missing-error-handling"),
            ("Missing error handling.", "missing-error-handling"),
            ("HTTPServerError", "http-server-error"),
            ("useV2Api", "use-v2-api"),
            ("__x--y", "x-y"),
            ("scope-creep", "scope-creep"),
            ("\u{c9}lan Vital", "elan-vital"),
            ("\u{142}\u{f3}d\u{17a}-size", "lodz-size"),
            ("Gr\u{f6}\u{df}eZuGro\u{df}", "groesse-zu-gross"),
        ] {
            let converted = PatternName::converted(text);
            assert_eq!(
                converted.as_ref().map(PatternName::as_str),
                Some(name),
                "{text}"
            );
        }
        assert_eq!(PatternName::converted("_"), None);
        assert_eq!(PatternName::converted("\u{436}\u{443}\u{43a}"), None);
        assert_eq!(PatternName::converted(&"a".repeat(65)), None);
        assert_eq!(PatternName::converted(&"_".repeat(300)), None);
    }

    #[test]
    fn similar_names_differ_in_up_to_two_letters() {
        let mut known = KnownPatterns::default();
        let mut note = |name: &'static str| {
            let name = PatternName::new(name).unwrap();
            known.note(&name)
        };
        assert_eq!(note("scope-creep"), None);
        assert_eq!(note("scope-creeps"), Some("scope-creep".to_owned()));
        assert_eq!(note("scope-creeps"), None);
        assert_eq!(note("missing-error-context"), None);
        assert_eq!(
            note("missing-eror-contexts"),
            Some("missing-error-context".to_owned())
        );
        assert_eq!(note("scope-cree-ed"), None);
        assert_eq!(
            note("missing-validaion"),
            Some("missing-validation".to_owned())
        );
        assert_eq!(
            note("missing-validion"),
            Some("missing-validation".to_owned())
        );
    }

    #[test]
    fn names_are_compared_with_a_bounded_number_of_others() {
        let mut known = KnownPatterns::default();
        for at in 0..1_000 {
            let name = PatternName::new(&format!("{at}")).unwrap();
            known.note(&name);
        }
        assert_eq!(known.names.len(), MAX_KNOWN);
    }

    #[test]
    fn common_patterns_are_found_by_name() {
        let name = PatternName::new("scope-creep").unwrap();
        let common = name.common().unwrap();
        assert_eq!(common.correction_type, CorrectionType::ExpectationMismatch);
        assert_eq!(PatternName::new("scope").unwrap().common(), None);
    }
}
