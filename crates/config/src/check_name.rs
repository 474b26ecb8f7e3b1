//! The names of checks.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::shell_command::ShellCommand;
use crate::value::Plain;

/// Maximum number of characters of a name.
const MAX_NAME: usize = 40;

/// The name of a check of `review.checks`: 1 to 40 ASCII letters, digits, `-` and `_`.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "String")]
pub struct CheckName(#[schemars(regex(pattern = "^[A-Za-z0-9_-]{1,40}$"))] String);

/// A string that is not the name of a check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name of a check has 1 to {MAX_NAME} ASCII letters, digits, - and _")]
pub struct CheckNameError;

impl TryFrom<String> for CheckName {
    type Error = CheckNameError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        match (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(is_legal) {
            true => Ok(Self(name)),
            false => Err(CheckNameError),
        }
    }
}

impl fmt::Display for CheckName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Plain for BTreeMap<CheckName, ShellCommand> {
    const EXPECTED: &'static str = "a table of commands for the shell, by name";
}
