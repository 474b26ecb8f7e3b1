//! What a change does to that which decides about it, compared with its base.

use std::path::PathBuf;

use review_types::{AllowedChange, ChangeCode, closed_list, plural};
use serde::Serialize;

use crate::path::below;
use crate::run::short;

closed_list!(
    /// Whether a difference fails the gate.
    ChangeLevel {
        /// It does, unless it is allowed by name.
        Error => "error",
        /// It is worth a look.
        Warning => "warning",
    }
);

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Change {
    /// What kind of difference it is.
    pub code: ChangeCode,
    /// Whether it fails the gate.
    pub level: ChangeLevel,
    /// What differs: a task as UNIT/NUMBER, a key of the configuration, or a file. With
    /// the code before it this is the name by which it is allowed.
    pub subject: String,
    /// The file that shows it, relative to the root.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// What it was; `null` where that is not one value.
    pub before: Option<String>,
    /// What it is; `null` where that is not one value.
    pub after: Option<String>,
    /// The difference in words.
    pub message: String,
    /// Whether a user let it pass by name.
    pub allowed: bool,
}

impl Change {
    /// A difference that fails the gate, at a file and a line.
    #[must_use]
    pub fn new(
        code: ChangeCode,
        subject: impl Into<String>,
        (path, line): (String, usize),
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            level: ChangeLevel::Error,
            subject: subject.into(),
            path,
            line,
            before: None,
            after: None,
            message: message.into(),
            allowed: false,
        }
    }

    /// Whether it fails the gate.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.level == ChangeLevel::Error && !self.allowed
    }

    /// The name by which it is allowed.
    #[must_use]
    pub fn name(&self) -> AllowedChange {
        AllowedChange::new(self.code, self.subject.clone())
    }

    /// The difference in words, with its name and what was before and after.
    pub(crate) fn sentence(&self) -> String {
        let values = match (&self.before, &self.after) {
            (Some(before), Some(after)) => format!(" (before: {before}; now: {after})"),
            (Some(before), None) => format!(" (before: {before})"),
            (None, Some(after)) => format!(" (now: {after})"),
            (None, None) => String::new(),
        };
        let allowed = if self.allowed { " [allowed]" } else { "" };
        format!("{}: {}{values}{allowed}", self.name(), self.message)
    }
}

/// The comparison with a base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct BaseComparison {
    /// The folder of its root.
    #[serde(skip)]
    pub folder: PathBuf,
    /// The root that its paths are relative to, seen from the root of the current
    /// folder, which is `.` itself.
    pub root: String,
    /// The base as it was named.
    pub base: String,
    /// The commit that was compared: the merge base of it and `HEAD`.
    pub commit: String,
    /// The differences, errors first.
    pub changes: Vec<Change>,
}

impl BaseComparison {
    /// Whether a difference fails the gate.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.changes.iter().any(Change::fails)
    }

    /// What was compared, and how many differences count, in words.
    pub(crate) fn heading(&self) -> String {
        let commit = short(&self.commit);
        let root = match self.root.as_str() {
            "." => String::new(),
            root => format!("{root}, "),
        };
        let found = match self.changes.len() {
            0 => "nothing that decides differs".to_owned(),
            count => {
                let errors = self.changes.iter().filter(|change| change.fails()).count();
                format!(
                    "{}, {}",
                    plural(count, "difference", "differences"),
                    plural(errors, "error", "errors")
                )
            }
        };
        format!("{root}compared with {} ({commit}): {found}", self.base)
    }

    /// Where a difference shows, as seen from the root of the current folder.
    pub(crate) fn place(&self, change: &Change) -> String {
        format!("{}:{}", below(&self.root, &change.path), change.line)
    }
}
