//! The comparison of two versions of a prompt.

use std::collections::BTreeMap;

use review_types::closed_list;
use serde::Serialize;

use super::significance::{is_higher, is_rise};
use super::{Averages, Observation, Rate};

/// The maximum number of pairs of runs of the same task.
pub const SAMPLE_SIZE: usize = 20;

closed_list!(
    /// What runs show of a new version.
    Outcome {
        /// It is better.
        Better => "better",
        /// It is worse.
        Worse => "worse",
        /// Neither is shown.
        NotShown => "not_shown",
    }
);

/// A comparison of two versions of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Comparison {
    /// What the quality and the errors show together: worse if one of them is.
    pub outcome: Outcome,
    /// What the quality of runs of the same task shows, by the sign test.
    pub quality: Outcome,
    /// What the share of runs with errors shows, by Fisher's exact test.
    pub errors: Outcome,
    /// The number of pairs of runs of the same task, at most 20.
    pub pairs: u32,
    /// The number of pairs in which the quality rose.
    pub rose: u32,
    /// The number of pairs in which it fell.
    pub fell: u32,
    /// The averages over all runs of the old version.
    pub averages_before: Averages,
    /// The averages over all runs of the new version.
    pub averages_after: Averages,
    /// The averages of the new version less those of the old one.
    pub difference: Difference,
}

/// The difference of two averages; `null` where one of them is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Difference {
    /// That of the mean quality, from -100 to 100.
    pub quality_score: Option<f64>,
    /// That of the share of runs with errors, from -1 to 1.
    pub error_rate: Option<f64>,
    /// That of the share of runs that passed, from -1 to 1.
    pub task_completion_rate: Option<f64>,
}

/// Compares two versions by their runs, in chronological order.
pub fn compare(old: &[Observation], new: &[Observation]) -> Comparison {
    let gains = gains(old, new);
    let count = |is: fn(f64) -> bool| Rate::of(gains.iter().map(|gain| is(*gain))).events;
    let (rose, fell) = (count(|gain| gain > 0.0), count(|gain| gain < 0.0));
    let quality = Outcome::of(is_rise(rose, fell), is_rise(fell, rose));
    let errors = |runs: &[Observation]| Rate::of(runs.iter().map(|seen| seen.error));
    let (before, after) = (errors(old), errors(new));
    let errors = Outcome::of(is_higher(after, before), is_higher(before, after));
    let shown = [quality, errors];
    let (averages_before, averages_after) = (Averages::of(old), Averages::of(new));
    Comparison {
        outcome: Outcome::of(
            shown.contains(&Outcome::Better),
            shown.contains(&Outcome::Worse),
        ),
        quality,
        errors,
        pairs: Rate::of(gains.iter().map(|_| true)).runs,
        rose,
        fell,
        averages_before,
        averages_after,
        difference: Difference::of(&averages_before, &averages_after),
    }
}

impl Outcome {
    const fn of(is_better: bool, is_worse: bool) -> Self {
        match (is_better, is_worse) {
            (_, true) => Self::Worse,
            (true, false) => Self::Better,
            (false, false) => Self::NotShown,
        }
    }
}

impl Difference {
    fn of(before: &Averages, after: &Averages) -> Self {
        let less = |after: Option<f64>, before: Option<f64>| Some(after? - before?);
        Self {
            quality_score: less(after.quality, before.quality),
            error_rate: less(after.error_rate, before.error_rate),
            task_completion_rate: less(after.completion_rate, before.completion_rate),
        }
    }
}

