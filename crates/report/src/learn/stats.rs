//! How agents do under the versions of their prompts.

use std::collections::BTreeMap;

use review_learning::measure::{AgentStats, Averages, Rate, RegressionCheck, Stats, VersionStats};
use review_types::plural;

use super::comparison::{difference_line, outcome};
use crate::style::{RESET, STRONG};
use crate::text::printable;

/// Returns the statistics as users read them.
#[must_use]
pub fn stats(stats: &Stats) -> String {
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
    let mut before = None;
    for version in &agent.versions {
        text.push_str(&version_line(version, before));
        before = Some(version.version);
    }
    if let Some(watch) = &agent.watch {
        text.push_str(&watch_line(watch));
    }
    text
}

fn version_line(version: &VersionStats, before: Option<u32>) -> String {
    let averages = averages_line(&version.averages);
    let mut text = format!("  v{}: {averages}\n", version.version);
    let used = version.compared.filter(|_| version.averages.runs > 0);
    if let Some((compared, before)) = used.zip(before) {
        text.push_str(&format!(
            "    against v{before}: {}; {}\n",
            outcome(compared.outcome),
            difference_line(&compared.difference),
        ));
    }
    text
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

fn watch_line(watch: &RegressionCheck) -> String {
    let versions: Vec<_> = watch.versions.iter().map(|it| format!("v{it}")).collect();
    let of = |rate: Rate| {
        format!(
            "{} of {}",
            rate.events,
            plural(rate.runs as usize, "run", "runs")
        )
    };
    let found = match watch.is_worse {
        true => "fails more often than the versions before",
        false => "is watched",
    };
    format!(
        "  {} {found}: {} failed, {} before\n",
        versions.join(" with "),
        of(watch.watched),
        of(watch.earlier),
    )
}
