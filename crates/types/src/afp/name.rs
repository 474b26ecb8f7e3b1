//! Names and ids of the protocol.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::IdError;
use crate::id::{is_file_name, is_not_blank, name_type};

name_type!(
    /// The id of an area for improvement, such as `scope-01`. Decisions and
    /// acknowledgements refer to it.
    FeedbackId,
    "a feedback id",
    "a text that is not blank",
    is_not_blank
);

name_type!(
    /// The id of a session, which the requester names in each follow-up. It can
    /// be the name of a folder.
    SessionId,
    "a session id",
    "a file name",
    is_file_name
);

name_type!(
    /// Why a piece of feedback was not applied, as a word such as
    /// `out_of_scope`. The list of words is open.
    ReasonCode,
    "a reason code",
    "a word of a-z, 0-9 and _ that begins with a letter",
    is_reason
);

name_type!(
    /// The media type of an artifact, such as `text/markdown`.
    MediaType,
    "a media type",
    "a type and a subtype, such as text/markdown",
    is_media_type
);

/// The longest slug of an id.
const MAX_SLUG: usize = 40;

impl FeedbackId {
    /// An id of the section that an item is about and a number, such as
    /// `scope-01`.
    #[must_use]
    pub fn numbered(section: &str, number: usize) -> Self {
        Self(format!("{}-{number:02}", slug(section)))
    }
}

/// The letters and digits of a text in lower case, with dashes between.
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
    /// The code of feedback after which nothing that it is about changed.
    #[must_use]
    pub fn no_edit() -> Self {
        Self("no_edit".to_owned())
    }
}

impl MediaType {
    /// Type and subtype in lower case, without parameters.
    #[must_use]
    pub fn essence(&self) -> String {
        essence(self.as_str()).to_ascii_lowercase()
    }
}

fn essence(text: &str) -> &str {
    text.split(';').next().unwrap_or_default().trim()
}

fn is_media_type(text: &str) -> bool {
    let is_token = |part: &str| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c);
        !part.is_empty() && part.chars().all(allowed)
    };
    essence(text)
        .split_once('/')
        .is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

fn is_reason(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Reads a text that is not blank.
pub(super) fn filled<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.trim().is_empty() {
        return Err(D::Error::custom("cannot be empty"));
    }
    Ok(text)
}

/// An id that stands twice in a list, where each id may stand once.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the id \"{id}\" stands twice")]
pub struct RepeatedId {
    /// The id.
    pub id: FeedbackId,
    /// Where it stands the second time, counted from 0.
    pub index: usize,
}

impl RepeatedId {
    /// Finds the first id that was there before.
    pub(super) fn find<'i>(ids: impl Iterator<Item = &'i FeedbackId>) -> Result<(), Self> {
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
    fn a_slug_is_made_of_letters_digits_and_dashes() {
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
    fn ids_are_numbered_in_two_digits_at_least() {
        let ids = [1, 10, 123].map(|number| FeedbackId::numbered("Goals", number).to_string());
        assert_eq!(ids, ["goals-01", "goals-10", "goals-123"]);
    }

    #[test]
    fn a_media_type_has_two_tokens_and_maybe_parameters() {
        for (text, essence) in [
            ("text/markdown", "text/markdown"),
            ("Text/X-Rust; charset=utf-8", "text/x-rust"),
            ("application/vnd.api+json ;v=1", "application/vnd.api+json"),
        ] {
            assert_eq!(MediaType::new(text).unwrap().essence(), essence);
        }
        for text in [
            "", "text", "text/", "/plain", "a b/c", "text/a/b", "text/ä", ";",
        ] {
            assert!(MediaType::new(text).is_err(), "{text}");
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
    fn a_session_id_cannot_lead_out_of_its_folder() {
        assert_eq!(SessionId::new("ses_1").unwrap().as_str(), "ses_1");
        for text in ["", " ", ".", "..", "a/b", "../a", "a\\b"] {
            assert!(SessionId::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_second_of_two_equal_ids_is_found() {
        let ids = ["a", "b", "a", "b"].map(|id| FeedbackId::new(id).unwrap());
        assert_eq!(RepeatedId::find(ids[..2].iter()), Ok(()));
        let error = RepeatedId::find(ids.iter()).unwrap_err();
        assert_eq!((error.id.as_str(), error.index), ("a", 2));
        assert_eq!(error.to_string(), "the id \"a\" stands twice");
    }
}
