//! The observation of a prompt version in a run.

use serde::{Deserialize, Serialize};

use super::Rate;

/// The observation of one run about the prompt version pinned at its start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Observation {
    /// Id of the run.
    pub run: String,
    /// The task of the run: the spec or path, relative to the root.
    pub task: String,
    /// Whether the agent erred.
    pub error: bool,
    /// The quality of its work, from 0 to 100; `null` if it was not scored.
    pub quality: Option<f64>,
    /// Whether the run passed.
    pub completed: bool,
    /// The number of rounds of the run; 0 in a file of an earlier version.
    #[serde(default)]
    pub rounds: u32,
}

/// The averages over all runs of a version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Averages {
    /// The number of runs.
    pub runs: u32,
    /// The share of runs in which the agent erred, from 0 to 1; `null` without
    /// runs.
    pub error_rate: Option<f64>,
    /// The mean quality, from 0 to 100; `null` if no run was scored.
    pub quality: Option<f64>,
    /// The share of runs that passed, from 0 to 1; `null` without runs.
    pub completion_rate: Option<f64>,
}

impl Averages {
    /// Averages `observations`.
    pub(crate) fn of<'a>(observations: impl IntoIterator<Item = &'a Observation> + Clone) -> Self {
        let errors = Rate::of(observations.clone().into_iter().map(|seen| seen.error));
        let completed = Rate::of(observations.clone().into_iter().map(|seen| seen.completed));
        Self {
            runs: errors.runs,
            error_rate: errors.share(),
            quality: mean(observations.into_iter().filter_map(|seen| seen.quality)),
            completion_rate: completed.share(),
        }
    }
}

/// The number of runs that passed in fewer rounds than those `before` did on average.
pub fn helped<'a>(
    before: impl IntoIterator<Item = &'a Observation>,
    runs: impl IntoIterator<Item = &'a Observation>,
) -> u32 {
    let passed = |seen: &&Observation| seen.completed && seen.rounds > 0;
    let before = before.into_iter().filter(passed);
    let Some(mean) = mean(before.map(|seen| f64::from(seen.rounds))) else {
        return 0;
    };
    let runs = runs.into_iter().filter(passed);
    Rate::of(runs.map(|seen| f64::from(seen.rounds) < mean)).events
}

/// The mean of `values`, if there are any.
pub(super) fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values
        .into_iter()
        .fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(run: &str, task: &str) -> Observation {
        Observation {
            run: run.to_owned(),
            task: task.to_owned(),
            error: false,
            quality: None,
            completed: true,
            rounds: 1,
        }
    }

    #[test]
    fn a_run_that_passes_sooner_than_the_mean_before_was_helped() {
        let of = |rounds, completed| Observation {
            rounds,
            completed,
            ..seen("1", "a")
        };
        let before = [of(2, true), of(3, true), of(9, false), of(0, true)];
        let runs = [
            of(1, true),
            of(2, true),
            of(2, false),
            of(0, true),
            of(3, true),
        ];
        assert_eq!(helped(&before, &runs), 2);
        assert_eq!(helped(&[of(9, false)], &runs), 0);
    }

    #[test]
    fn averages_are_computed_from_runs() {
        let mut runs = [
            seen("1", "a"),
            seen("2", "a"),
            seen("3", "a"),
            seen("4", "a"),
        ];
        runs[0].error = true;
        runs[1].quality = Some(80.0);
        runs[2].quality = Some(90.0);
        runs[3].completed = false;
        let expected = Averages {
            runs: 4,
            error_rate: Some(0.25),
            quality: Some(85.0),
            completion_rate: Some(0.75),
        };
        assert_eq!(Averages::of(&runs), expected);
        assert_eq!(Averages::of(&[]), Averages::default());
    }
}
