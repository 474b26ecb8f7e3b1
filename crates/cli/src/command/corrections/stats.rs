//! `ralph corrections stats`.

use std::collections::BTreeMap;

use review_learning::corrections::{Selection, Stats, Sum};
use review_types::ExitCode;
use serde::Serialize;

use super::each;
use crate::args::{CorrectionStatsArgs, PlainFormat};
use crate::context::Context;
use crate::error::Ended;
use crate::output::style::{RESET, STRONG};
use crate::output::{Version, printable};

/// The result of `corrections stats --format json`.
#[derive(Serialize)]
struct Counted {
    v: Version,
    stats: Stats,
}

/// Counts what is selected.
pub(super) fn run(context: &mut Context, args: &CorrectionStatsArgs) -> Ended {
    let selection = args.selection.selection();
    let mut stats = Stats::default();
    each(context, args.file.as_deref(), |_, correction| {
        if selection.accepts(&correction) {
            stats.add(&correction);
        }
    })?;
    let is_empty = stats.total.count == 0 && selection != Selection::default();
    match args.format {
        PlainFormat::Human => context.streams.print(&rendered(&stats))?,
        PlainFormat::Json => context.streams.print_json(&Counted { v: Version, stats })?,
    }
    Ok(if is_empty {
        ExitCode::Nothing
    } else {
        ExitCode::Passed
    })
}

fn rendered(stats: &Stats) -> String {
    let mut text = format!("{}\n", line("all", &stats.total));
    for (title, sums) in [
        ("correction_type", &stats.correction_type),
        ("agent", &stats.agent),
        ("pattern", &stats.pattern),
        ("severity", &stats.severity),
        ("source", &stats.source),
    ] {
        if !sums.is_empty() {
            text.push_str(&format!("{STRONG}{title}{RESET}\n"));
        }
        for (name, sum) in heaviest(sums) {
            let name = if name.is_empty() { "others" } else { name };
            text.push_str(&format!("  {}\n", line(&printable(name), sum)));
        }
    }
    text
}

/// The sums with the greatest impact first.
fn heaviest(sums: &BTreeMap<String, Sum>) -> Vec<(&str, &Sum)> {
    let mut sums: Vec<_> = sums
        .iter()
        .map(|(name, sum)| (name.as_str(), sum))
        .collect();
    sums.sort_by(|a, b| b.1.impact.total_cmp(&a.1.impact));
    sums
}

fn line(name: &str, sum: &Sum) -> String {
    let Sum {
        count,
        weight,
        impact,
    } = sum;
    format!("{name}: {count}, weight {weight:.1}, impact {impact:.2}")
}
