//! The comparison of two versions of a prompt.

use review_types::closed_list;
use serde::Serialize;

use super::estimate::{Interval, interval, shift, smallest_effect};
use super::observation::{Sample, mean};
use super::{Averages, Guard, GuardStatus, Metric, Observation, SAMPLE_SIZE, sign_flip};

/// The number of runs of each version at each look.
pub const LOOKS: [usize; 3] = [10, 15, SAMPLE_SIZE];
/// The significance level of all looks together, in each direction.
const LEVEL: f64 = 0.05;
/// The significance level of one look.
pub const LEVEL_OF_A_LOOK: f64 = LEVEL / LOOKS.len() as f64;

closed_list!(
    /// The outcome of a comparison.
    Outcome {
        /// The new version is better, and no guard objects.
        Better => "better",
        /// The new version is worse.
        Worse => "worse",
        /// No difference is shown.
        NoEvidence => "no_evidence",
    }
);

closed_list!(
    /// The reason for the outcome.
    Reason {
        /// The quality improved.
        QualityRose => "quality_rose",
        /// The quality dropped.
        QualityFell => "quality_fell",
        /// A guard is violated.
        GuardHarmed => "guard_harmed",
        /// The quality improved, but a guard needs more runs.
        GuardUnclear => "guard_unclear",
        /// No significant change of quality.
        NoDifference => "no_difference",
        /// There are too few runs for the first look.
        TooFewRuns => "too_few_runs",
    }
);

/// The result of one look.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Look {
    /// The number of runs of each version.
    pub runs: usize,
    /// The probability of an equal or larger gain of quality if nothing changed.
    pub p_better: f64,
    /// The probability of an equal or larger loss.
    pub p_worse: f64,
}

/// The change of quality.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Quality {
    /// The deciding metric.
    pub metric: Metric,
    /// The mean of the old version, from 0 to 100; `null` if no run was scored.
    pub before: Option<f64>,
    /// The mean of the new version.
    pub after: Option<f64>,
    /// The Hodges-Lehmann estimate of the change, in points.
    pub shift: Option<f64>,
    /// The 95 % confidence interval of the shift, by a seeded bootstrap.
    pub interval: Option<Interval>,
    /// The gain in points that is detected with a probability of 80 %.
    pub smallest_effect: Option<f64>,
}

/// A comparison of two versions of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Comparison {
    /// The outcome.
    pub outcome: Outcome,
    /// The reason.
    pub reason: Reason,
    /// Whether runs of the same task were paired.
    pub paired: bool,
    /// Whether the evidence is weak because runs of different tasks were compared, in
    /// chronological order.
    pub weak: bool,
    /// The number of runs of each version that were compared, at most 20.
    pub runs: usize,
    /// The number of runs that the next look needs; `null` after the last look or a
    /// decision.
    pub next_look: Option<usize>,
    /// The significance level of one look.
    pub level: f64,
    /// The result of each look.
    pub looks: Vec<Look>,
    /// The change of quality.
    pub quality: Quality,
    /// The rates that must not get worse.
    pub guards: [Guard; 2],
    /// The averages over all runs of the old version.
    pub averages_before: Averages,
    /// The averages over all runs of the new version.
    pub averages_after: Averages,
}

/// Compares two versions by their runs, in chronological order, at the planned looks;
/// the first decisive look ends the comparison.
#[must_use]
pub fn compare(old: &[Observation], new: &[Observation], seed: u64) -> Comparison {
    let sample = Sample::new(old, new, LOOKS[0], SAMPLE_SIZE);
    let (looks, decided) = look_by_look(&sample);
    let (outcome, reason) = decided.unwrap_or((Outcome::NoEvidence, Reason::TooFewRuns));
    let is_open = outcome == Outcome::NoEvidence;
    let runs = looks.last().map_or(0, |look| look.runs);
    let next_look = LOOKS.into_iter().find(|look| is_open && *look > runs);
    let seen = match decided {
        Some(_) => sample.first(runs),
        None => sample,
    };
    Comparison {
        outcome,
        reason,
        paired: seen.is_paired,
        weak: !seen.is_paired,
        runs: seen.len(),
        next_look,
        level: LEVEL_OF_A_LOOK,
        looks,
        quality: Quality::of(&seen, seed),
        guards: Guard::of(&seen),
        averages_before: Averages::of(old),
        averages_after: Averages::of(new),
    }
}

