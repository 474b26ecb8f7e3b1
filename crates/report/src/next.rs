//! What a user can do next.

use std::fmt;

use serde::Serialize;

/// A step that a user can take next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NextStep {
    /// The step, for people.
    pub text: String,
    /// The command line that takes the step, for a shell; left out where it is more
    /// than a command, such as an edit. Running it as it is changes something.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub command: Option<String>,
}

impl NextStep {
    /// A step that only a user can take.
    #[must_use]
    pub fn by_hand(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            command: None,
        }
    }

    /// A step that a command takes.
    #[must_use]
    pub fn by_command(text: impl Into<String>, command: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            command: Some(command.into()),
        }
    }
}

/// The content, and the command on a line of its own, which can be copied.
impl fmt::Display for NextStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.command {
            Some(command) => write!(f, "{}:\n{command}", self.text),
            None => f.write_str(&self.text),
        }
    }
}
