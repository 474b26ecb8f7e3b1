//! Patterns of corrections.

use review_learning::patterns::{Factors, Pattern, PromotionEntry};
use review_types::plural;
use serde::Serialize;

use crate::json::Version;
use crate::style::{FAINT, RESET, STRONG};
use crate::text::printable;

/// The patterns of a folder. This is the object that `--format json` prints.
#[derive(Debug, Serialize)]
pub struct PatternReport {
    /// The version of the format.
    pub v: Version,
    /// The patterns, the surest first.
    pub patterns: Vec<Pattern>,
}

/// A folder whose patterns were written. This is the object that `--format json`
/// prints.
#[derive(Debug, Serialize)]
pub struct ImportReport {
    /// The version of the format.
    pub v: Version,
    /// The files that were read.
    pub files: Vec<ImportedFile>,
    /// The number of patterns.
    pub patterns: usize,
    /// The patterns that are to become lessons.
    pub promoted: Vec<PromotionEntry>,
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

/// Returns the patterns as users read them.
#[must_use]
pub fn patterns(report: &PatternReport) -> String {
    report.patterns.iter().map(rendered).collect()
}

/// Returns what was imported as users read it.
#[must_use]
pub fn imported(report: &ImportReport) -> String {
    let mut text = String::new();
    for file in &report.files {
        let ImportedFile {
            path,
            count,
            counted,
        } = file;
        text.push_str(&format!("{path}: {counted} of {count} counted\n"));
    }
    let patterns = plural(report.patterns, "pattern", "patterns");
    let promoted = plural(report.promoted.len(), "promotion", "promotions");
    text.push_str(&format!("{patterns}, {promoted}\n"));
    for entry in &report.promoted {
        text.push_str(&format!("{FAINT}promoted{RESET} {}\n", entry.pattern));
    }
    text
}

fn rendered(pattern: &Pattern) -> String {
    let Factors {
        count,
        severity,
        recency,
        services,
        source_quality,
    } = pattern.factors;
    let times = usize::try_from(pattern.count).unwrap_or(usize::MAX);
    let stale = if pattern.stale { ", stale" } else { "" };
    format!(
        "{STRONG}{}{RESET}  {}, confidence {:.2}, {}, {}{stale}\n\
         \x20 {}\n\
         \x20 {FAINT}count {count:.2} x .35, severity {severity:.2} x .25, recency {recency:.2} x .15, \
         services {services:.2} x .10, sources {source_quality:.2} x .15{RESET}\n",
        pattern.name.as_str(),
        plural(times, "time", "times"),
        pattern.confidence,
        pattern.trend.as_str(),
        pattern.promotion.as_str(),
        printable(&pattern.description),
    )
}
