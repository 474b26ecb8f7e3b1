//! The performance of a prompt version over the runs that used it.

use review_types::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Averages, Observation, Rate};
use crate::{AgentName, Format};

/// The runs that used a prompt version, as stored in `vN.performance.json`. Averages
/// and comparisons are computed from them on request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Performance {
    v: Format,
    agent: AgentName,
    version: u32,
    /// The time at which the version became active; `null` if it was active from the
    /// start.
    activated_at: Option<Timestamp>,
    /// The number of observations of earlier activations, which are not watched.
    watched_from: usize,
    observations: Vec<Observation>,
}

/// Why a file is not a valid performance of a version.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PerformanceError(String);

impl Performance {
    /// The performance of an unused version.
    pub fn new(agent: &AgentName, version: u32) -> Self {
        Self {
            v: Format,
            agent: agent.clone(),
            version,
            activated_at: None,
            watched_from: 0,
            observations: Vec::new(),
        }
    }

    /// Parses a file.
    ///
    /// # Errors
    /// Returns an error when the file is invalid.
    pub fn read(json: &[u8]) -> Result<Self, PerformanceError> {
        let read: Self =
            serde_json::from_slice(json).map_err(|error| PerformanceError(error.to_string()))?;
        if read.watched_from > read.observations.len() {
            return Err(PerformanceError("watched_from is out of range".to_owned()));
        }
        let mut qualities = read.observations.iter().filter_map(|seen| seen.quality);
        if !qualities.all(|quality| (0.0..=100.0).contains(&quality)) {
            return Err(PerformanceError("quality is out of range".to_owned()));
        }
        Ok(read)
    }

    /// Returns the performance if it belongs to this version of this agent.
    ///
    /// # Errors
    /// Returns an error when it belongs to another one.
    pub fn of(self, agent: &AgentName, version: u32) -> Result<Self, PerformanceError> {
        if self.agent == *agent && self.version == version {
            return Ok(self);
        }
        let (version, agent) = (self.version, self.agent);
        Err(PerformanceError(format!(
            "belongs to version {version} of {agent}"
        )))
    }

    /// The agent.
    pub fn agent(&self) -> &AgentName {
        &self.agent
    }

    /// The number of the version.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The runs, in the order in which they first ended.
    pub fn observations(&self) -> &[Observation] {
        &self.observations
    }

    /// Records that the version is active since `at`: only later runs are watched.
    /// Recording the same time again changes nothing.
    pub fn activate(&mut self, at: Timestamp) {
        if self.activated_at == Some(at) {
            return;
        }
        self.activated_at = Some(at);
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
    pub fn averages(&self) -> Averages {
        Averages::of(&self.observations)
    }

    /// The runs with errors.
    pub(crate) fn errors(&self) -> Rate {
        Rate::of(self.observations.iter().map(|seen| seen.error))
    }

    /// The runs since the activation.
    pub fn watched(&self) -> &[Observation] {
        self.observations
            .get(self.watched_from..)
            .unwrap_or_default()
    }

    /// The runs with errors since the activation.
    pub(crate) fn watched_errors(&self) -> Rate {
        Rate::of(self.watched().iter().map(|seen| seen.error))
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
            rounds: 1,
        }
    }

    /// A version with `runs` runs, of which the first `errors` erred.
    fn used(version: u32, errors: usize, runs: usize) -> Performance {
        let mut performance = Performance::new(&AgentName::from("reviewer"), version);
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
    fn only_runs_since_the_activation_are_watched() {
        let mut performance = used(2, 30, 30);
        assert_eq!(performance.watched_errors().runs, 30);
        for run in ["first", "second"] {
            performance.activate(time(9));
            performance.record(seen(run, false));
        }
        let expected = Rate { events: 0, runs: 2 };
        assert_eq!(performance.watched_errors(), expected);
        assert_eq!(performance.errors().runs, 32);
    }

    #[test]
    fn a_performance_round_trips() {
        let mut performance = used(2, 1, 3);
        performance.activate(time(1_500));
        let json = serde_json::to_vec(&performance).expect("JSON");
        let read = Performance::read(&json).expect("a performance");
        assert_eq!(read, performance);
        let json: Json = serde_json::from_slice(&json).expect("JSON");
        assert_eq!(json["activated_at"], "1970-01-01T00:00:01.500Z");
        assert_eq!(json["watched_from"], 3);
        let first = json!({
            "run": "r-0", "task": "specs/A.md", "error": true, "quality": 80.0, "completed": true, "rounds": 1,
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
            let error = read
                .and_then(|it| it.of(&AgentName::from("reviewer"), 2))
                .expect_err(pointer);
            assert!(error.to_string().starts_with(message), "{error}");
        }
        assert!(Performance::read(b"{}").is_err());
    }
}