/// The looks up to the decisive one, and the result of the last.
pub(super) fn look_by_look(sample: &Sample<'_>) -> (Vec<Look>, Option<(Outcome, Reason)>) {
    let due = LOOKS.into_iter().filter(|runs| *runs <= sample.len());
    let mut looks = Vec::new();
    let mut decided = None;
    for runs in due {
        let seen = sample.first(runs);
        let look = Look::at(&seen);
        looks.push(look);
        decided = Some(look.decide(Guard::of(&seen)));
        if let Some((Outcome::Better | Outcome::Worse, _)) = decided {
            break;
        }
    }
    (looks, decided)
}

impl Look {
    fn at(sample: &Sample<'_>) -> Self {
        let gains = sample.gains();
        let losses: Vec<f64> = gains.iter().map(|gain| -gain).collect();
        Self {
            runs: sample.len(),
            p_better: sign_flip(&gains),
            p_worse: sign_flip(&losses),
        }
    }

    fn decide(self, guards: [Guard; 2]) -> (Outcome, Reason) {
        let any = |standing| guards.iter().any(|guard| guard.standing == standing);
        let rose = self.p_better <= LEVEL_OF_A_LOOK;
        if self.p_worse <= LEVEL_OF_A_LOOK {
            (Outcome::Worse, Reason::QualityFell)
        } else if any(GuardStatus::Harm) {
            (Outcome::Worse, Reason::GuardHarmed)
        } else if rose && any(GuardStatus::InsufficientEvidence) {
            (Outcome::NoEvidence, Reason::GuardUnclear)
        } else if rose {
            (Outcome::Better, Reason::QualityRose)
        } else {
            (Outcome::NoEvidence, Reason::NoDifference)
        }
    }
}

