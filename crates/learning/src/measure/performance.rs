//! What is known of a version of a prompt from the runs that used it.

use review_types::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Averages, Observation, Rate, Watch, baseline_rate, watch};
use crate::Format;

/// The runs that used a version of a prompt, as `vN.performance.json` holds
/// them. Averages and evidence are folded from them whenever they are asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Performance {
    v: Format,
    agent: String,
    version: u32,
    /// When the version became the active one; `null` for one that was it from
    /// the beginning.
    activated_at: Option<Timestamp>,
    /// The rate of errors of the version before, frozen at the activation;
    /// `null` where it had too few runs.
    p0: Option<f64>,
    /// Runs of the version before, at the activation.
    baseline_runs: u32,
    /// Observations of earlier activations, which are not watched.
    watched_from: usize,
    observations: Vec<Observation>,
}

/// A text that is no performance of a version.
#[derive(Debug, thiserror::Error)]
pub enum PerformanceError {
    /// It is not of the form.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It is of another agent or version.
    #[error("is about version {version} of {agent}")]
    Another {
        /// The agent.
        agent: String,
        /// The version.
        version: u32,
    },
    /// A number is out of its range.
    #[error("{0} is out of its range")]
    Range(&'static str),
}

impl Performance {
    /// That of a version that was never used.
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

    /// Reads the text of a file.
    ///
    /// # Errors
    /// When it is something else.
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
            return Err(PerformanceError::Range("a quality"));
        }
        Ok(read)
    }

    /// The same, if it is about this version of this agent.
    ///
    /// # Errors
    /// When it is about another one.
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

    /// The runs, in the order in which they ended first.
    #[must_use]
    pub fn observations(&self) -> &[Observation] {
        &self.observations
    }

    /// The rate of errors of the version before, if it had enough runs.
    #[must_use]
    pub fn p0(&self) -> Option<f64> {
        self.p0
    }

    /// Runs of the version before when this one became active.
    #[must_use]
    pub fn baseline_runs(&self) -> u32 {
        self.baseline_runs
    }

    /// Notes that the version is active since `at`, after the version `before`:
    /// its rate of errors is frozen, and only later runs are watched. The same
    /// moment again changes nothing.
    pub fn activate(&mut self, at: Timestamp, before: &Self) {
        if self.activated_at == Some(at) {
            return;
        }
        let errors = Rate::of(before.observations.iter().map(|seen| seen.error));
        self.activated_at = Some(at);
        self.p0 = baseline_rate(errors);
        self.baseline_runs = errors.runs;
        self.watched_from = self.observations.len();
    }

    /// Notes what a run showed. A run has one observation: what it showed at
    /// last takes the place of what it showed before.
    pub fn record(&mut self, observation: Observation) {
        let mut seen = self.observations.iter_mut();
        match seen.find(|seen| seen.run == observation.run) {
            Some(seen) => *seen = observation,
            None => self.observations.push(observation),
        }
    }

    /// What all runs come to.
    #[must_use]
    pub fn averages(&self) -> Averages {
        Averages::of(&self.observations)
    }

    /// The watch over the runs since the activation; `None` where the version
    /// before had too few runs.
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
        }
    }

    /// A version with so many runs, of which the first ones erred.
    fn used(version: u32, errors: usize, runs: usize) -> Performance {
        let mut performance = Performance::new("reviewer", version);
        for run in 0..runs {
            performance.record(seen(&format!("r-{run}"), run < errors));
        }
        performance
    }

    fn moment(ms: i64) -> Timestamp {
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
    fn the_rate_before_is_frozen_when_a_version_becomes_active() {
        let mut before = used(1, 2, 20);
        let mut performance = Performance::new("reviewer", 2);
        assert_eq!(performance.watch(), None);
        performance.activate(moment(5), &before);
        let p0 = performance.p0().expect("a rate");
        assert!((p0 - 0.125).abs() < 0.002, "{p0}");
        assert_eq!(performance.baseline_runs(), 20);
        before.record(seen("late", true));
        performance.activate(moment(5), &before);
        assert_eq!(performance.p0(), Some(p0));
        for run in 0..5 {
            performance.record(seen(&run.to_string(), true));
        }
        let watch = performance.watch().expect("a watch");
        assert!(watch.degraded && watch.runs == 5, "{watch:?}");
    }

    #[test]
    fn too_few_runs_before_are_no_baseline() {
        let mut performance = Performance::new("reviewer", 2);
        performance.activate(moment(5), &used(1, 0, 19));
        assert_eq!((performance.p0(), performance.baseline_runs()), (None, 19));
        performance.record(seen("r", true));
        assert_eq!(performance.watch(), None);
    }

    #[test]
    fn a_version_that_comes_back_is_watched_anew() {
        let mut performance = used(2, 30, 30);
        performance.activate(moment(9), &used(1, 0, 30));
        let fresh = performance.watch().expect("a watch");
        assert!(fresh.runs == 0 && !fresh.degraded, "{fresh:?}");
        performance.record(seen("again", false));
        assert_eq!(performance.watch().map(|watch| watch.runs), Some(1));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut performance = used(2, 1, 3);
        performance.activate(moment(1_500), &used(1, 0, 20));
        let json = serde_json::to_vec(&performance).expect("JSON");
        let read = Performance::read(&json).expect("a performance");
        assert_eq!(read, performance);
        let json: Json = serde_json::from_slice(&json).expect("JSON");
        assert_eq!(json["activated_at"], "1970-01-01T00:00:01.500Z");
        assert_eq!(json["watched_from"], 3);
        let first = json!({
            "run": "r-0", "task": "specs/A.md", "error": true, "quality": 80.0, "completed": true,
        });
        assert_eq!(json["observations"][0], first);
    }

    #[test]
    fn what_is_no_performance_is_refused() {
        let whole = || serde_json::to_value(used(2, 0, 1)).expect("JSON");
        for (pointer, value, message) in [
            (
                "/v",
                json!(2),
                "has the format 2, and this program knows the format 1",
            ),
            ("/agent", json!("applier"), "is about version 2 of applier"),
            ("/version", json!(3), "is about version 3 of reviewer"),
            ("/p0", json!(0.0), "p0 is out of its range"),
            ("/p0", json!(1.0), "p0 is out of its range"),
            (
                "/watched_from",
                json!(2),
                "watched_from is out of its range",
            ),
            (
                "/observations/0/quality",
                json!(100.5),
                "a quality is out of its range",
            ),
            (
                "/observations/0/quality",
                json!(-1.0),
                "a quality is out of its range",
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
