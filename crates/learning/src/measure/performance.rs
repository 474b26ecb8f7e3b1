//! The performance of a prompt version over the runs that used it.

use review_types::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Averages, Observation, Rate, Watch, baseline_rate, watch};
use crate::Format;

/// The runs that used a prompt version, as stored in `vN.performance.json`. Averages
/// and evidence are computed from them on request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Performance {
    v: Format,
    agent: String,
    version: u32,
    /// The time at which the version became active; `null` if it was active from the
    /// start.
    activated_at: Option<Timestamp>,
    /// The error rate of the previous version, frozen at the activation; `null` if it
    /// had too few runs.
    p0: Option<f64>,
    /// The number of runs of the previous version at the activation.
    baseline_runs: u32,
    /// The number of observations of earlier activations, which are not watched.
    watched_from: usize,
    observations: Vec<Observation>,
}

/// A file that is not a valid performance of a version.
#[derive(Debug, thiserror::Error)]
pub enum PerformanceError {
    /// The file has another format.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The file is about another agent or version.
    #[error("belongs to version {version} of {agent}")]
    Another {
        /// The agent.
        agent: String,
        /// The version.
        version: u32,
    },
    /// A number is out of range.
    #[error("{0} is out of range")]
    Range(&'static str),
}

impl Performance {
    /// The performance of an unused version.
    #[must_use]
    pub fn new(agent: &str, version: u32) -> Self {
        Self {
            v: Format,
            agent: agent.to_owned(),
            version,
            activated_at: None,
            p0: None,
            baseline_runs: 0,
            watched_from: 0,
            observations: Vec::new(),
        }
    }

    /// Parses a file.
    ///
    /// # Errors
    /// Returns an error when the file is invalid.
    pub fn read(json: &[u8]) -> Result<Self, PerformanceError> {
        let read: Self = serde_json::from_slice(json)?;
        if read.p0.is_some_and(|p0| !(p0 > 0.0 && p0 < 1.0)) {
            return Err(PerformanceError::Range("p0"));
        }
        if read.watched_from > read.observations.len() {
            return Err(PerformanceError::Range("watched_from"));
        }
        let mut qualities = read.observations.iter().filter_map(|seen| seen.quality);
        if !qualities.all(|quality| (0.0..=100.0).contains(&quality)) {
            return Err(PerformanceError::Range("quality"));
        }
        Ok(read)
    }

    /// Returns the performance if it belongs to this version of this agent.
    ///
    /// # Errors
    /// Returns an error when it belongs to another one.
    pub fn of(self, agent: &str, version: u32) -> Result<Self, PerformanceError> {
        if self.agent == agent && self.version == version {
            return Ok(self);
        }
        Err(PerformanceError::Another {
            agent: self.agent,
            version: self.version,
        })
    }

    /// The agent.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// The number of the version.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Whether it became active after another version.
    #[must_use]
    pub fn was_activated(&self) -> bool {
        self.activated_at.is_some()
    }

    /// The runs, in the order in which they first ended.
    #[must_use]
    pub fn observations(&self) -> &[Observation] {
        &self.observations
    }

    /// The error rate of the previous version, if it had enough runs.
    #[must_use]
    pub fn p0(&self) -> Option<f64> {
        self.p0
    }

    /// The number of runs of the previous version when this one became active.
    #[must_use]
    pub fn baseline_runs(&self) -> u32 {
        self.baseline_runs
    }

    /// Records that the version is active since `at`, after the version `before`: the
    /// error rate of `before` is frozen, and only later runs are watched. Recording the
    /// same time again changes nothing.
    pub fn activate(&mut self, at: Timestamp, before: &Self) {
        if self.activated_at == Some(at) {
            return;
        }
        let errors = before.errors();
        self.activated_at = Some(at);
        self.p0 = baseline_rate(errors);
        self.baseline_runs = errors.runs;
        self.watched_from = self.observations.len();
    }

    /// Records the observation of a run, replacing an earlier one of the same run.
    pub fn record(&mut self, observation: Observation) {
        let mut seen = self.observations.iter_mut();
        match seen.find(|seen| seen.run == observation.run) {
            Some(seen) => *seen = observation,
            None => self.observations.push(observation),
        }
    }

    /// The averages over all runs.
    #[must_use]
    pub fn averages(&self) -> Averages {
        Averages::of(&self.observations)
    }

    /// The runs with errors.
    #[must_use]
    pub fn errors(&self) -> Rate {
        Rate::of(self.observations.iter().map(|seen| seen.error))
    }

    /// The runs with errors since the activation.
    #[must_use]
    pub fn watched_errors(&self) -> Rate {
        let watched = self.observations.iter().skip(self.watched_from);
        Rate::of(watched.map(|seen| seen.error))
    }

