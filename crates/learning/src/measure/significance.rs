//! The two exact tests: Fisher's of rates, and the sign test of pairs.

use super::Rate;

/// The probability of chance up to which a difference is shown.
const LEVEL: f64 = 0.05;

/// Whether the new rate is shown to be higher than the old one, by Fisher's exact test,
/// one-sided.
pub(super) fn is_higher(old: Rate, new: Rate) -> bool {
    fisher(old, new) <= LEVEL
}

/// Whether more pairs rose than chance explains, by the sign test, one-sided; pairs that
/// are equal do not count.
pub(super) fn is_rise(rose: u32, fell: u32) -> bool {
    sign(rose, fell) <= LEVEL
}

/// The probability that at least as many of all events fall on the new runs, if they
/// fall on any run alike; 1 if one of the rates has no runs.
fn fisher(old: Rate, new: Rate) -> f64 {
    let (events, runs) = (old.events + new.events, old.runs + new.runs);
    let whole = ln_choose(runs, new.runs);
    let possible = new.events..=new.runs.min(events);
    possible
        .filter(|among_new| new.runs - among_new <= runs - events)
        .map(|among_new| {
            let ways = ln_choose(events, among_new);
            (ways + ln_choose(runs - events, new.runs - among_new) - whole).exp()
        })
        .sum()
}

/// The probability of at least `rose` heads of as many coins as there are pairs.
fn sign(rose: u32, fell: u32) -> f64 {
    let pairs = rose + fell;
    let whole = f64::from(pairs) * std::f64::consts::LN_2;
    (rose..=pairs)
        .map(|heads| (ln_choose(pairs, heads) - whole).exp())
        .sum()
}

/// The logarithm of the number of ways to choose `chosen` of `all`.
fn ln_choose(all: u32, chosen: u32) -> f64 {
    (1..=chosen)
        .map(|one| (f64::from(all - chosen + one) / f64::from(one)).ln())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn rate(events: u32, runs: u32) -> Rate {
        Rate { events, runs }
    }

    fn is_near(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-9
    }

    #[test]
    fn fishers_p_is_the_hypergeometric_tail() {
        for (old, new, expected) in [
            // Of 4 events among 8 runs: 16 + 1 of 70 ways have 3 or more.
            (rate(1, 4), rate(3, 4), 17.0 / 70.0),
            (rate(0, 4), rate(4, 4), 1.0 / 70.0),
            (rate(4, 4), rate(0, 4), 1.0),
            (rate(4, 4), rate(3, 4), 1.0),
            (rate(0, 6), rate(5, 5), 1.0 / 462.0),
            (rate(0, 2), rate(5, 5), 1.0 / 21.0),
            (rate(0, 1), rate(5, 5), 1.0 / 6.0),
            (rate(5, 10), rate(5, 5), 252.0 / 3003.0),
            (rate(2, 22), rate(5, 5), 21.0 / 80_730.0),
            (rate(0, 0), rate(2, 2), 1.0),
            (rate(1, 2), rate(0, 0), 1.0),
            (rate(0, 0), rate(0, 0), 1.0),
            (rate(0, 9), rate(0, 9), 1.0),
        ] {
            let found = fisher(old, new);
            assert!(is_near(found, expected), "{old:?} {new:?}: {found}");
        }
        // The vaccine trial of Mehta and Senchaudhuri (2003).
        assert!((fisher(rate(7, 15), rate(12, 15)) - 0.064).abs() < 0.001);
    }

    #[test]
    fn both_tails_of_fishers_test_share_the_table_itself() {
        // P(at least as many) + P(at most as many) = 1 + P(just as many).
        let (old, new) = (rate(60, 300), rate(45, 150));
        let others = |rate: Rate| Rate {
            events: rate.runs - rate.events,
            ..rate
        };
        let below = fisher(others(old), others(new));
        let same =
            fisher(old, new) - fisher(Rate { events: 59, ..old }, Rate { events: 46, ..new });
        assert!(is_near(fisher(old, new) + below, 1.0 + same));
    }

    #[test]
    fn the_p_of_the_sign_test_is_the_binomial_tail() {
        for (rose, fell, expected) in [
            (0, 0, 1.0),
            (4, 0, 1.0 / 16.0),
            (5, 0, 1.0 / 32.0),
            (0, 5, 1.0),
            (7, 1, 9.0 / 256.0),
            (8, 2, 56.0 / 1024.0),
            (15, 5, 21_700.0 / 1_048_576.0),
        ] {
            let found = sign(rose, fell);
            assert!(is_near(found, expected), "{rose} {fell}: {found}");
        }
    }

    #[test]
    fn a_difference_is_shown_up_to_a_probability_of_5_percent() {
        for (rose, fell, expected) in [(4, 0, false), (5, 0, true), (8, 2, false), (9, 2, true)] {
            assert_eq!(is_rise(rose, fell), expected, "{rose} {fell}");
        }
        assert!(is_higher(rate(0, 2), rate(5, 5)));
        assert!(!is_higher(rate(0, 1), rate(5, 5)));
    }
}
