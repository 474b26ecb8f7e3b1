//! How agents do under the versions of their prompts.

use std::collections::BTreeMap;

use review_learning::measure::{
    AgentStats, AutomaticRollback, HORIZON, MIN_BASELINE, Stats, VersionStats,
};
use review_types::plural;
use serde::Serialize;

use crate::json::Version;
use crate::style::{RESET, STRONG};
use crate::text::printable;

/// How agents do under the versions of their prompts.
#[derive(Debug, Serialize)]
pub struct StatsReport {
    /// The version of the format.
    pub v: Version,
    /// The statistics.
    #[serde(flatten)]
    pub stats: Stats,
}

/// Returns the statistics as users read them.
#[must_use]
pub fn stats(report: &StatsReport) -> String {
    let stats = &report.stats;
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let mut text = format!(
        "error_rate_by_agent: {}\naverage_quality_by_agent: {}\nlessons_applied_count: {}\n\
         prompt_versions_count: {}\nrollback_frequency: {:.2}\n",
        by_agent(&stats.error_rate_by_agent, percent),
        by_agent(&stats.average_quality_by_agent, |mean| format!("{mean:.1}")),
        stats.lessons_applied_count,
        stats.prompt_versions_count,
        stats.rollback_frequency,
    );
    for agent in &stats.agents {
        text.push_str(&agent_lines(agent));
    }
    text
}

fn by_agent(values: &BTreeMap<String, Option<f64>>, render: impl Fn(f64) -> String) -> String {
    let of = |(agent, value): (&String, &Option<f64>)| {
        format!("{} {}", printable(agent), shown(*value, &render))
    };
    let all: Vec<String> = values.iter().map(of).collect();
    if all.is_empty() {
        "no runs".to_owned()
    } else {
        all.join(", ")
    }
}

fn shown(value: Option<f64>, render: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "none".to_owned(), render)
}

fn agent_lines(agent: &AgentStats) -> String {
    let active = agent
        .active
        .map(|version| format!(", v{version} is active"));
    let mut text = format!(
        "\n{STRONG}{}{RESET}{}\n",
        printable(&agent.agent),
        active.unwrap_or_default()
    );
    for version in &agent.versions {
        text.push_str(&version_line(version));
        if agent.active == Some(version.version) && !version.is_baseline {
            text.push_str(&format!(
                "    the baseline for a next version is too small: {} of {MIN_BASELINE} runs\n",
                version.averages.runs
            ));
        }
    }
    text
}

fn version_line(version: &VersionStats) -> String {
    let averages = &version.averages;
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    format!(
        "  v{}: {}, error rate {}, quality {}, completed {}; {}\n",
        version.version,
        plural(averages.runs as usize, "run", "runs"),
        shown(averages.error_rate, percent),
        shown(averages.quality, |mean| format!("{mean:.1}")),
        shown(averages.completion_rate, percent),
        watch(version),
    )
}

fn watch(version: &VersionStats) -> String {
    let threshold = version.threshold;
    let evidence = shown(version.e_value, |value| format!("{value:.2}"));
    match version.automatic_rollback {
        AutomaticRollback::NothingBefore => "there is nothing to go back to".to_owned(),
        AutomaticRollback::BaselineTooSmall => format!(
            "no automatic rollback, the baseline is too small: {} of {MIN_BASELINE} runs",
            version.baseline_runs
        ),
        AutomaticRollback::Watching => {
            format!("watched, the evidence against it is {evidence} of {threshold:.0}")
        }
        AutomaticRollback::Kept => {
            format!("watched for {HORIZON} runs, the evidence against it is {evidence}")
        }
        AutomaticRollback::Degraded => format!(
            "errs more often than before, the evidence against it is {evidence} of {threshold:.0}"
        ),
    }
}
