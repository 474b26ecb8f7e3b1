//! Lists in the configuration.

use serde::{Deserialize, Serialize};

use crate::value::Plain;

/// Names of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<String>")]
pub struct Names(Vec<String>);

impl Names {
    /// The names in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}

impl TryFrom<Vec<String>> for Names {
    type Error = String;

    fn try_from(names: Vec<String>) -> Result<Self, Self::Error> {
        let is_wrong = |name: &&String| name.is_empty() || name.contains(['=', '\0']);
        match names.iter().find(is_wrong) {
            Some(name) => Err(format!("{name:?} is not a valid name of a variable")),
            None => Ok(Self(names)),
        }
    }
}

impl Plain for Names {
    const EXPECTED: &'static str = "an array of names of variables";
    const IS_LIST: bool = true;
}

/// Headings of sections.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<String>")]
pub struct Headings(Vec<String>);

impl Headings {
    /// The headings in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}

impl TryFrom<Vec<String>> for Headings {
    type Error = &'static str;

    fn try_from(headings: Vec<String>) -> Result<Self, Self::Error> {
        let is_blank = |heading: &String| heading.trim().is_empty();
        if headings.iter().any(is_blank) {
            return Err("a heading is blank");
        }
        Ok(Self(headings))
    }
}

impl Plain for Headings {
    const EXPECTED: &'static str = "an array of headings";
    const IS_LIST: bool = true;
}

/// Commands for the shell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<String>")]
pub struct ShellCommands(Vec<String>);

impl ShellCommands {
    /// The commands in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}

impl TryFrom<Vec<String>> for ShellCommands {
    type Error = &'static str;

    fn try_from(commands: Vec<String>) -> Result<Self, Self::Error> {
        let is_blank = |command: &String| command.trim().is_empty();
        if commands.iter().any(is_blank) {
            return Err("a command is blank");
        }
        Ok(Self(commands))
    }
}

impl Plain for ShellCommands {
    const EXPECTED: &'static str = "an array of commands for the shell";
}
