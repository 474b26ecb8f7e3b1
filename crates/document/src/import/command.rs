//! The command that proves imported tasks. No source has a say in it.

use super::Story;

/// A command with places for the id of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandTemplate(String);

/// Why a command cannot be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// It says nothing.
    #[error("must be a command")]
    Empty,
    /// It has several lines.
    #[error("must be on one line")]
    Lines,
}

impl std::str::FromStr for CommandTemplate {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.is_empty() || text == "-" || text.eq_ignore_ascii_case("none") {
            return Err(TemplateError::Empty);
        }
        if text.contains(char::is_control) {
            return Err(TemplateError::Lines);
        }
        Ok(Self(text.to_owned()))
    }
}

impl CommandTemplate {
    /// Returns whether all tasks have the same command.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        !self.0.contains("{id}")
    }

    /// Returns the command of a task; an id has no character that a shell reads.
    #[must_use]
    pub fn of(&self, story: &Story) -> String {
        self.0.replace("{id}", &story.id)
    }
}
