//! Corrections, counted.

use std::collections::BTreeMap;

use review_learning::corrections::{CorrectionTotals, Stats};
use serde::Serialize;

use crate::text::printable;

/// Corrections, counted. This is the object that `--format json` prints.
#[derive(Debug, Serialize)]
pub struct CorrectionStats {
    /// The numbers.
    pub stats: Stats,
}

/// Returns the numbers as users read them.
#[must_use]
pub fn stats(report: &CorrectionStats) -> String {
    let stats = &report.stats;
    let mut text = format!("{}\n", line("all", &stats.total));
    for (name, sum) in heaviest(&stats.groups) {
        let name = if name.is_empty() { "others" } else { name };
        text.push_str(&format!("  {}\n", line(&printable(name), sum)));
    }
    text
}

/// The sums with the greatest impact first.
fn heaviest(sums: &BTreeMap<String, CorrectionTotals>) -> Vec<(&str, &CorrectionTotals)> {
    let mut sums: Vec<_> = sums
        .iter()
        .map(|(name, sum)| (name.as_str(), sum))
        .collect();
    sums.sort_by(|a, b| b.1.impact.total_cmp(&a.1.impact));
    sums
}

fn line(name: &str, sum: &CorrectionTotals) -> String {
    let CorrectionTotals {
        count,
        weight,
        impact,
    } = sum;
    format!("{name}: {count}, weight {weight:.1}, impact {impact:.2}")
}
