//! What is known about a key, and where its value comes from.

use std::fmt;

use serde_json::Value as Json;

/// A key of the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name with its table, such as `review.patience`.
    pub name: &'static str,
    /// The option that overrides it, if there is one.
    pub flag: Option<&'static str>,
    /// What it means, in one sentence.
    pub(crate) doc: &'static str,
    /// What its value must be.
    pub(crate) expected: &'static str,
    /// The word for no value, where there may be none.
    pub(crate) absent: Option<&'static str>,
    /// Its value where none is set.
    pub(crate) default: fn() -> Json,
    /// The JSON schema of its value.
    pub(crate) schema: fn() -> Json,
}

impl Key {
    /// The variable that sets it, such as `RALPH_REVIEW_PATIENCE`.
    #[must_use]
    pub fn variable(&self) -> String {
        variable(self.name)
    }

    /// What its value must be, to be read after "must be".
    pub(crate) fn expected(&self) -> String {
        match self.absent {
            Some(word) => format!("{}, or \"{word}\"", self.expected),
            None => self.expected.to_owned(),
        }
    }

    /// Where it is in a file: a JSON pointer.
    pub(crate) fn pointer(&self) -> String {
        format!("/{}", self.name.replace('.', "/"))
    }

    /// The part of the name after the table.
    pub(crate) fn last(&self) -> &'static str {
        self.name
            .rsplit_once('.')
            .map_or(self.name, |(_, last)| last)
    }
}

/// The variable that sets the key `name`.
pub(crate) fn variable(name: &str) -> String {
    format!("RALPH_{}", name.replace('.', "_").to_uppercase())
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is not set.
    Default,
    /// A line of the configuration file.
    File {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
    },
    /// A variable of the environment.
    Variable(String),
    /// An option of the command line.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{path}:{line}"),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(name) => f.write_str(name),
        }
    }
}
