//! The ids of feedback, and the reasons of decisions on it.

use crate::id::is_not_blank;
use crate::name_type;

name_type!(
    /// The id of an area for improvement, such as `scope-01`. Decisions and
    /// acknowledgements refer to it.
    #[schemars(
            extend("pattern" = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"),
            extend("maxLength" = 128)
        )]
    FeedbackId,
    "a feedback id",
    "a string of at most 128 bytes that is not blank, without control characters",
    is_feedback_id
);

name_type!(
    /// The reason that an item of feedback was not applied, as a word such as
    /// `out_of_scope`. The list of words is open.
    #[schemars(extend("pattern" = "^[a-z][a-z0-9_]*$"))]
    ReasonCode,
    "a reason code",
    "a word of a-z, 0-9 and _ that starts with a letter",
    is_reason
);

/// Maximum length of an id, in bytes.
const MAX_ID: usize = 128;

/// Maximum length of the slug in an id.
const MAX_SLUG: usize = 40;

impl FeedbackId {
    /// Returns an id from the section of an item and a number, such as
    /// `scope-01`.
    #[must_use]
    pub fn numbered(section: &str, number: usize) -> Self {
        Self(format!("{}-{number:02}", slug(section)))
    }
}

/// Returns the letters and digits of a string in lower case, separated by hyphens.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars() {
        if slug.len() >= MAX_SLUG {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "area" } else { slug }.to_owned()
}

impl ReasonCode {
    /// Returns the code for feedback when nothing at its place changed.
    #[must_use]
    pub fn no_edit() -> Self {
        Self("no_edit".to_owned())
    }

    /// Returns the code of a rejection for which no reason was given.
    #[must_use]
    pub fn unspecified() -> Self {
        Self("unspecified".to_owned())
    }

    /// Returns the code of a decision that cannot be read.
    #[must_use]
    pub fn unreadable() -> Self {
        Self("unreadable".to_owned())
    }

    /// Returns the code that a string stands for, in lower case and with `_` between its
    /// words; `None` if it does not start with a letter.
    ///
    /// ```
    /// use review_types::ReasonCode;
    ///
    /// let code = ReasonCode::normalized("Out-of scope").unwrap();
    /// assert_eq!(code.as_str(), "out_of_scope");
    /// assert_eq!(ReasonCode::normalized("7"), None);
    /// ```
    #[must_use]
    pub fn normalized(text: &str) -> Option<Self> {
        Self::new(slug(text).replace('-', "_")).ok()
    }
}

fn is_feedback_id(text: &str) -> bool {
    is_not_blank(text) && text.len() <= MAX_ID && !text.contains(char::is_control)
}

fn is_reason(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// A duplicate id in a list with unique ids.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("duplicate id \"{id}\"")]
pub struct RepeatedId {
    /// The id.
    pub id: FeedbackId,
    /// The position of the second occurrence, counted from 0.
    pub index: usize,
}

impl RepeatedId {
    /// Checks that the ids are unique.
    ///
    /// # Errors
    /// [`RepeatedId`] with the first duplicate id.
    pub(crate) fn find<'i>(ids: impl Iterator<Item = &'i FeedbackId>) -> Result<(), Self> {
        let mut seen = std::collections::BTreeSet::new();
        for (index, id) in ids.enumerate() {
            if !seen.insert(id) {
                let id = id.clone();
                return Err(Self { id, index });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_has_letters_digits_and_hyphens() {
        for (text, expected) in [
            ("Scope Definition", "scope-definition"),
            ("§ 4.2: Größe", "4-2-gr-e"),
            ("  ", "area"),
            ("日本", "area"),
            ("specs/A.md:3", "specs-a-md-3"),
        ] {
            assert_eq!(slug(text), expected);
        }
        assert_eq!(slug(&"a".repeat(100)).len(), MAX_SLUG);
        assert_eq!(slug(&"ab ".repeat(100)), format!("{}a", "ab-".repeat(13)));
    }

    #[test]
    fn ids_have_at_least_two_digits() {
        let ids = [1, 10, 123].map(|number| FeedbackId::numbered("Goals", number).to_string());
        assert_eq!(ids, ["goals-01", "goals-10", "goals-123"]);
    }

    #[test]
    fn a_feedback_id_is_short_and_can_be_shown() {
        let longest = "a".repeat(MAX_ID);
        for text in ["scope-01", "§ 4.2", &longest] {
            assert!(FeedbackId::new(text).is_ok(), "{text}");
        }
        for text in ["", " ", "a\nb", "\u{1b}[31m", &format!("{longest}a")] {
            assert!(FeedbackId::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_reason_code_is_one_word() {
        for text in ["out_of_scope", "a1", "x_"] {
            assert_eq!(ReasonCode::new(text).unwrap().as_str(), text);
        }
        for text in ["", "1a", "_a", "Out", "a-b", "a b", "ä"] {
            assert!(ReasonCode::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_second_of_two_equal_ids_is_found() {
        let ids = ["a", "b", "a", "b"].map(|id| FeedbackId::new(id).unwrap());
        assert_eq!(RepeatedId::find(ids[..2].iter()), Ok(()));
        let error = RepeatedId::find(ids.iter()).unwrap_err();
        assert_eq!((error.id.as_str(), error.index), ("a", 2));
        assert_eq!(error.to_string(), "duplicate id \"a\"");
    }
}
