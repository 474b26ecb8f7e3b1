//! Learning metrics: error rates and quality of agents, and how often their prompts
//! change.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{ALPHA, Averages, HORIZON, MIN_BASELINE, Observation, Performance};

/// The metrics of all agents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Stats {
    /// The share of runs in which each agent erred, under all of its versions,
    /// from 0 to 1; `null` without runs.
    pub error_rate_by_agent: BTreeMap<String, Option<f64>>,
    /// The mean quality of each agent's work, from 0 to 100; `null` if no run was
    /// scored.
    pub average_quality_by_agent: BTreeMap<String, Option<f64>>,
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
    pub agent: String,
    /// The version that runs use; `null` if unknown.
    pub active: Option<u32>,
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
    /// The state of its automatic rollback.
    pub automatic_rollback: AutomaticRollback,
    /// The number of runs of the previous version when this one became active.
    pub baseline_runs: u32,
    /// The error rate that it is compared with; `null` if there is none.
    pub p0: Option<f64>,
    /// The evidence against it; `null` if it is not watched.
    pub e_value: Option<f64>,
    /// The evidence at which it is rolled back.
    pub threshold: f64,
    /// Whether it had enough runs to be the baseline of the next version.
    pub is_baseline: bool,
}

/// The state of the automatic rollback of a version that errs more often than the
/// previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutomaticRollback {
    /// There was no previous version.
    NothingBefore,
    /// The previous version had fewer than 20 runs.
    BaselineTooSmall,
    /// It is watched.
    Watching,
    /// It did not err more often in the watched runs.
    Kept,
    /// It errs more often.
    Degraded,
}

impl AutomaticRollback {
    /// The state of the watch over a version.
    #[must_use]
    pub fn of(performance: &Performance) -> Self {
        match performance.watch() {
            None if !performance.was_activated() => Self::NothingBefore,
            None => Self::BaselineTooSmall,
            Some(watch) if watch.degraded => Self::Degraded,
            Some(watch) if watch.runs >= HORIZON => Self::Kept,
            Some(_) => Self::Watching,
        }
    }
}

impl VersionStats {
    fn of(performance: &Performance) -> Self {
        let averages = performance.averages();
        Self {
            version: performance.version(),
            averages,
            automatic_rollback: AutomaticRollback::of(performance),
            baseline_runs: performance.baseline_runs(),
            p0: performance.p0(),
            e_value: performance.watch().map(|watch| watch.e_value),
            threshold: 1.0 / ALPHA,
            is_baseline: averages.runs >= MIN_BASELINE,
        }
    }
}

impl Stats {
    /// Adds an agent with the versions that runs used, sorted by number.
    pub fn add(&mut self, agent: &str, active: Option<u32>, versions: &[Performance]) {
        let all: Vec<&Observation> = versions
            .iter()
            .flat_map(Performance::observations)
            .collect();
        let averages = Averages::of(all);
        let name = || agent.to_owned();
        self.error_rate_by_agent.insert(name(), averages.error_rate);
        self.average_quality_by_agent
            .insert(name(), averages.quality);
        self.agents.push(AgentStats {
            agent: name(),
            active,
            versions: versions.iter().map(VersionStats::of).collect(),
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
    use review_types::Timestamp;

    use super::*;

    /// A version with `runs` runs, of which the first `errors` erred.
    fn used(version: u32, errors: usize, runs: usize) -> Performance {
        let mut performance = Performance::new("reviewer", version);
        record(&mut performance, errors, runs);
        performance
    }

    fn record(performance: &mut Performance, errors: usize, runs: usize) {
        for run in 0..runs {
            performance.record(Observation {
                run: format!("r-{}-{run}", performance.version()),
                task: "a".to_owned(),
                error: run < errors,
                quality: Some(if run < errors { 50.0 } else { 100.0 }),
                completed: true,
                judged: true,
            });
        }
    }

    fn after(before: &Performance, errors: usize, runs: usize) -> Performance {
        let mut performance = Performance::new("reviewer", before.version() + 1);
        performance.activate(Timestamp::UNIX_EPOCH, before);
        record(&mut performance, errors, runs);
        performance
    }

    #[test]
    fn rates_cover_all_versions_of_an_agent() {
        let mut stats = Stats::default();
        let first = used(1, 6, 20);
        stats.add("reviewer", Some(2), &[first.clone(), after(&first, 0, 10)]);
        stats.add("tester", None, &[]);
        assert_eq!(stats.error_rate_by_agent["reviewer"], Some(0.2));
        assert_eq!(stats.average_quality_by_agent["reviewer"], Some(90.0));
        assert_eq!(stats.error_rate_by_agent["tester"], None);
        assert_eq!(stats.average_quality_by_agent["tester"], None);
        let [reviewer, tester] = &stats.agents[..] else {
            panic!("two agents: {stats:?}");
        };
        assert_eq!((reviewer.active, tester.active), (Some(2), None));
        assert_eq!(reviewer.versions[1].baseline_runs, 20);
        assert_eq!(reviewer.versions[1].averages.error_rate, Some(0.0));
        assert!(reviewer.versions[1].p0 > Some(0.3), "{reviewer:?}");
        assert!(reviewer.versions[1].e_value < Some(1.0));
        assert!((reviewer.versions[0].threshold - 20.0).abs() < 1e-9);
        assert!(reviewer.versions[0].is_baseline);
        assert!(!reviewer.versions[1].is_baseline);
    }

    #[test]
    fn a_version_is_watched_after_a_baseline_of_20_runs() {
        let small = used(1, 0, 19);
        let large = used(1, 0, 20);
        for (performance, expected) in [
            (small.clone(), AutomaticRollback::NothingBefore),
            (after(&small, 5, 5), AutomaticRollback::BaselineTooSmall),
            (after(&large, 0, 5), AutomaticRollback::Watching),
            (after(&large, 5, 5), AutomaticRollback::Degraded),
            (after(&large, 0, 99), AutomaticRollback::Watching),
            (after(&large, 0, 100), AutomaticRollback::Kept),
        ] {
            assert_eq!(AutomaticRollback::of(&performance), expected);
        }
    }

    #[test]
    fn rollbacks_are_counted_per_update() {
        for (rollbacks, updates, expected) in [(0, 0, 0.0), (1, 4, 0.25), (0, 3, 0.0)] {
            let stats = Stats::default().with_rollbacks(rollbacks, updates);
            assert!((stats.rollback_frequency - expected).abs() < 1e-12);
        }
    }
}
