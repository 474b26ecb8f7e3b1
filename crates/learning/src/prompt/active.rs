//! Which version of a prompt is in use.

use std::num::NonZeroU32;

use review_types::Timestamp;
use serde::{Deserialize, Serialize};

/// The version of the file's format.
const FORMAT: u32 = 1;

/// The version of a prompt that is in use: what `active.json` holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Written", try_from = "Written")]
pub struct ActiveVersion {
    /// Its number, from 1.
    pub version: NonZeroU32,
    /// Since when.
    pub since: Timestamp,
    /// The version that was in use before.
    pub previous: Option<NonZeroU32>,
}

/// The file's members.
#[derive(Serialize, Deserialize)]
struct Written {
    #[serde(default = "format")]
    v: u32,
    version: NonZeroU32,
    since: Timestamp,
    previous: Option<NonZeroU32>,
}

const fn format() -> u32 {
    FORMAT
}

impl From<ActiveVersion> for Written {
    fn from(active: ActiveVersion) -> Self {
        let ActiveVersion {
            version,
            since,
            previous,
        } = active;
        Self {
            v: FORMAT,
            version,
            since,
            previous,
        }
    }
}

impl TryFrom<Written> for ActiveVersion {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let Written {
            v,
            version,
            since,
            previous,
        } = written;
        match v {
            FORMAT => Ok(Self {
                version,
                since,
                previous,
            }),
            other => Err(format!("format {other} is not format {FORMAT}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_file_has_these_members() {
        let active = ActiveVersion {
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
            "format 2 is not format 1"
        );
        let zero = json!({"version": 0, "since": "1970-01-01T00:00:00Z"});
        assert!(read(zero).is_err());
    }
}
