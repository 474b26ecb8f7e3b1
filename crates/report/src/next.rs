//! What a user can do next.

use serde::Serialize;

use crate::style::{HINT, RESET};
use crate::text::printable;
use crate::wrap::wrapped;

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

/// Returns the steps as users read them, in lines of this width; a command to copy is on a
/// line of its own. Nothing for an empty list.
#[must_use]
pub fn next_steps(steps: &[NextStep], width: Option<usize>) -> String {
    if steps.is_empty() {
        return String::new();
    }
    let mut text = format!("{HINT}next{RESET}:\n");
    for step in steps {
        let of_step = printable(&step.text);
        match &step.command {
            Some(command) => {
                text += &wrapped(format!("{of_step}:"), width);
                text += &format!("\n{}\n", printable(command));
            }
            None => text += &format!("{}\n", wrapped(of_step.into_owned(), width)),
        }
    }
    text
}
