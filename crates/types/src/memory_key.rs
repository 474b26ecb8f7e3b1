//! The name of the field for earlier feedback.

use crate::name_type;

name_type!(
    /// The name of the field that shows a reviewer the previous rounds;
    /// `feedback_history` by default.
    #[schemars(extend("pattern" = "^[A-Za-z_][A-Za-z0-9_]{0,63}$"))]
    MemoryKey,
    "a field for earlier feedback",
    "at most 64 ASCII letters, digits and _, which start with no digit and are not another field of a request",
    is_memory_key
);

/// The other fields of a request.
const OTHER_FIELDS: [&str; 7] = [
    "review_id",
    "instructions",
    "criteria",
    "open_findings",
    "guidance",
    "retry",
    "end_id",
];

fn is_memory_key(text: &str) -> bool {
    let is_word = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let begins = text
        .bytes()
        .next()
        .is_some_and(|byte| !byte.is_ascii_digit());
    is_word && begins && text.len() <= 64 && !OTHER_FIELDS.contains(&text)
}

impl Default for MemoryKey {
    fn default() -> Self {
        Self("feedback_history".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_for_earlier_feedback_has_a_unique_name() {
        assert_eq!(MemoryKey::default().as_str(), "feedback_history");
        for text in ["_", "Rounds_2", &"a".repeat(64)] {
            assert!(MemoryKey::new(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "2nd",
            "a-b",
            "r\u{e9}",
            "retry",
            "criteria",
            "end_id",
            &"a".repeat(65),
        ] {
            assert!(MemoryKey::new(text).is_err(), "{text}");
        }
    }
}
