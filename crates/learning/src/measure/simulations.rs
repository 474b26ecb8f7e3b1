//! How often the tests of this module find what is there, and what is not:
//! simulations with fixed seeds. Each states its number of trials and the
//! bounds of what it may find.

use std::collections::BTreeMap;

use super::compare::look_by_look;
use super::observation::Sample;
use super::{
    Draws, HORIZON, LEVEL_OF_A_LOOK, LOOKS, Observation, Outcome, Rate, SAMPLE_SIZE, baseline_rate,
    rank_sum, sign_flip, watch,
};

/// Scores have this standard deviation, and those of a task correlate by .5.
const DEVIATION: f64 = 8.0;
/// The critical values of the t distribution at .05, for 4 to 19 degrees of
/// freedom, and for 38.
const T_4_TO_19: [f64; 16] = [
    2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753, 1.746,
    1.740, 1.734, 1.729,
];
const T_38: f64 = 1.686;

/// Scores of one task under the old and the new version, in steps of 5.
type Pair = (f64, f64);

fn normal(draws: &mut Draws) -> f64 {
    let radius = (-2.0 * (1.0 - draws.share()).ln()).sqrt();
    radius * (std::f64::consts::TAU * draws.share()).cos()
}

fn pair(draws: &mut Draws, gain: f64) -> Pair {
    let of_the_task = normal(draws);
    let mut score = |mean: f64| {
        let own = normal(draws);
        let score = mean + DEVIATION * f64::midpoint(of_the_task, own) * 2.0_f64.sqrt();
        (score / 5.0).round().clamp(0.0, 20.0) * 5.0
    };
    (score(65.0), score(65.0 + gain))
}

fn pairs(draws: &mut Draws, gain: f64) -> Vec<Pair> {
    (0..SAMPLE_SIZE).map(|_| pair(draws, gain)).collect()
}

fn gains(pairs: &[Pair]) -> Vec<f64> {
    pairs.iter().map(|(old, new)| new - old).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    squares / (values.len() - 1) as f64
}

/// The paired t test, of 5 to 20 pairs.
fn paired_t(pairs: &[Pair]) -> bool {
    let gains = gains(pairs);
    mean(&gains) > T_4_TO_19[gains.len() - 5] * (variance(&gains) / gains.len() as f64).sqrt()
}

/// Welch's t test, which does not know of pairs.
fn welch(pairs: &[Pair]) -> bool {
    let (old, new): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let error = ((variance(&old) + variance(&new)) / old.len() as f64).sqrt();
    mean(&new) - mean(&old) > T_38 * error
}

/// Wilcoxon's signed-rank test: the sign-flip test of the ranks.
fn wilcoxon(pairs: &[Pair]) -> bool {
    let gains: Vec<f64> = gains(pairs)
        .into_iter()
        .filter(|gain| *gain != 0.0)
        .collect();
    let rank = |gain: &f64| {
        let below = gains.iter().filter(|other| other.abs() < gain.abs());
        let tied = gains.iter().filter(|other| other.abs() == gain.abs());
        below.count() as f64 + f64::midpoint(tied.count() as f64, 1.0)
    };
    let ranks: Vec<f64> = gains
        .iter()
        .map(|gain| gain.signum() * rank(gain))
        .collect();
    sign_flip(&ranks) <= 0.05
}

fn flips(pairs: &[Pair]) -> bool {
    sign_flip(&gains(pairs)) <= 0.05
}

fn share(trials: u32, mut found: impl FnMut() -> bool) -> f64 {
    f64::from((0..trials).map(|_| u32::from(found())).sum::<u32>()) / f64::from(trials)
}

