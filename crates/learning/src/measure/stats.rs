//! Learning metrics: error rates and quality of agents, and how often their prompts
//! change.

use crate::AgentName;
use std::collections::BTreeMap;

use serde::Serialize;

use super::{Averages, Comparison, Observation, Performance, RegressionCheck, compare};

/// The metrics of all agents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Stats {
    /// The share of runs in which each agent erred, under all of its versions,
    /// from 0 to 1; `null` without runs.
    pub error_rate_by_agent: BTreeMap<AgentName, Option<f64>>,
    /// The mean quality of each agent's work, from 0 to 100; `null` if no run was
    /// scored.
    pub average_quality_by_agent: BTreeMap<AgentName, Option<f64>>,
    /// The number of lessons in prompts.
    pub lessons_applied_count: usize,
    /// The number of prompt versions.
    pub prompt_versions_count: usize,
    /// The number of rollbacks per prompt update; 0 without updates.
    pub rollback_frequency: f64,
    /// Each agent with its versions, by name.
    pub agents: Vec<AgentStats>,
}

/// The metrics of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct AgentStats {
    /// The agent.
    pub agent: AgentName,
    /// The version that runs use; `null` if unknown.
    pub active: Option<u32>,
    /// The watch over it; `null` if it was made from no other version.
    pub watch: Option<RegressionCheck>,
    /// The versions that runs used, by number.
    pub versions: Vec<VersionStats>,
}

/// The metrics of an agent's version.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct VersionStats {
    /// The version.
    pub version: u32,
    /// The averages of its runs.
    pub averages: Averages,
    /// What its runs show beside those of the version before it in this list; `null` for
    /// the first one.
    pub compared: Option<Comparison>,
}

impl Stats {
    /// Adds an agent with the watch over its version in use, and with the versions that
    /// runs used, sorted by number.
    pub fn add(
        &mut self,
        agent: &AgentName,
        active: Option<u32>,
        watch: Option<RegressionCheck>,
        versions: &[Performance],
    ) {
        let all: Vec<&Observation> = versions
            .iter()
            .flat_map(Performance::observations)
            .collect();
        let averages = Averages::of(all);
        let name = || agent.clone();
        self.error_rate_by_agent.insert(name(), averages.error_rate);
        self.average_quality_by_agent
            .insert(name(), averages.quality);
        let before = std::iter::once(None).chain(versions.iter().map(Some));
        let versions = versions
            .iter()
            .zip(before)
            .map(|(version, before)| VersionStats {
                version: version.version(),
                averages: version.averages(),
                compared: before
                    .map(|before| compare(before.observations(), version.observations())),
            });
        self.agents.push(AgentStats {
            agent: name(),
            active,
            watch,
            versions: versions.collect(),
        });
    }

    /// Sets the numbers of rollbacks and updates.
    #[must_use]
    pub fn with_rollbacks(mut self, rollbacks: usize, updates: usize) -> Self {
        self.rollback_frequency = match updates {
            0 => 0.0,
            _ => rollbacks as f64 / updates as f64,
        };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Outcome;

    /// A version with `runs` runs, of which the first `errors` erred.
    fn used(version: u32, errors: usize, runs: usize) -> Performance {
        let mut performance = Performance::new(&AgentName::from("reviewer"), version);
        for run in 0..runs {
            performance.record(Observation {
                run: format!("r-{version}-{run}"),
                task: "a".to_owned(),
                error: run < errors,
                quality: Some(if run < errors { 50.0 } else { 100.0 }),
                completed: true,
                rounds: 1,
            });
        }
        performance
    }

    #[test]
    fn rates_cover_all_versions_of_an_agent() {
        let mut stats = Stats::default();
        let versions = [used(1, 6, 20), used(2, 0, 10)];
        let watch = RegressionCheck::of(2, &[1], &versions, true);
        stats.add(
            &AgentName::from("reviewer"),
            Some(2),
            watch.clone(),
            &versions,
        );
        stats.add(&AgentName::from("tester"), None, None, &[]);
        assert_eq!(
            stats.error_rate_by_agent[&AgentName::from("reviewer")],
            Some(0.2)
        );
        assert_eq!(
            stats.average_quality_by_agent[&AgentName::from("reviewer")],
            Some(90.0)
        );
        assert_eq!(stats.error_rate_by_agent[&AgentName::from("tester")], None);
        assert_eq!(
            stats.average_quality_by_agent[&AgentName::from("tester")],
            None
        );
        let [reviewer, tester] = &stats.agents[..] else {
            panic!("two agents: {stats:?}");
        };
        assert_eq!((reviewer.active, tester.active), (Some(2), None));
        assert_eq!((&reviewer.watch, &tester.watch), (&watch, &None));
        assert_eq!(reviewer.versions[0].compared, None);
        assert_eq!(reviewer.versions[1].averages.error_rate, Some(0.0));
        let compared = reviewer.versions[1].compared.expect("a comparison");
        assert_eq!(compared.outcome, Outcome::NotShown);
        assert_eq!(compared.averages_before.error_rate, Some(0.3));
    }

    #[test]
    fn rollbacks_are_counted_per_update() {
        for (rollbacks, updates, expected) in [(0, 0, 0.0), (1, 4, 0.25), (0, 3, 0.0)] {
            let stats = Stats::default().with_rollbacks(rollbacks, updates);
            assert!((stats.rollback_frequency - expected).abs() < 1e-12);
        }
    }
}
