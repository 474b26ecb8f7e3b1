//! Which version of a prompt is in use.

use std::num::NonZeroU32;

use review_types::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Format;

/// The version of a prompt that is in use: what `active.json` holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveVersion {
    /// The version of the format; who writes the file may leave it out.
    #[serde(default)]
    pub v: Format,
    /// Its number, from 1.
    pub version: NonZeroU32,
    /// Since when.
    pub since: Timestamp,
    /// The version that was in use before.
    pub previous: Option<NonZeroU32>,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_file_has_these_members() {
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
    fn a_file_without_format_and_previous_is_read_and_another_format_is_not() {
        let read = |value: Value| serde_json::from_value::<ActiveVersion>(value);
        let plain = json!({"version": 2, "since": "1970-01-01T00:00:00Z"});
        assert_eq!(read(plain).unwrap().previous, None);
        let other = json!({"v": 2, "version": 2, "since": "1970-01-01T00:00:00Z"});
        assert_eq!(
            read(other).unwrap_err().to_string(),
            "has the format 2, and this program knows the format 1"
        );
        let zero = json!({"version": 0, "since": "1970-01-01T00:00:00Z"});
        assert!(read(zero).is_err());
    }
}
