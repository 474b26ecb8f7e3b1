//! The observation of a prompt version in a run.

use std::collections::BTreeMap;

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
    /// Whether its work was seen: for an applier, whether a review followed its call. A
    /// file of an earlier version does not say it.
    #[serde(default)]
    pub judged: bool,
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
    pub fn of<'a>(observations: impl IntoIterator<Item = &'a Observation> + Clone) -> Self {
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

/// The mean of `values`, if there are any.
pub(super) fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values
        .into_iter()
        .fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// The observations of two versions to compare.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sample<'a> {
    /// Whether the observations at the same position are of the same task.
    pub(super) is_paired: bool,
    pub(super) old: Vec<&'a Observation>,
    pub(super) new: Vec<&'a Observation>,
}

impl<'a> Sample<'a> {
    /// The latest run of each version for each common task, in the order of the new
    /// version's runs. With fewer than `least` common tasks, if both have as many runs,
    /// the runs themselves: the last of the old version and the first of the new one.
    /// At most `most` of each.
    pub(super) fn new(
        old: &'a [Observation],
        new: &'a [Observation],
        least: usize,
        most: usize,
    ) -> Self {
        let paired = Self::paired(old, new, most);
        if paired.new.len() >= least || old.len().min(new.len()) < least {
            return paired;
        }
        Self {
            is_paired: false,
            old: old[old.len().saturating_sub(most)..].iter().collect(),
            new: new.iter().take(most).collect(),
        }
    }

    fn paired(old: &'a [Observation], new: &'a [Observation], most: usize) -> Self {
        let last_of = |runs: &'a [Observation]| -> BTreeMap<&str, usize> {
            let tasks = runs.iter().map(|seen| seen.task.as_str());
            tasks.zip(0..).collect()
        };
        let (old_runs, new_runs) = (last_of(old), last_of(new));
        let of_both = |(at, seen): (usize, &'a Observation)| {
            let is_last = new_runs.get(seen.task.as_str()) == Some(&at);
            let old_run = old_runs.get(seen.task.as_str()).filter(|_| is_last)?;
            Some((&old[*old_run], seen))
        };
        let pairs = new.iter().enumerate().filter_map(of_both).take(most);
        let (old, new) = pairs.unzip();
        Self {
            is_paired: true,
            old,
            new,
        }
    }

    /// The number of observations of each version.
    pub(super) fn len(&self) -> usize {
        self.old.len().min(self.new.len())
    }

    /// The first `count` observations of each version.
    pub(super) fn first(&self, count: usize) -> Self {
        let cut = |runs: &[&'a Observation]| runs.iter().take(count).copied().collect();
        Self {
            is_paired: self.is_paired,
            old: cut(&self.old),
            new: cut(&self.new),
        }
    }

    /// The gain of quality of each pair in which both were scored. Runs without common
    /// tasks are paired by their order, which shows less but is as exact.
    pub(super) fn gains(&self) -> Vec<f64> {
        let pairs = self.old.iter().zip(&self.new);
        pairs
            .filter_map(|(old, new)| Some(new.quality? - old.quality?))
            .collect()
    }

    /// The qualities of each version.
    pub(super) fn qualities(&self) -> (Vec<f64>, Vec<f64>) {
        let of = |runs: &[&Observation]| runs.iter().filter_map(|seen| seen.quality).collect();
        (of(&self.old), of(&self.new))
    }
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
            judged: true,
        }
    }

    fn runs(sample: &Sample<'_>) -> (Vec<String>, Vec<String>) {
        let of = |runs: &[&Observation]| runs.iter().map(|seen| seen.run.clone()).collect();
        (of(&sample.old), of(&sample.new))
    }

    #[test]
    fn pairs_are_the_latest_runs_of_common_tasks() {
        let old = [
            seen("1", "a"),
            seen("2", "b"),
            seen("3", "a"),
            seen("4", "c"),
        ];
        let new = [
            seen("5", "b"),
            seen("6", "a"),
            seen("7", "b"),
            seen("8", "d"),
        ];
        let sample = Sample::new(&old, &new, 2, 20);
        assert!(sample.is_paired);
        let expected = (
            vec!["3".to_owned(), "2".to_owned()],
            vec!["6".to_owned(), "7".to_owned()],
        );
        assert_eq!(runs(&sample), expected);
        let one = Sample::new(&old, &new, 1, 1);
        assert_eq!(runs(&one), (vec!["3".to_owned()], vec!["6".to_owned()]));
    }

    #[test]
    fn runs_without_common_tasks_are_not_paired() {
        let old: Vec<Observation> = ["1", "2", "3"].map(|run| seen(run, "a")).into();
        let new: Vec<Observation> = ["4", "5", "6"].map(|run| seen(run, "b")).into();
        let sample = Sample::new(&old, &new, 2, 2);
        assert!(!sample.is_paired);
        let expected = (
            vec!["2".to_owned(), "3".to_owned()],
            vec!["4".to_owned(), "5".to_owned()],
        );
        assert_eq!(runs(&sample), expected);
        let few = Sample::new(&old[..1], &new, 2, 2);
        assert!(few.is_paired && few.len() == 0);
        let few = Sample::new(&old, &new[..1], 2, 2);
        assert!(few.is_paired && few.len() == 0);
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