/// The gains of quality in pairs of runs of the same task, at most [`SAMPLE_SIZE`]: the
/// latest run of a task with the latest one under the old version, the previous one with
/// the previous one, and so on. The latest runs come first.
fn gains(old: &[Observation], new: &[Observation]) -> Vec<f64> {
    let mut known: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for seen in old {
        known.entry(&seen.task).or_default().extend(seen.quality);
    }
    let latest = new.iter().rev().filter_map(|seen| {
        let quality = seen.quality?;
        Some(quality - known.get_mut(&*seen.task)?.pop()?)
    });
    latest.take(SAMPLE_SIZE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(task: &str, quality: f64) -> Observation {
        Observation {
            run: String::new(),
            task: task.to_owned(),
            error: false,
            quality: Some(quality),
            completed: true,
            rounds: 1,
        }
    }

    /// Runs of one task each, with these qualities, of which the first ones erred.
    fn runs(qualities: &[f64], errors: usize) -> Vec<Observation> {
        let all = qualities.iter().enumerate().map(|(task, quality)| {
            let mut run = run(&task.to_string(), *quality);
            run.error = task < errors;
            run
        });
        all.collect()
    }

    #[test]
    fn quality_and_errors_decide_and_harm_decides_first() {
        use Outcome::{Better, NotShown, Worse};
        let (low, high) = ([60.0; 5], [80.0; 5]);
        for (old, new, quality, errors, outcome) in [
            (runs(&low, 0), runs(&high, 0), Better, NotShown, Better),
            (runs(&high, 0), runs(&low, 0), Worse, NotShown, Worse),
            (runs(&low, 5), runs(&low, 0), NotShown, Better, Better),
            (runs(&low, 0), runs(&low, 5), NotShown, Worse, Worse),
            (runs(&low, 0), runs(&high, 5), Better, Worse, Worse),
            (runs(&high, 5), runs(&low, 0), Worse, Better, Worse),
            (runs(&low, 2), runs(&low, 3), NotShown, NotShown, NotShown),
            (
                runs(&low, 0),
                runs(&high[1..], 0),
                NotShown,
                NotShown,
                NotShown,
            ),
            (runs(&[], 0), runs(&[], 0), NotShown, NotShown, NotShown),
        ] {
            let found = compare(&old, &new);
            let all = (found.quality, found.errors, found.outcome);
            assert_eq!(all, (quality, errors, outcome), "{old:?} {new:?}");
        }
    }

    #[test]
    fn the_difference_is_that_of_the_averages() {
        let mut new = runs(&[90.0, 80.0, 70.0, 60.0], 1);
        new[0].completed = false;
        let found = compare(&runs(&[60.0, 80.0], 1), &new);
        let expected = Difference {
            quality_score: Some(5.0),
            error_rate: Some(-0.25),
            task_completion_rate: Some(-0.25),
        };
        assert_eq!(found.difference, expected);
        assert_eq!((found.pairs, found.rose, found.fell), (2, 1, 0));
        let nothing = Difference {
            quality_score: None,
            error_rate: None,
            task_completion_rate: None,
        };
        assert_eq!(compare(&[], &new).difference, nothing);
    }

    #[test]
    fn runs_of_a_task_are_paired_from_the_latest_one_on() {
        let old = [run("a", 10.0), run("b", 50.0), run("a", 20.0)];
        let new = [
            run("a", 31.0),
            run("c", 90.0),
            run("a", 42.0),
            run("a", 53.0),
        ];
        // 53 - 20 and 42 - 10; the first run of a has no partner left.
        assert_eq!(gains(&old, &new), [33.0, 32.0]);
        assert_eq!(gains(&new, &[run("d", 1.0)]), [] as [f64; 0]);
        let mut unscored = run("a", 0.0);
        unscored.quality = None;
        assert_eq!(gains(&old, &[unscored, run("a", 21.0)]), [1.0]);
    }

    #[test]
    fn the_latest_twenty_pairs_are_compared() {
        let old = vec![run("a", 50.0); 25];
        let mut new = vec![run("a", 40.0); 25];
        new[5..].fill(run("a", 60.0));
        let found = compare(&old, &new);
        assert_eq!((found.pairs, found.rose, found.fell), (20, 20, 0));
    }
}
