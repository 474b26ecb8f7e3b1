//! Boschloo's test of a rate over two unpaired samples.

use serde::Serialize;

use super::at_most;
use super::binomial::{chances, log_factorials};

/// The chance that both have is looked for on a grid of this many steps.
const STEPS: u32 = 512;

/// How many runs of a sample have an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rate {
    /// Runs with the event.
    pub events: u32,
    /// All runs.
    pub runs: u32,
}

impl Rate {
    /// Counts events.
    pub fn of(events: impl IntoIterator<Item = bool>) -> Self {
        events
            .into_iter()
            .fold(Self::default(), |rate, event| Self {
                events: rate.events + u32::from(event),
                runs: rate.runs + 1,
            })
    }

    /// The share of runs with the event, from 0 to 1; `None` without runs.
    #[must_use]
    pub fn share(self) -> Option<f64> {
        (self.runs > 0).then(|| f64::from(self.events) / f64::from(self.runs))
    }
}

/// The probability that the new rate would lie at least as far above the old
/// one as it does if both were equal: Fisher's exact test as the statistic,
/// with the highest probability over the chance that both may have.
///
/// The chance is looked for on a grid of 512 steps. Time grows with the third
/// power of the number of runs.
pub(super) fn boschloo(old: Rate, new: Rate) -> f64 {
    if old.runs == 0 || new.runs == 0 {
        return 1.0;
    }
    let fisher = FisherTables::new(old.runs, new.runs);
    let observed = fisher.p(old.events, new.events);
    // Of so many old events, the fewest new ones that are as extreme.
    let least: Vec<Option<u32>> = (0..=old.runs)
        .map(|old| (0..=new.runs).find(|new| at_most(fisher.p(old, *new), observed)))
        .collect();
    let under = |step: u32| {
        let chance = f64::from(step) / f64::from(STEPS);
        let tails = tails(&chances(new.runs, chance));
        let old = chances(old.runs, chance);
        let extreme = old.iter().zip(&least);
        let extreme = extreme.filter_map(|(old, least)| Some(old * tails[(*least)? as usize]));
        extreme.sum::<f64>()
    };
    (1..STEPS).map(under).fold(0.0, f64::max).min(1.0)
}

/// The sums of `chances` from each position on.
fn tails(chances: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let mut tails: Vec<f64> = chances
        .iter()
        .rev()
        .map(|chance| {
            sum += chance;
            sum
        })
        .collect();
    tails.reverse();
    tails
}

/// Fisher's exact test for the tables with two fixed numbers of runs.
struct FisherTables {
    old: u32,
    new: u32,
    logs: Vec<f64>,
}

impl FisherTables {
    fn new(old: u32, new: u32) -> Self {
        let logs = log_factorials(old + new);
        Self { old, new, logs }
    }

    /// The one-sided p that the new rate is higher.
    fn p(&self, old: u32, new: u32) -> f64 {
        let events = old + new;
        let most = events.min(self.new);
        let least = new.max(events.saturating_sub(self.old));
        (least..=most).map(|new| self.chance(events, new)).sum()
    }

    /// The chance that `new` of `events` are of the new version.
    fn chance(&self, events: u32, new: u32) -> f64 {
        let choices = |of: u32, some: u32| {
            let [of, some, rest] = [of, some, of - some].map(|n| self.logs[n as usize]);
            of - some - rest
        };
        let ways = choices(self.new, new) + choices(self.old, events - new);
        (ways - choices(self.old + self.new, events)).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn rate(events: u32, runs: u32) -> Rate {
        Rate { events, runs }
    }

    fn fisher(old: Rate, new: Rate) -> f64 {
        FisherTables::new(old.runs, new.runs).p(old.events, new.events)
    }

    #[test]
    fn fishers_p_is_the_hypergeometric_tail() {
        // Of 4 events among 8 runs: (16 + 1) of 70 ways have 3 or more.
        assert!((fisher(rate(1, 4), rate(3, 4)) - 17.0 / 70.0).abs() < 1e-12);
        assert!((fisher(rate(0, 4), rate(4, 4)) - 1.0 / 70.0).abs() < 1e-12);
        assert!((fisher(rate(4, 4), rate(0, 4)) - 1.0).abs() < 1e-9);
        assert!((fisher(rate(4, 4), rate(3, 4)) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_p_is_the_highest_over_the_common_chance() {
        // All of 2 and none of 2: p²(1-p)² is at most 1/16.
        let p = boschloo(rate(0, 2), rate(2, 2));
        assert!((p - 0.0625).abs() < 1e-9, "{p}");
        assert!((boschloo(rate(2, 2), rate(0, 2)) - 1.0).abs() < 1e-9);
        assert!((boschloo(rate(0, 0), rate(2, 2)) - 1.0).abs() < 1e-9);
        assert!((boschloo(rate(1, 2), rate(0, 0)) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_published_table_has_its_published_p() {
        // The vaccine trial of Mehta and Senchaudhuri (2003): 7 of 15 and 12 of
        // 15; Fisher .064, Boschloo .034.
        let (old, new) = (rate(7, 15), rate(12, 15));
        assert!((fisher(old, new) - 0.064).abs() < 0.001);
        let p = boschloo(old, new);
        assert!((p - 0.034).abs() < 0.001, "{p}");
    }

    /// Whether a test at .05 finds the new rate of 20 runs higher.
    type Finds = dyn Fn(Rate, Rate) -> bool;

    /// The chance that it does.
    fn found(finds: &Finds, old: f64, new: f64) -> f64 {
        let (old, new) = (chances(20, old), chances(20, new));
        let mut sum = 0.0;
        for (x, of_x) in (0..).zip(&old) {
            for (y, of_y) in (0..).zip(&new) {
                if of_x * of_y > 1e-5 && finds(rate(x, 20), rate(y, 20)) {
                    sum += of_x * of_y;
                }
            }
        }
        sum
    }

    #[test]
    fn it_keeps_its_level_and_finds_more_than_fisher() {
        let fishers = |old, new| fisher(old, new) <= 0.05;
        let ours = |old, new| {
            let fisher = fisher(old, new);
            fisher < 0.2 && boschloo(old, new) <= 0.05
        };
        let gain = found(&ours, 0.7, 0.9);
        assert!((gain - 0.42).abs() < 0.02, "{gain}");
        let less = found(&fishers, 0.7, 0.9);
        assert!((less - 0.33).abs() < 0.02, "{less}");
        let level = found(&ours, 0.7, 0.7);
        assert!((0.03..=0.05).contains(&level), "{level}");
    }
}