    /// The watch over the runs since the activation; `None` if the previous version had
    /// too few runs.
    #[must_use]
    pub fn watch(&self) -> Option<Watch> {
        let watched = self.observations.iter().skip(self.watched_from);
        Some(watch(self.p0?, watched.map(|seen| seen.error)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn seen(run: &str, error: bool) -> Observation {
        Observation {
            run: run.to_owned(),
            task: "specs/A.md".to_owned(),
            error,
            quality: Some(80.0),
            completed: true,
            judged: true,
        }
    }

    /// A version with `runs` runs, of which the first `errors` erred.
    fn used(version: u32, errors: usize, runs: usize) -> Performance {
        let mut performance = Performance::new("reviewer", version);
        for run in 0..runs {
            performance.record(seen(&format!("r-{run}"), run < errors));
        }
        performance
    }

    fn time(ms: i64) -> Timestamp {
        Timestamp::from_unix_ms(ms)
    }

    #[test]
    fn a_run_has_one_observation() {
        let mut performance = used(1, 0, 2);
        performance.record(seen("r-0", true));
        let errors: Vec<bool> = performance.observations().iter().map(|s| s.error).collect();
        assert_eq!(errors, [true, false]);
        assert_eq!(performance.averages().runs, 2);
        assert_eq!(performance.averages().error_rate, Some(0.5));
    }

    #[test]
    fn the_baseline_is_frozen_when_a_version_becomes_active() {
        let mut before = used(1, 2, 20);
        let mut performance = Performance::new("reviewer", 2);
        assert_eq!(performance.watch(), None);
        performance.activate(time(5), &before);
        let p0 = performance.p0().expect("a rate");
        assert!((p0 - 0.125).abs() < 0.002, "{p0}");
        assert_eq!(performance.baseline_runs(), 20);
        before.record(seen("late", true));
        performance.activate(time(5), &before);
        assert_eq!(performance.p0(), Some(p0));
        for run in 0..5 {
            performance.record(seen(&run.to_string(), true));
        }
        let watch = performance.watch().expect("a watch");
        assert!(watch.degraded && watch.runs == 5, "{watch:?}");
    }

    #[test]
    fn too_few_earlier_runs_give_no_baseline() {
        let mut performance = Performance::new("reviewer", 2);
        performance.activate(time(5), &used(1, 0, 19));
        assert_eq!((performance.p0(), performance.baseline_runs()), (None, 19));
        performance.record(seen("r", true));
        assert_eq!(performance.watch(), None);
    }

    #[test]
    fn a_reactivated_version_is_watched_from_the_start() {
        let mut performance = used(2, 30, 30);
        performance.activate(time(9), &used(1, 0, 30));
        let fresh = performance.watch().expect("a watch");
        assert!(fresh.runs == 0 && !fresh.degraded, "{fresh:?}");
        performance.record(seen("again", false));
        assert_eq!(performance.watch().map(|watch| watch.runs), Some(1));
    }

    #[test]
    fn a_performance_round_trips() {
        let mut performance = used(2, 1, 3);
        performance.activate(time(1_500), &used(1, 0, 20));
        let json = serde_json::to_vec(&performance).expect("JSON");
        let read = Performance::read(&json).expect("a performance");
        assert_eq!(read, performance);
        let json: Json = serde_json::from_slice(&json).expect("JSON");
        assert_eq!(json["activated_at"], "1970-01-01T00:00:01.500Z");
        assert_eq!(json["watched_from"], 3);
        let first = json!({
            "run": "r-0", "task": "specs/A.md", "error": true, "quality": 80.0, "completed": true, "judged": true,
        });
        assert_eq!(json["observations"][0], first);
    }

    #[test]
    fn an_invalid_performance_is_rejected() {
        let whole = || serde_json::to_value(used(2, 0, 1)).expect("JSON");
        for (pointer, value, message) in [
            (
                "/v",
                json!(2),
                "unsupported format version: expected 1, found 2",
            ),
            (
                "/agent",
                json!("applier"),
                "belongs to version 2 of applier",
            ),
            ("/version", json!(3), "belongs to version 3 of reviewer"),
            ("/p0", json!(0.0), "p0 is out of range"),
            ("/p0", json!(1.0), "p0 is out of range"),
            ("/watched_from", json!(2), "watched_from is out of range"),
            (
                "/observations/0/quality",
                json!(100.5),
                "quality is out of range",
            ),
            (
                "/observations/0/quality",
                json!(-1.0),
                "quality is out of range",
            ),
        ] {
            let mut changed = whole();
            *changed.pointer_mut(pointer).expect("a place") = value;
            let json = changed.to_string();
            let read = Performance::read(json.as_bytes());
            let error = read.and_then(|it| it.of("reviewer", 2)).expect_err(pointer);
            assert!(error.to_string().starts_with(message), "{error}");
        }
        assert!(Performance::read(b"{}").is_err());
    }
}
