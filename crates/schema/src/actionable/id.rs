//! The id of a document.

use review_types::{is_uuid, name_type};

/// Maximum number of characters of an id.
const MAX_LENGTH: usize = 128;

name_type!(
    /// The id of an actionable-feedback document. Documents of ralph have UUIDs; those of
    /// other programs may have any file name of plain
    /// characters.
    DocumentId,
    "a document id",
    "1 to 128 of A-Z, a-z, 0-9, '.', '_' and '-'",
    is_plain
);

impl DocumentId {
    /// Returns whether it is a UUID with its four hyphens.
    #[must_use]
    pub fn is_uuid(&self) -> bool {
        is_uuid(&self.0)
    }
}

fn is_plain(text: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=MAX_LENGTH).contains(&text.len()) && text.bytes().all(legal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_plain_and_may_be_a_uuid() {
        for (text, uuid) in [
            ("0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3", true),
            ("0192F0C1-2D3E-7A4B-8C5D-6E7F8091A2B3", true),
            ("0192f0c12d3e7a4b8c5d6e7f8091a2b3", false),
            ("0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2bg", false),
            ("0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3-", false),
            ("0192f0c1-2d3e-7a4b-8c5d_6e7f8091a2b3", false),
            ("fb-001_example.a", false),
        ] {
            assert_eq!(DocumentId::new(text).unwrap().is_uuid(), uuid, "{text}");
        }
        assert!(DocumentId::new("a".repeat(MAX_LENGTH)).is_ok());
        for text in ["", "a b", "ä", "a/b", &"a".repeat(MAX_LENGTH + 1)] {
            assert!(DocumentId::new(text).is_err(), "{text}");
        }
    }
}
