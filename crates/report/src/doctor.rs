//! Whether everything that a run needs is here.

use review_types::plural;
use serde::Serialize;

use crate::next::{NextStep, next_steps};
use crate::style::{ERROR, GOOD, HINT, RESET, WARNING};
use crate::text::printable;

/// Whether everything that a run needs is here. This is the object that
/// `--format json` prints.
#[derive(Debug, Serialize)]
pub struct Diagnosis {
    /// Whether a run can be started.
    pub usable: bool,
    /// What was looked at, in order.
    pub checks: Vec<Check>,
    /// What fits the folder next.
    pub next: Vec<NextStep>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// How it is.
    pub state: CheckState,
    /// What was found.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// It is as it should be.
    Ok,
    /// A run can be started.
    Warning,
    /// No run can be started.
    Error,
}

impl Check {
    /// Something that is as it should be.
    #[must_use]
    pub fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self {
            name,
            state: CheckState::Ok,
            message: message.into(),
            hint: None,
        }
    }

    /// Something that is not, and what to do about it.
    #[must_use]
    pub fn bad(
        name: &'static str,
        state: CheckState,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            name,
            state,
            message: message.into(),
            hint: Some(hint.into()),
        }
    }
}

impl Diagnosis {
    /// The diagnosis that these checks make.
    #[must_use]
    pub fn new(checks: Vec<Check>) -> Self {
        Self {
            usable: checks.iter().all(|check| check.state != CheckState::Error),
            checks,
            next: Vec::new(),
        }
    }
}

/// Returns a diagnosis as users read it.
#[must_use]
pub fn human(diagnosis: &Diagnosis) -> String {
    let checks = &diagnosis.checks;
    let mut text = String::new();
    for check in checks {
        let (style, word) = match check.state {
            CheckState::Ok => (GOOD, "ok"),
            CheckState::Warning => (WARNING, "warning"),
            CheckState::Error => (ERROR, "error"),
        };
        let message = printable(&check.message);
        text.push_str(&format!(
            "{style}{word}{RESET}: {}: {message}\n",
            check.name
        ));
        if let Some(hint) = &check.hint {
            text.push_str(&format!("  {HINT}hint{RESET}: {hint}\n"));
        }
    }
    text + &brief(diagnosis) + &next_steps(&diagnosis.next, None)
}

/// Returns whether a run can be started, in one line.
#[must_use]
pub fn brief(diagnosis: &Diagnosis) -> String {
    let checks = diagnosis.checks.iter();
    let count = |state| checks.clone().filter(|check| check.state == state).count();
    match (count(CheckState::Error), count(CheckState::Warning)) {
        (0, 0) => "Everything that a run needs is here.\n".to_owned(),
        (0, warnings) => format!("No errors, {}.\n", plural(warnings, "warning", "warnings")),
        (errors, _) => format!("A run needs {} fixed.\n", plural(errors, "thing", "things")),
    }
}
