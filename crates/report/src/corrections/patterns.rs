//! Patterns of corrections.

use review_learning::lesson::Lesson;
use review_learning::patterns::{Pattern, PatternStatus, PromotionEntry, Trend};
use review_types::plural;
use serde::Serialize;

use crate::confidence::confidence;
use crate::learn::{decide_on_proposed, proposed};
use crate::next::next_steps;
use crate::style::{FAINT, RESET, STRONG};
use crate::text::printable;

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
    text.extend(report.proposed.iter().map(proposed));
    if !report.proposed.is_empty() {
        text += &next_steps(&[decide_on_proposed()], None);
    }
    text
}

fn rendered(pattern: &Pattern) -> String {
    let times = usize::try_from(pattern.occurrences).unwrap_or(usize::MAX);
    format!(
        "{STRONG}{}{RESET}  {}, {}\n\
         \x20 {}\n\
         \x20 {FAINT}{confidence}{RESET}\n\
         \x20 {}\n",
        pattern.name.as_str(),
        plural(times, "time", "times"),
        when(pattern),
        printable(&pattern.description),
        outcome(pattern.status),
        confidence = confidence(pattern.confidence.value, &pattern.confidence.factors),
    )
}

/// When a pattern was seen, compared with earlier.
const fn when(pattern: &Pattern) -> &'static str {
    match pattern.trend {
        _ if pattern.stale => "not seen for half a year",
        Trend::New => "first seen in the last 30 days",
        Trend::Increasing => "more often than in the previous 30 days",
        Trend::Stable => "about as often as in the previous 30 days",
        Trend::Decreasing => "less often than in the previous 30 days",
        Trend::Resolved => "not seen in the last 30 days",
        Trend::Reopened => "seen again after 30 days or more",
    }
}

/// What becomes of a pattern, and the command for it.
const fn outcome(status: PatternStatus) -> &'static str {
    match status {
        PatternStatus::Observed => {
            "too little for a lesson yet: that takes three of high severity, or five of medium, in \
             different sessions within 90 days"
        }
        PatternStatus::Ready => "enough for a lesson: `ralph learn run` proposes one",
        PatternStatus::Proposed => "a lesson is proposed: `ralph learn review`",
        PatternStatus::Approved => "its lesson is approved: `ralph learn show`",
        PatternStatus::Rejected => "its lesson was rejected",
        PatternStatus::Applied => "its lesson is in the prompt of the agent",
    }
}
