//! Patterns of corrections.

use review_learning::lesson::Lesson;
use review_learning::patterns::{Pattern, PromotionEntry};
use serde::Serialize;

use crate::json::value;
use crate::learn::decide_on_proposed;
use crate::next::next_steps;
use crate::style::{RESET, STRONG};
use crate::text::fields;

/// The patterns of a folder. This is the object that `--format json` prints.
#[derive(Debug, Serialize)]
pub struct PatternReport {
    /// The patterns, the surest first.
    pub patterns: Vec<Pattern>,
}

/// A folder whose patterns were written. This is the object that `--format json`
/// prints.
#[derive(Debug, Serialize)]
pub struct ImportReport {
    /// The files that were read.
    pub files: Vec<ImportedFile>,
    /// The number of patterns.
    pub patterns: usize,
    /// The patterns that were promoted now.
    pub promoted: Vec<PromotionEntry>,
    /// The lessons that were proposed for them.
    pub proposed: Vec<Lesson>,
}

/// A file that was read.
#[derive(Debug, Serialize)]
pub struct ImportedFile {
    /// Its path, as it is shown.
    pub path: String,
    /// The number of its lines.
    pub count: u64,
    /// Lines that were counted: neither unusable nor the same as one before, and
    /// of a pattern.
    pub counted: u64,
}

/// Returns the patterns as users read them: their fields.
#[must_use]
pub fn patterns(report: &PatternReport) -> String {
    let patterns = report.patterns.iter().map(|pattern| {
        let name = pattern.name.as_str();
        format!("{STRONG}{name}{RESET}\n{}", fields(&value(pattern), "  "))
    });
    patterns.collect()
}

/// Returns what was imported as users read it: its fields.
#[must_use]
pub fn imported(report: &ImportReport) -> String {
    let next = [decide_on_proposed()];
    let next = next_steps(&next[usize::from(report.proposed.is_empty())..], None);
    fields(&value(report), "") + &next
}
