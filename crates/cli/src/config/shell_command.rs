//! A command for the shell.

use std::fmt;

use serde_json::{Value as Json, json};

use super::fault::ValueFault;
use super::value::{NONE, Value};

/// A command for the shell, which is not blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShellCommand(String);

impl fmt::Display for ShellCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Value for Option<ShellCommand> {
    const EXPECTED: &'static str = "a command for the shell, or \"none\"";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        match text.trim() {
            "" => Err(ValueFault::Form),
            NONE => Ok(None),
            command => Ok(Some(ShellCommand(command.to_owned()))),
        }
    }

    fn to_json(&self) -> Json {
        match self {
            Some(command) => json!(command.to_string()),
            None => json!(NONE),
        }
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "type": "string", "minLength": 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_not_blank_and_none_is_no_command() {
        let read = <Option<ShellCommand> as Value>::from_text;
        assert!(read("  ").is_err());
        assert_eq!(read("none").unwrap(), None);
        let command = read(" make check && true ").unwrap();
        assert_eq!(command.to_json(), json!("make check && true"));
        assert_eq!(None::<ShellCommand>.to_json(), json!("none"));
    }
}