impl Quality {
    fn of(sample: &Sample<'_>, seed: u64) -> Self {
        let (old, new) = sample.qualities();
        let gains = sample.gains();
        Self {
            metric: Metric::QualityScore,
            before: mean(old),
            after: mean(new),
            shift: shift(&gains),
            interval: interval(seed, &gains),
            smallest_effect: smallest_effect(&gains),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Rate;

    /// A run of the task with the number `task`.
    fn run(task: usize, quality: f64) -> Observation {
        Observation {
            run: format!("run-{task}"),
            task: format!("task-{task}"),
            error: false,
            quality: Some(quality),
            completed: true,
            judged: true,
        }
    }

    fn runs(qualities: impl IntoIterator<Item = f64>) -> Vec<Observation> {
        let all = qualities.into_iter().enumerate();
        all.map(|(task, quality)| run(task, quality)).collect()
    }

    /// Twenty different runs, and the same runs with `gain` more points.
    fn gained(count: usize, gain: f64) -> (Vec<Observation>, Vec<Observation>) {
        let old = |task: usize| 50.0 + (task * 7 % 20) as f64;
        let wobble = |task: usize| (task * 3 % 5) as f64 - 2.0;
        (
            runs((0..count).map(old)),
            runs((0..count).map(|task| old(task) + gain + wobble(task))),
        )
    }

    #[test]
    fn a_clear_gain_is_found_at_the_first_look() {
        let (old, new) = gained(20, 10.0);
        let found = compare(&old, &new, 1);
        assert_eq!(
            (found.outcome, found.reason),
            (Outcome::Better, Reason::QualityRose)
        );
        assert_eq!((found.paired, found.weak, found.runs), (true, false, 10));
        assert_eq!(found.next_look, None);
        let look = Look {
            runs: 10,
            p_better: 0.5_f64.powi(10),
            p_worse: 1.0,
        };
        assert_eq!(found.looks, [look]);
        let shift = found.quality.shift.expect("a shift");
        assert!((9.0..=11.0).contains(&shift), "{shift}");
        let interval = found.quality.interval.expect("an interval");
        assert!(interval.low <= shift && shift <= interval.high && interval.low > 7.0);
        assert!(found.quality.smallest_effect.expect("an effect") < 3.0);
        assert_eq!(
            found
                .quality
                .after
                .zip(found.quality.before)
                .map(|(a, b)| a - b),
            Some(10.0)
        );
    }

    #[test]
    fn a_clear_loss_is_found_too() {
        let (old, new) = gained(10, -10.0);
        let found = compare(&old, &new, 1);
        assert_eq!(
            (found.outcome, found.reason),
            (Outcome::Worse, Reason::QualityFell)
        );
        assert_eq!(found.next_look, None);
    }

    #[test]
    fn equal_versions_give_no_evidence_at_any_look() {
        let (old, new) = gained(40, 0.0);
        let found = compare(&old, &new, 1);
        assert_eq!(
            (found.outcome, found.reason),
            (Outcome::NoEvidence, Reason::NoDifference)
        );
        let looks: Vec<usize> = found.looks.iter().map(|look| look.runs).collect();
        assert_eq!(looks, LOOKS);
        assert_eq!((found.runs, found.next_look), (20, None));
    }

    #[test]
    fn there_is_no_look_before_the_tenth_run() {
        let (old, new) = gained(9, 30.0);
        let found = compare(&old, &new, 1);
        assert_eq!(
            (found.outcome, found.reason),
            (Outcome::NoEvidence, Reason::TooFewRuns)
        );
        assert_eq!((found.runs, found.next_look), (9, Some(10)));
        assert!(found.looks.is_empty());
        assert_eq!(found.quality.shift.map(f64::round), Some(30.0));
        let (old, new) = gained(14, 0.0);
        let found = compare(&old, &new, 1);
        assert_eq!((found.runs, found.next_look), (10, Some(15)));
        let none = compare(&[], &[], 1);
        assert_eq!(
            (none.runs, none.quality.shift, none.quality.before),
            (0, None, None)
        );
    }

    #[test]
    fn a_small_gain_needs_a_later_look() {
        // 7 of 10 is not significant; 12 of 15 has p .0037 with equal steps.
        let gains = [
            5.0, 5.0, -5.0, 5.0, 5.0, -5.0, 5.0, 5.0, -5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0,
        ];
        let old = runs([50.0; 15]);
        let new = runs(gains.map(|gain| 50.0 + gain));
        let found = compare(&old, &new, 1);
        assert_eq!(found.outcome, Outcome::NoEvidence);
        let all: Vec<f64> = found.looks.iter().map(|look| look.p_better).collect();
        assert!((all[0] - 176.0 / 1024.0).abs() < 1e-12);
        assert!((all[1] - 576.0 / 32768.0).abs() < 1e-12, "{all:?}");
        assert_eq!(found.next_look, Some(20));
    }

    #[test]
    fn runs_of_different_tasks_are_weak_evidence() {
        let (old, mut new) = gained(12, 30.0);
        for seen in &mut new {
            seen.task = "another".to_owned();
        }
        new.reverse();
        let found = compare(&old, &new, 1);
        assert_eq!(found.outcome, Outcome::Better);
        assert_eq!((found.paired, found.weak, found.runs), (false, true, 10));
        let shift = found.quality.shift.expect("a shift");
        assert!((25.0..=35.0).contains(&shift), "{shift}");
        assert!(found.quality.interval.expect("an interval").low > 20.0);
        assert!(found.quality.smallest_effect.expect("an effect") > 5.0);
    }

    #[test]
    fn a_violated_guard_is_worse_whatever_the_quality() {
        let (old, mut new) = gained(10, 10.0);
        for seen in &mut new[..5] {
            seen.error = true;
        }
        let found = compare(&old, &new, 1);
        assert_eq!(
            (found.outcome, found.reason),
            (Outcome::Worse, Reason::GuardHarmed)
        );
        assert_eq!(
            found.guards[0].after,
            Rate {
                events: 5,
                runs: 10
            }
        );
        assert_eq!(found.guards[0].standing, GuardStatus::Harm);
    }

    #[test]
    fn a_gain_waits_while_a_guard_is_unclear() {
        let (old, mut new) = gained(15, 10.0);
        for seen in &mut new[..2] {
            seen.completed = false;
        }
        let early = compare(&old[..10], &new[..10], 1);
        assert_eq!(
            (early.outcome, early.reason),
            (Outcome::NoEvidence, Reason::GuardUnclear)
        );
        assert_eq!(early.next_look, Some(15));
        assert_eq!(early.guards[1].standing, GuardStatus::InsufficientEvidence);
        new[1].completed = true;
        let later = compare(&old, &new, 1);
        assert_eq!(later.outcome, Outcome::Better);
    }
}
