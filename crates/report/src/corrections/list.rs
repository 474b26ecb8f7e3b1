//! Corrections, one by one.

use review_learning::corrections::Correction;
use serde::Serialize;

use crate::json::value;
use crate::style::{FAINT, RESET, STRONG};
use crate::text::{fields, one_line, printable};

/// Corrections. This is the object that `--format json` prints.
#[derive(Debug, Serialize)]
pub struct CorrectionList {
    /// The corrections.
    pub corrections: Vec<ListedCorrection>,
}

/// A correction with its place and its weight.
#[derive(Debug, Serialize)]
pub struct ListedCorrection {
    /// Its line.
    pub line: u64,
    /// Its impact.
    pub impact: f64,
    /// The correction.
    pub correction: Correction,
}

impl ListedCorrection {
    /// Returns the correction as users read it.
    #[must_use]
    pub fn human(&self) -> String {
        let Self {
            line, correction, ..
        } = self;
        let pattern = correction.pattern_inferred.as_ref();
        let pattern = pattern.map_or("-", |name| name.as_str());
        format!(
            "{FAINT}{line:>6}{RESET}  {}  {STRONG}{}{RESET}  {}  {pattern}  {} {} {:.2}\n\
             \x20       {}\n",
            correction.date,
            printable(correction.agent.as_str()),
            correction.correction_type,
            correction.effective_severity(),
            correction.source,
            self.impact,
            printable(&correction.user_correction.summary),
        )
    }
}

/// A correction that was removed.
#[derive(Debug, Serialize)]
pub struct RemovedCorrection {
    /// The number of its line.
    pub line: u64,
    /// The line as it was.
    pub text: String,
    /// The summary of the user's correction; `null` for a line that held none.
    pub summary: Option<String>,
    /// Whether feedback was removed with it.
    pub forgotten: bool,
}

/// Returns what was removed, as users read it.
#[must_use]
pub fn removed_correction(removed: &RemovedCorrection) -> String {
    let said = removed.summary.as_deref().unwrap_or(&removed.text);
    let forgotten = match removed.forgotten {
        true => " and the feedback that was collected from it",
        false => "",
    };
    format!(
        "removed line {}{forgotten}: {}\n",
        removed.line,
        one_line(said)
    )
}

/// Returns a correction with all its fields, as users read it.
#[must_use]
pub fn correction(shown: &ListedCorrection) -> String {
    format!("{FAINT}impact{RESET} {:.2}\n", shown.impact) + &fields(&value(&shown.correction), "")
}
