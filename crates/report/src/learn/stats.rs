//! How agents do under the versions of their prompts.

use review_learning::measure::{AgentStats, Stats, VersionStats};
use review_types::plural;

use crate::json::value;
use crate::style::{RESET, STRONG};
use crate::text::{columns, fields, printable};

/// Returns the statistics as users read them.
#[must_use]
pub fn stats(stats: &Stats) -> String {
    let mut sums = value(stats);
    if let Some(sums) = sums.as_object_mut() {
        sums.remove("agents");
    }
    let agents: String = stats.agents.iter().map(lines).collect();
    fields(&sums, "") + &agents
}

/// An agent with its versions, a row each.
fn lines(agent: &AgentStats) -> String {
    let name = printable(agent.agent.as_str());
    let rows: Vec<_> = agent.versions.iter().map(cells).collect();
    let rows: String = columns(&rows).map(|row| format!("  {row}\n")).collect();
    let mut others = value(agent);
    if let Some(others) = others.as_object_mut() {
        others.retain(|name, _| ["active", "watch"].contains(&&**name));
    }
    format!("\n{STRONG}{name}{RESET}\n{rows}{}", fields(&others, "  "))
}

/// The version, its runs, errors, quality and passes, and whether it is better than the one
/// before.
fn cells(version: &VersionStats) -> [String; 6] {
    let averages = &version.averages;
    let shown = |name: &str, value: Option<f64>, factor: f64, unit: &str| {
        let shown = value.map(|value| format!("{name} {:.1}{unit}", value * factor));
        shown.unwrap_or_default()
    };
    let compared = version.compared.filter(|_| averages.runs > 0);
    let compared = compared.map(|compared| compared.outcome.as_str().replace('_', " "));
    [
        format!("v{}", version.version),
        plural(averages.runs as usize, "run", "runs"),
        shown("errors", averages.error_rate, 100.0, " %"),
        shown("quality", averages.quality, 1.0, ""),
        shown("passed", averages.completion_rate, 100.0, " %"),
        compared.unwrap_or_default(),
    ]
}
