//! The active version of a prompt.

use std::num::NonZeroU32;

use review_types::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Format;

/// The active version of a prompt: the content of `active.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveVersion {
    /// The format version; it is optional when the file is read.
    #[serde(default)]
    pub v: Format,
    /// Its number, from 1.
    pub version: NonZeroU32,
    /// The time of the activation.
    pub since: Timestamp,
    /// The previously active version.
    pub previous: Option<NonZeroU32>,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_file_has_these_fields() {
        let active = ActiveVersion {
            v: Format,
            version: NonZeroU32::new(3).unwrap(),
            since: Timestamp::UNIX_EPOCH,
            previous: NonZeroU32::new(2),
        };
        let written = json!({"v": 1, "version": 3, "since": "1970-01-01T00:00:00Z", "previous": 2});
        assert_eq!(serde_json::to_value(&active).unwrap(), written);
        assert_eq!(
            serde_json::from_value::<ActiveVersion>(written).unwrap(),
            active
        );
    }

    #[test]
    fn only_another_format_version_is_rejected() {
        let read = |value: Value| serde_json::from_value::<ActiveVersion>(value);
        let plain = json!({"version": 2, "since": "1970-01-01T00:00:00Z"});
        assert_eq!(read(plain).unwrap().previous, None);
        let other = json!({"v": 2, "version": 2, "since": "1970-01-01T00:00:00Z"});
        assert_eq!(
            read(other).unwrap_err().to_string(),
            "unsupported format version: expected 1, found 2"
        );
        let zero = json!({"version": 0, "since": "1970-01-01T00:00:00Z"});
        assert!(read(zero).is_err());
    }
}
