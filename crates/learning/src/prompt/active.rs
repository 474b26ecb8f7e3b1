//! The active version of a prompt, and how it came into use.

use std::num::NonZeroU32;

use review_types::{Timestamp, closed_list};
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
    /// How the active version changed, the oldest change first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<VersionChange>,
}

closed_list!(
    /// The cause of a change of the active version.
    ChangeCause {
        /// Approved lessons made a new version.
        Update => "update",
        /// A user chose an earlier version.
        Rollback => "rollback",
        /// The version failed more often than the previous one.
        Degradation => "degradation",
        /// A user chose a later version that exists already.
        Restore => "restore",
    }
);

/// A change of the active version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionChange {
    /// The time.
    pub at: Timestamp,
    /// The version that was active.
    pub from: NonZeroU32,
    /// The version that is active since.
    pub to: NonZeroU32,
    /// The cause.
    pub cause: ChangeCause,
    /// The user who decided; absent for an automatic change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The reason, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl ChangeCause {
    /// Whether the version before was given up.
    pub(crate) const fn rolls_back(self) -> bool {
        match self {
            Self::Rollback | Self::Degradation => true,
            Self::Update | Self::Restore => false,
        }
    }
}

impl ActiveVersion {
    /// The versions that the active one was made from, the nearest first.
    pub fn ancestors(&self) -> Vec<NonZeroU32> {
        let mut ancestors = Vec::new();
        let mut version = self.version;
        while let Some(parent) = self.parent(version) {
            ancestors.push(parent);
            version = parent;
        }
        ancestors
    }

    fn parent(&self, version: NonZeroU32) -> Option<NonZeroU32> {
        let mut changes = self.changes.iter();
        let made = changes.find(|it| it.to == version && it.cause == ChangeCause::Update);
        made.map(|made| made.from)
            .filter(|parent| *parent < version)
    }

    /// The latest change of a version that was rolled back, alone or with a later one, and is
    /// not in use again.
    pub fn rolled_back(&self, version: NonZeroU32) -> Option<&VersionChange> {
        let gives_up = |change: &VersionChange| {
            change.cause.rolls_back() && change.to < version && version <= change.from
        };
        let concerns = |change: &&VersionChange| {
            change.from == version || change.to == version || gives_up(change)
        };
        let latest = self.changes.iter().rev().find(concerns)?;
        gives_up(latest).then_some(latest)
    }
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
            changes: Vec::new(),
        };
        let written = json!({"v": 1, "version": 3, "since": "1970-01-01T00:00:00Z", "previous": 2});
        assert_eq!(serde_json::to_value(&active).unwrap(), written);
        assert_eq!(
            serde_json::from_value::<ActiveVersion>(written).unwrap(),
            active
        );
    }

    #[test]
    fn a_version_is_rolled_back_until_it_is_in_use_again() {
        let number = |number| NonZeroU32::new(number).unwrap();
        let change = |from, to, cause| VersionChange {
            at: Timestamp::UNIX_EPOCH,
            from: number(from),
            to: number(to),
            cause,
            by: None,
            reason: None,
        };
        let mut active = ActiveVersion {
            v: Format,
            version: number(1),
            since: Timestamp::UNIX_EPOCH,
            previous: Some(number(2)),
            changes: vec![
                change(1, 2, ChangeCause::Update),
                change(2, 1, ChangeCause::Degradation),
            ],
        };
        let found = active.rolled_back(number(2)).map(|change| change.cause);
        assert_eq!(found, Some(ChangeCause::Degradation));
        assert_eq!(active.rolled_back(number(1)), None);
        let with_a_later_one = ActiveVersion {
            changes: vec![
                change(1, 2, ChangeCause::Update),
                change(2, 3, ChangeCause::Update),
                change(3, 1, ChangeCause::Rollback),
            ],
            ..active.clone()
        };
        let found = with_a_later_one.rolled_back(number(2));
        assert_eq!(found.map(|change| change.from), Some(number(3)));
        active.changes.push(change(1, 2, ChangeCause::Restore));
        assert_eq!(active.rolled_back(number(2)), None);
        let again = serde_json::to_value(&active).unwrap();
        let kept =
            json!({"at": "1970-01-01T00:00:00Z", "from": 2, "to": 1, "cause": "degradation"});
        assert_eq!(again["changes"][1], kept);
        assert_eq!(
            serde_json::from_value::<ActiveVersion>(again).unwrap(),
            active
        );
    }

    #[test]
    fn the_ancestors_are_the_versions_that_updates_started_from() {
        let number = |number| NonZeroU32::new(number).unwrap();
        let change = |(from, to, cause)| VersionChange {
            at: Timestamp::UNIX_EPOCH,
            from: number(from),
            to: number(to),
            cause,
            by: None,
            reason: None,
        };
        let changes = [
            (1, 2, ChangeCause::Update),
            (2, 3, ChangeCause::Update),
            (3, 2, ChangeCause::Degradation),
            (2, 4, ChangeCause::Update),
        ];
        let mut active = ActiveVersion {
            v: Format,
            version: number(4),
            since: Timestamp::UNIX_EPOCH,
            previous: Some(number(2)),
            changes: changes.map(change).to_vec(),
        };
        assert_eq!(active.ancestors(), [2, 1].map(number));
        active.version = number(3);
        assert_eq!(active.ancestors(), [2, 1].map(number));
        active.version = number(1);
        assert_eq!(active.ancestors(), []);
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
