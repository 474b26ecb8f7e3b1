//! Files that were validated: corrections, or feedback documents.

use review_types::diagnostic::{Diagnostic, DiagnosticCode};
use review_types::plural;
use serde::Serialize;

use crate::diagnostic::diagnostic;
use crate::style::{ERROR, FAINT, GOOD, RESET};
use crate::text::printable;

/// The result of a command that validates files.
#[derive(Debug, Serialize)]
#[serde(bound = "")]
pub struct ValidationReport<C: DiagnosticCode> {
    /// The files.
    pub files: Vec<ValidatedFile<C>>,
}

/// A file that was validated.
#[derive(Debug, Serialize)]
#[serde(bound = "")]
pub struct ValidatedFile<C: DiagnosticCode> {
    /// As it was named.
    pub path: String,
    /// The number of corrections or documents in it.
    pub count: u64,
    /// The number of those without an error.
    pub valid: u64,
    /// The number of lines that were changed.
    #[serde(skip_serializing_if = "is_zero")]
    pub fixed: u64,
    /// What was found.
    pub diagnostics: Vec<Diagnostic<C>>,
    /// The number of diagnostics that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_off: u64,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl<C: DiagnosticCode> ValidationReport<C> {
    /// Whether all files are valid.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.files.iter().all(|file| file.valid == file.count)
    }

    /// The report for people; what the files have are these nouns.
    #[must_use]
    pub fn human(&self, one: &str, many: &str) -> String {
        let read = self.files.iter().filter(|file| file.error.is_none());
        read.map(|file| file.human(one, many)).collect()
    }
}

impl<C: DiagnosticCode> ValidatedFile<C> {
    fn human(&self, one: &str, many: &str) -> String {
        let path = printable(&self.path);
        let diagnostics = self.diagnostics.iter();
        let mut text: String = diagnostics.map(|one| diagnostic(&path, one)).collect();
        if self.left_off > 0 {
            let more = counted(self.left_off, "more diagnostic", "more diagnostics");
            text.push_str(&format!("{FAINT}and {more}{RESET}\n"));
        }
        if self.fixed > 0 {
            let fixed = counted(self.fixed, "line", "lines");
            text.push_str(&format!("{GOOD}fixed{RESET} {fixed} of {path}\n"));
        }
        let summary = match self.count - self.valid {
            0 => format!("{GOOD}all valid{RESET}"),
            bad => format!("{ERROR}{bad} not valid{RESET}"),
        };
        let count = counted(self.count, one, many);
        text + &format!("{path}: {count}, {summary}\n")
    }
}

fn counted(count: u64, one: &str, many: &str) -> String {
    plural(usize::try_from(count).unwrap_or(usize::MAX), one, many)
}
