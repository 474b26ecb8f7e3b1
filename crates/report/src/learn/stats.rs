//! How agents do under the versions of their prompts.

use std::collections::BTreeMap;

use review_learning::measure::{
    AgentStats, AutomaticRollback, Averages, HORIZON, MIN_BASELINE, Stats, VersionStats,
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
        "error rate: {}\naverage quality: {}\nlessons in prompts: {}\n\
         versions of prompts: {}\nrollbacks per update: {:.2}\n",
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
                "    a next version is watched once this one has {MIN_BASELINE} runs: {} so far\n",
                version.averages.runs
            ));
        }
    }
    text
}

fn version_line(version: &VersionStats) -> String {
    let averages = averages_line(&version.averages);
    let watch = watch(version);
    format!("  v{}: {averages}; {watch}\n", version.version)
}

/// Returns the averages of a version as users read them.
pub(super) fn averages_line(averages: &Averages) -> String {
    if averages.runs == 0 {
        return "no runs yet".to_owned();
    }
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    format!(
        "{}, error rate {}, quality {}, passed {}",
        plural(averages.runs as usize, "run", "runs"),
        shown(averages.error_rate, percent),
        averages
            .quality
            .map_or_else(|| "not scored".to_owned(), |mean| format!("{mean:.1}")),
        shown(averages.completion_rate, percent),
    )
}

fn watch(version: &VersionStats) -> String {
    let threshold = version.threshold;
    let evidence = shown(version.e_value, |value| {
        format!("{:.1}", value.min(threshold))
    });
    match version.automatic_rollback {
        AutomaticRollback::NothingBefore => "no earlier version".to_owned(),
        AutomaticRollback::BaselineTooSmall => format!(
            "not watched: the version before it had {} of the {MIN_BASELINE} runs needed",
            version.baseline_runs
        ),
        AutomaticRollback::Watching => {
            format!(
                "watched; rolled back if the evidence of harm ({evidence}) reaches {threshold:.0}"
            )
        }
        AutomaticRollback::Kept => {
            format!("watched for {HORIZON} runs without harm")
        }
        AutomaticRollback::Degraded => "fails more often than the version before it".to_owned(),
    }
}
