//! Names of patterns.

use review_text::near_key;
use serde::Serialize;

use super::CorrectionType;

/// The most characters of a name.
const MAX_LENGTH: usize = 64;

/// Fewer characters describe nothing.
pub(super) const SHORT: usize = 8;

/// Names are compared with at most this many others.
const MAX_KNOWN: usize = 256;

/// The name of a pattern: small letters, digits and single hyphens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct PatternName(String);

/// A text that is no name of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternNameError {
    /// It is not in kebab case.
    #[error("must be in kebab case: small letters, digits and single hyphens")]
    NotKebab,
    /// It is too long.
    #[error("must have at most 64 characters")]
    TooLong,
}

impl PatternName {
    /// Checks the name.
    ///
    /// # Errors
    /// [`PatternNameError`] when it is not in kebab case or too long.
    pub fn new(text: &str) -> Result<Self, PatternNameError> {
        if !is_kebab(text) {
            return Err(PatternNameError::NotKebab);
        }
        if text.len() > MAX_LENGTH {
            return Err(PatternNameError::TooLong);
        }
        Ok(Self(text.to_owned()))
    }

    /// The name in kebab case that a text in another case stands for.
    #[must_use]
    pub fn converted(text: &str) -> Option<Self> {
        // Whatever is that long gives no name.
        if text.len() > 4 * MAX_LENGTH {
            return None;
        }
        Self::new(&kebab(text)).ok()
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The common pattern of this name.
    #[must_use]
    pub fn common(&self) -> Option<&'static CommonPattern> {
        COMMON_PATTERNS.iter().find(|known| known.name == self.0)
    }
}

/// Whether a text is `[a-z0-9]+(-[a-z0-9]+)*`.
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

/// A text in kebab case: a hyphen where a word begins and for whatever is
/// neither letter nor digit.
fn kebab(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
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

/// A pattern that many projects have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommonPattern {
    /// Its name.
    pub name: &'static str,
    /// The type of its corrections.
    pub correction_type: CorrectionType,
    /// What the agent does, after "Claude" or another name.
    pub description: &'static str,
}

/// The patterns that the format names.
pub const COMMON_PATTERNS: [CommonPattern; 8] = [
    common(
        "missing-error-handling",
        CorrectionType::CodeCompleteness,
        "leaves out the handling of errors",
    ),
    common(
        "overly-complex-solution",
        CorrectionType::ApproachRejection,
        "builds more than a simple way needs",
    ),
    common(
        "wrong-api-usage",
        CorrectionType::CodeQuality,
        "uses an interface in a wrong way",
    ),
    common(
        "missing-validation",
        CorrectionType::CodeCompleteness,
        "leaves out the checking of inputs",
    ),
    common(
        "style-mismatch",
        CorrectionType::PreferenceConflict,
        "writes in another style than the user's",
    ),
    common(
        "scope-creep",
        CorrectionType::ExpectationMismatch,
        "does more than was asked for",
    ),
    common(
        "incomplete-implementation",
        CorrectionType::CodeCompleteness,
        "stops before the work is done",
    ),
    common(
        "misunderstood-requirement",
        CorrectionType::CommunicationGap,
        "solves another problem than the one that was meant",
    ),
];

const fn common(
    name: &'static str,
    correction_type: CorrectionType,
    description: &'static str,
) -> CommonPattern {
    CommonPattern {
        name,
        correction_type,
        description,
    }
}

/// The names that were seen so far, to find two that are nearly the same.
#[derive(Clone, Debug)]
pub struct KnownPatterns {
    names: Vec<String>,
}

impl Default for KnownPatterns {
    fn default() -> Self {
        let names = COMMON_PATTERNS.map(|pattern| pattern.name.to_owned());
        Self {
            names: names.into(),
        }
    }
}

impl KnownPatterns {
    /// Notes a name and returns the known one that it is nearly the same as, the
    /// first time it comes.
    pub fn note(&mut self, name: &PatternName) -> Option<String> {
        let name = name.as_str();
        if self.names.len() >= MAX_KNOWN || self.names.iter().any(|known| known == name) {
            return None;
        }
        // The names of the product come first, and a misspelt one that came before
        // is no better than they are.
        let mut known = self.names.iter();
        let near = known.find(|known| near_key(name, [known.as_str()]).is_some());
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
        ] {
            let converted = PatternName::converted(text);
            assert_eq!(
                converted.as_ref().map(PatternName::as_str),
                Some(name),
                "{text}"
            );
        }
        assert_eq!(PatternName::converted("_"), None);
        assert_eq!(PatternName::converted(&"a".repeat(65)), None);
        assert_eq!(PatternName::converted(&"_".repeat(300)), None);
    }

    #[test]
    fn a_name_is_near_to_one_of_which_it_differs_in_two_letters() {
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
