//! The guards of a comparison: rates that a version must not worsen.

use review_types::closed_list;
use serde::Serialize;

use super::observation::Sample;
use super::rate::fisher;
use super::{Observation, Rate, sign_flip};

/// The significance level of harm: its lower 95 % bound is above zero exactly if the
/// p-value of the exact one-sided test is at most this.
const LEVEL: f64 = 0.05;
/// The harm in points that is too much without proof.
const MAX_UNPROVEN: f64 = 10.0;

closed_list!(
    /// The metrics of a comparison.
    Metric {
        /// The quality of the work, from 0 to 100; it decides.
        QualityScore => "quality_score",
        /// The share of runs in which the agent erred; it guards.
        ErrorRate => "error_rate",
        /// The share of runs that passed; it guards.
        TaskCompletionRate => "task_completion_rate",
    }
);

closed_list!(
    /// The status of a guard.
    GuardStatus {
        /// Nothing speaks against the new version.
        Clear => "clear",
        /// It looks worse by more than 10 points, without proof.
        InsufficientEvidence => "insufficient_evidence",
        /// It is worse.
        Harm => "harm",
    }
);

/// A rate that a new version must not worsen, with its values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Guard {
    /// The rate.
    pub metric: Metric,
    /// The rate of the old version.
    pub before: Rate,
    /// The rate of the new version.
    pub after: Rate,
    /// The harm in percentage points; negative if the new version is better.
    pub harm: f64,
    /// The probability of equal or larger harm if nothing changed.
    pub p: f64,
    /// The status.
    pub standing: GuardStatus,
}

/// Whether a run counts for a rate.
type Event = fn(&Observation) -> bool;

impl Guard {
    /// The two guards of a sample.
    pub(super) fn of(sample: &Sample<'_>) -> [Self; 2] {
        [
            Self::new(Metric::ErrorRate, sample, |seen| seen.error, true),
            Self::new(
                Metric::TaskCompletionRate,
                sample,
                |seen| seen.completed,
                false,
            ),
        ]
    }

    /// The guard over the rate of `event`; `is_bad` if the event is the undesired case.
    fn new(metric: Metric, sample: &Sample<'_>, event: Event, is_bad: bool) -> Self {
        let failed = |seen: &Observation| event(seen) == is_bad;
        let failures = |runs: &[&Observation]| Rate::of(runs.iter().map(|seen| failed(seen)));
        let (old, new) = (failures(&sample.old), failures(&sample.new));
        let p = if sample.is_paired {
            let pairs = sample.old.iter().zip(&sample.new);
            let one = |seen| f64::from(u8::from(failed(seen)));
            let turned: Vec<f64> = pairs.map(|(old, new)| one(new) - one(old)).collect();
            sign_flip(&turned)
        } else {
            fisher(old, new)
        };
        let points = |rate: Rate| 100.0 * rate.share().unwrap_or(0.0);
        let harm = points(new) - points(old);
        let events = |runs: &[&Observation]| Rate::of(runs.iter().map(|seen| event(seen)));
        Self {
            metric,
            before: events(&sample.old),
            after: events(&sample.new),
            harm,
            p,
            standing: standing(harm, p),
        }
    }
}

fn standing(harm: f64, p: f64) -> GuardStatus {
    if harm > 0.0 && p <= LEVEL {
        GuardStatus::Harm
    } else if harm > MAX_UNPROVEN + 1e-9 {
        GuardStatus::InsufficientEvidence
    } else {
        GuardStatus::Clear
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(error: bool, completed: bool) -> Observation {
        Observation {
            run: String::new(),
            task: String::new(),
            error,
            quality: None,
            completed,
            judged: true,
        }
    }

    /// `count` runs with `errors` errors and `failures` failures.
    fn runs(errors: usize, failures: usize, count: usize) -> Vec<Observation> {
        (0..count)
            .map(|at| seen(at < errors, at >= failures))
            .collect()
    }

    fn guards(old: &[Observation], new: &[Observation], is_paired: bool) -> [Guard; 2] {
        Guard::of(&Sample {
            is_paired,
            old: old.iter().collect(),
            new: new.iter().collect(),
        })
    }

    #[test]
    fn harm_is_proven_by_pairs_that_changed() {
        let [errors, completion] = guards(&runs(0, 5, 10), &runs(5, 0, 10), true);
        assert_eq!(errors.metric, Metric::ErrorRate);
        assert_eq!(
            errors.before,
            Rate {
                events: 0,
                runs: 10
            }
        );
        assert_eq!(
            errors.after,
            Rate {
                events: 5,
                runs: 10
            }
        );
        assert!((errors.harm - 50.0).abs() < 1e-9);
        assert!((errors.p - 1.0 / 32.0).abs() < 1e-12);
        assert_eq!(errors.standing, GuardStatus::Harm);
        assert_eq!(completion.metric, Metric::TaskCompletionRate);
        assert_eq!(
            completion.before,
            Rate {
                events: 5,
                runs: 10
            }
        );
        assert_eq!(
            completion.after,
            Rate {
                events: 10,
                runs: 10
            }
        );
        assert!((completion.harm + 50.0).abs() < 1e-9);
        assert!((completion.p - 1.0).abs() < 1e-12);
        assert_eq!(completion.standing, GuardStatus::Clear);
    }

    #[test]
    fn unpaired_harm_is_proven_by_fishers_test() {
        // Paired, 4 of 4 is 1/16; unpaired it is significant.
        let [errors, _] = guards(&runs(0, 0, 10), &runs(4, 0, 10), false);
        assert_eq!(errors.standing, GuardStatus::Harm);
        assert!(errors.p > 0.01, "{errors:?}");
        let [errors, _] = guards(&runs(0, 0, 10), &runs(4, 0, 10), true);
        assert_eq!(errors.standing, GuardStatus::InsufficientEvidence);
    }

    #[test]
    fn more_than_ten_points_of_harm_without_proof_are_too_much() {
        for (harm, p, expected) in [
            (10.0, 0.3, GuardStatus::Clear),
            (10.1, 0.3, GuardStatus::InsufficientEvidence),
            (10.1, 0.05, GuardStatus::Harm),
            (0.5, 0.05, GuardStatus::Harm),
            (0.5, 0.051, GuardStatus::Clear),
            (-20.0, 0.01, GuardStatus::Clear),
        ] {
            assert_eq!(standing(harm, p), expected, "{harm} {p}");
        }
    }

    #[test]
    fn a_run_that_did_not_pass_lowers_the_completion_rate() {
        let [_, completion] = guards(&runs(0, 0, 20), &runs(0, 8, 20), true);
        assert_eq!(completion.standing, GuardStatus::Harm);
        assert!((completion.harm - 40.0).abs() < 1e-9);
    }
}