/// A test of paired scores, with the share of trials in which it shall find
/// the gains 0, 3, 5 and 8.
type Row = (&'static str, fn(&[Pair]) -> bool, [f64; 4]);

#[test]
fn what_20_pairs_show_of_a_gain() {
    const TRIALS: u32 = 2_000;
    let rows: [Row; 5] = [
        (
            "mean",
            |pairs| mean(&gains(pairs)) > 0.0,
            [0.49, 0.94, 1.0, 1.0],
        ),
        ("welch", welch, [0.010, 0.25, 0.62, 0.97]),
        ("paired t", paired_t, [0.050, 0.47, 0.81, 1.0]),
        ("wilcoxon", wilcoxon, [0.046, 0.47, 0.81, 1.0]),
        ("sign-flip", flips, [0.033, 0.41, 0.77, 0.99]),
    ];
    for (at, gain) in [0.0, 3.0, 5.0, 8.0].into_iter().enumerate() {
        let mut draws = Draws::new(11 + at as u64);
        let trials: Vec<Vec<Pair>> = (0..TRIALS).map(|_| pairs(&mut draws, gain)).collect();
        for (name, finds, expected) in rows {
            let mut next = trials.iter();
            let found = share(TRIALS, || next.next().is_some_and(|pairs| finds(pairs)));
            let off = (found - expected[at]).abs();
            println!("{name} +{gain}: {found:.3} ({:.3})", expected[at]);
            assert!(off < 0.04, "{name} +{gain}: {found}");
        }
    }
}

#[test]
fn unpaired_scores_show_less() {
    const TRIALS: u32 = 120;
    let mut draws = Draws::new(21);
    let found = share(TRIALS, || {
        let (old, new): (Vec<f64>, Vec<f64>) = pairs(&mut draws, 5.0).into_iter().unzip();
        rank_sum(&old, &new) <= 0.05
    });
    println!("Mann-Whitney +5: {found:.3} (0.61)");
    assert!((found - 0.61).abs() < 0.12, "{found}");
}

#[test]
fn three_planned_looks_keep_the_level_that_peeking_loses() {
    const TRIALS: u32 = 2_000;
    let at = |pairs: &[Pair], looks: &[usize], level: f64| {
        let p = |look: &usize| sign_flip(&gains(&pairs[..*look]));
        looks.iter().any(|look| p(look) <= level)
    };
    let every: Vec<usize> = (5..=SAMPLE_SIZE).collect();
    let mut draws = Draws::new(31);
    let peeked = share(TRIALS, || {
        let pairs = pairs(&mut draws, 0.0);
        every.iter().any(|look| paired_t(&pairs[..*look]))
    });
    println!("a t test after every pair, +0: {peeked:.3} (0.160)");
    assert!((peeked - 0.16).abs() < 0.03, "{peeked}");
    // Scores in steps of 5 tie, so that flips of their signs keep below the level.
    let peeked = share(TRIALS, || at(&pairs(&mut draws, 0.0), &every, 0.05));
    println!("sign flips after every pair, +0: {peeked:.3}");
    assert!((0.08..0.13).contains(&peeked), "{peeked}");
    for (gain, expected, off) in [(0.0, 0.02, 0.012), (5.0, 0.63, 0.05), (8.0, 0.96, 0.03)] {
        let found = share(TRIALS, || {
            at(&pairs(&mut draws, gain), &LOOKS, LEVEL_OF_A_LOOK)
        });
        println!("three looks, +{gain}: {found:.3} ({expected:.3})");
        assert!((found - expected).abs() < off, "+{gain}: {found}");
    }
}

/// A run with that quality, in which one of ten errs and one of ten fails.
fn run(draws: &mut Draws, task: usize, quality: f64, errors: f64) -> Observation {
    Observation {
        run: String::new(),
        task: task.to_string(),
        error: draws.share() < errors,
        quality: Some(quality),
        completed: draws.share() < 0.9,
    }
}

#[test]
fn a_comparison_finds_gains_and_seldom_what_is_not_there() {
    const TRIALS: u32 = 600;
    let mut draws = Draws::new(41);
    let mut shares = |gain: f64, errors: f64| {
        let [mut better, mut worse] = [0, 0];
        for _ in 0..TRIALS {
            let both = pairs(&mut draws, gain).into_iter().enumerate();
            let (old, new): (Vec<_>, Vec<_>) = both
                .map(|(task, (old, new))| {
                    let old = run(&mut draws, task, old, 0.1);
                    (old, run(&mut draws, task, new, errors))
                })
                .unzip();
            let sample = Sample::new(&old, &new, LOOKS[0], SAMPLE_SIZE);
            match look_by_look(&sample).1 {
                Some((Outcome::Better, _)) => better += 1,
                Some((Outcome::Worse, _)) => worse += 1,
                Some((Outcome::NoEvidence, _)) | None => {}
            }
        }
        println!("gain {gain}, errors {errors}: better {better}, worse {worse} of {TRIALS}");
        [better, worse].map(|count| f64::from(count) / f64::from(TRIALS))
    };
    let [better, worse] = shares(0.0, 0.1);
    assert!(better <= 0.03 && worse <= 0.05, "{better} {worse}");
    let [better, worse] = shares(8.0, 0.1);
    assert!(better >= 0.70 && worse <= 0.03, "{better} {worse}");
    let [better, worse] = shares(-8.0, 0.1);
    assert!(better <= 0.01 && worse >= 0.90, "{better} {worse}");
    // A gain of quality does not hide that half of the runs err.
    let [better, worse] = shares(5.0, 0.5);
    assert!(better <= 0.15 && worse >= 0.65, "{better} {worse}");
}

/// After how many of 100 runs a rule stops a version, if it does.
type Rule<'a> = &'a mut dyn FnMut(&[bool], &mut Draws) -> Option<usize>;

/// How a rule does when one of ten runs errs as before, and when three do: the
/// share of false alarms, the median delay, for which what is missed comes last,
/// and the share missed.
fn alarms(trials: u32, seed: u64, rule: Rule<'_>) -> (f64, usize, f64) {
    let mut draws = Draws::new(seed);
    let mut stops = |rate: f64| -> Vec<usize> {
        let mut one = |_| {
            let errors: Vec<bool> = (0..HORIZON).map(|_| draws.share() < rate).collect();
            rule(&errors, &mut draws)
        };
        (0..trials).filter_map(&mut one).collect()
    };
    let false_alarms = stops(0.1).len() as f64 / f64::from(trials);
    let mut delays = stops(0.3);
    let missed = 1.0 - delays.len() as f64 / f64::from(trials);
    delays.resize(trials as usize, HORIZON);
    delays.sort_unstable();
    (false_alarms, delays[delays.len() / 2], missed)
}

/// Stops when so many of the last `len` runs err.
fn window(errors: &[bool], len: usize, most: usize) -> Option<usize> {
    let is_over = |runs: &[bool]| runs.iter().filter(|error| **error).count() >= most;
    Some(errors.windows(len).position(is_over)? + len)
}

/// Stops when the sum of log-likelihood ratios of 30 % over 10 % reaches 4
/// above its lowest point.
fn cusum(errors: &[bool]) -> Option<usize> {
    let mut sum = 0.0_f64;
    let is_over = |error: &bool| {
        let ratio: f64 = if *error { 0.3 / 0.1 } else { 0.7 / 0.9 };
        sum = (sum + ratio.ln()).max(0.0);
        sum >= 4.0
    };
    Some(errors.iter().position(is_over)? + 1)
}

fn e_process(p0: f64, errors: &[bool]) -> Option<usize> {
    let watched = watch(p0, errors.iter().copied());
    watched.degraded.then_some(watched.runs)
}

#[test]
fn the_e_process_raises_the_fewest_false_alarms() {
    const TRIALS: u32 = 1_000;
    let is_near = |name: &str, expected: f64, off: f64, rule: Rule<'_>| {
        let (false_alarms, delay, missed) = alarms(TRIALS, 51, rule);
        println!(
            "{name}: false {false_alarms:.3} ({expected:.3}), delay {delay}, missed {missed:.3}"
        );
        assert!(
            (false_alarms - expected).abs() < off,
            "{name}: {false_alarms}"
        );
        (delay, missed)
    };
    is_near("2 of 5", 0.94, 0.05, &mut |errors, _| window(errors, 5, 2));
    is_near("3 of 10", 0.75, 0.08, &mut |errors, _| {
        window(errors, 10, 3)
    });
    is_near("6 of 20", 0.14, 0.05, &mut |errors, _| {
        window(errors, 20, 6)
    });
    is_near("CUSUM", 0.11, 0.05, &mut |errors, _| cusum(errors));
    let (delay, missed) = is_near("e-process", 0.03, 0.02, &mut |errors, _| {
        e_process(0.1, errors)
    });
    assert!((14..=22).contains(&delay), "{delay}");
    assert!(missed < 0.03, "{missed}");
}

#[test]
fn a_baseline_of_few_runs_costs_false_alarms_and_misses() {
    const TRIALS: u32 = 1_000;
    for (runs, false_alarms, delayed, missed) in [
        (20, 0.11, 27_usize, 0.20),
        (50, 0.075, 22, 0.08),
        (200, 0.04, 20, 0.02),
    ] {
        let mut rates = BTreeMap::new();
        let mut rule = |errors: &[bool], draws: &mut Draws| {
            let before = Rate::of((0..runs).map(|_| draws.share() < 0.1));
            let rate = rates.entry(before.events);
            let p0 = (*rate.or_insert_with(|| baseline_rate(before)))?;
            e_process(p0, errors)
        };
        let (false_alarm, delay, miss) = alarms(TRIALS, 61, &mut rule);
        println!(
            "{runs} runs: false {false_alarm:.3} ({false_alarms}), delay {delay} ({delayed}), missed {miss:.3} ({missed})"
        );
        assert!(
            (false_alarm - false_alarms).abs() < 0.04,
            "{runs}: {false_alarm}"
        );
        assert!((miss - missed).abs() < 0.05, "{runs}: {miss}");
        assert!(delay.abs_diff(delayed) <= 5, "{runs}: {delay}");
    }
}
