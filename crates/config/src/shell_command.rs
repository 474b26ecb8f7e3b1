//! A command for the shell.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::fault::ValueFault;
use crate::value::{NONE, Optional, Value, string};

/// A command for the shell, which is not blank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String")]
pub struct ShellCommand(#[schemars(length(min = 1))] String);

impl TryFrom<String> for ShellCommand {
    type Error = &'static str;

    fn try_from(command: String) -> Result<Self, Self::Error> {
        match command.trim() {
            "" => Err("the command is blank"),
            command => Ok(Self(command.to_owned())),
        }
    }
}

impl fmt::Display for ShellCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Optional for ShellCommand {
    const WORD: &'static str = NONE;
}

impl Value for ShellCommand {
    const EXPECTED: &'static str = "a command for the shell";

    fn read(value: &Json) -> Result<Self, ValueFault> {
        Self::try_from(string(value)?.to_owned()).map_err(|_| ValueFault::Form)
    }

    fn to_json(&self) -> Json {
        json!(self.0)
    }

    fn schema() -> Json {
        json!({ "type": "string", "minLength": 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_not_blank_and_none_means_no_command() {
        let read = |text: &str| Option::<ShellCommand>::read(&json!(text));
        assert!(read("  ").is_err());
        assert_eq!(read("none").unwrap(), None);
        let command = read(" make check && true ").unwrap();
        assert_eq!(command.to_json(), json!("make check && true"));
        assert_eq!(None::<ShellCommand>.to_json(), json!("none"));
    }
}
