//! Files of corrections that were validated.

use review_learning::corrections::{Diagnostic, Validation};
use review_types::plural;
use serde::Serialize;

use crate::diagnostic::diagnostic;
use crate::style::{ERROR, FAINT, GOOD, RESET};
use crate::text::printable;

/// The result of `corrections validate --format json`.
#[derive(Debug, Serialize)]
pub struct ValidationReport {
    /// The files.
    pub files: Vec<ValidatedFile>,
}

/// A file that was validated.
#[derive(Debug, Serialize)]
pub struct ValidatedFile {
    path: String,
    count: u64,
    valid: u64,
    #[serde(skip_serializing_if = "is_zero")]
    fixed: u64,
    diagnostics: Vec<Diagnostic>,
    #[serde(skip_serializing_if = "is_zero")]
    left_off: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl ValidationReport {
    /// The report of these files.
    #[must_use]
    pub fn new(files: Vec<ValidatedFile>) -> Self {
        Self { files }
    }

    /// Whether every line of every file is valid.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.files.iter().all(|file| file.valid == file.count)
    }
}

impl ValidatedFile {
    /// The result of validating the file that is shown as `path`, of which
    /// `fixed` lines were fixed.
    #[must_use]
    pub fn new(path: String, fixed: u64, validation: Validation) -> Self {
        Self {
            path,
            count: validation.count(),
            valid: validation.valid(),
            fixed,
            left_off: validation.left_off(),
            diagnostics: validation.into_diagnostics(),
        }
    }

    /// Returns the file as users read it.
    #[must_use]
    pub fn human(&self) -> String {
        let mut text: String = self
            .diagnostics
            .iter()
            .map(|one| diagnostic(&self.path, one))
            .collect();
        if self.left_off > 0 {
            let more = many(self.left_off, "more diagnostic", "more diagnostics");
            text.push_str(&format!("{FAINT}and {more}{RESET}\n"));
        }
        if self.fixed > 0 {
            let fixed = many(self.fixed, "line", "lines");
            text.push_str(&format!(
                "{GOOD}fixed{RESET} {fixed} of {}\n",
                printable(&self.path)
            ));
        }
        let count = many(self.count, "correction", "corrections");
        let summary = match self.count - self.valid {
            0 => format!("{count}, {GOOD}all valid{RESET}"),
            bad => format!("{count}, {ERROR}{bad} not valid{RESET}"),
        };
        text.push_str(&format!("{}: {summary}\n", printable(&self.path)));
        text
    }
}

fn many(count: u64, one: &str, more: &str) -> String {
    plural(usize::try_from(count).unwrap_or(usize::MAX), one, more)
}
