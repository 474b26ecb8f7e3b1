//! The checks that reviewers name as proof of their findings.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::TaskNumber;

/// Maximum number of bytes of a name.
const MAX_NAME: usize = 200;

/// A check that a reviewer names as proof of an item: something that the user's own
/// files define, never a command.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum NamedCheck {
    /// An embedded rule, by its code or its name.
    Rule(String),
    /// A command of `review.checks`, or `review.check`.
    Check(String),
    /// The gate of a task.
    Task(TaskNumber),
}

impl NamedCheck {
    /// Returns the rule of this name, shortened to 200 bytes; `None` if it is blank.
    #[must_use]
    pub fn rule(name: &str) -> Option<Self> {
        shortened(name).map(Self::Rule)
    }

    /// Returns the command of this name, shortened to 200 bytes; `None` if it is blank.
    #[must_use]
    pub fn command(name: &str) -> Option<Self> {
        shortened(name).map(Self::Check)
    }
}

fn shortened(name: &str) -> Option<String> {
    let name = name.trim();
    let name = &name[..name.floor_char_boundary(MAX_NAME)];
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns what it is and its name: `rule B3`, `check unit`, `task 3`.
impl fmt::Display for NamedCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(name) => write!(f, "rule {name}"),
            Self::Check(name) => write!(f, "check {name}"),
            Self::Task(number) => write!(f, "task {number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_an_object_with_one_name() {
        for (json, shown) in [
            (r#"{"rule":"B3"}"#, "rule B3"),
            (r#"{"check":"unit"}"#, "check unit"),
            (r#"{"task":3}"#, "task 3"),
        ] {
            let read: NamedCheck = serde_json::from_str(json).unwrap();
            assert_eq!(read.to_string(), shown);
            assert_eq!(serde_json::to_string(&read).unwrap(), json);
        }
        for json in [r#"{"task":0}"#, r#"{"command":"true"}"#, "{}"] {
            assert!(serde_json::from_str::<NamedCheck>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn a_name_is_neither_blank_nor_long() {
        assert_eq!(NamedCheck::rule(" "), None);
        assert_eq!(
            NamedCheck::command(" unit\n"),
            Some(NamedCheck::Check("unit".into()))
        );
        let long = NamedCheck::command(&"ä".repeat(150)).unwrap();
        assert_eq!(long, NamedCheck::Check("ä".repeat(100)));
    }
}
