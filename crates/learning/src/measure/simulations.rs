//! The power and the false alarm rate of the tests of this module: simulations with
//! fixed seeds. Each states its number of trials and the bounds of its result.

use std::collections::BTreeMap;

use super::compare::look_by_look;
use super::observation::Sample;
use super::{
    Draws, HORIZON, LEVEL_OF_A_LOOK, LOOKS, Observation, Outcome, Rate, SAMPLE_SIZE, baseline_rate,
    sign_flip, watch,
};

/// The standard deviation of scores; those of a task have a correlation of .5.
const DEVIATION: f64 = 8.0;

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

fn flips(pairs: &[Pair]) -> bool {
    sign_flip(&gains(pairs)) <= 0.05
}

fn share(trials: u32, mut found: impl FnMut() -> bool) -> f64 {
    f64::from((0..trials).map(|_| u32::from(found())).sum::<u32>()) / f64::from(trials)
}

#[test]
fn the_power_of_20_pairs_is_within_bounds() {
    const TRIALS: u32 = 2_000;
    for (seed, gain, expected) in [
        (11, 0.0, 0.033),
        (12, 3.0, 0.41),
        (13, 5.0, 0.77),
        (14, 8.0, 0.99),
    ] {
        let mut draws = Draws::new(seed);
        let found = share(TRIALS, || flips(&pairs(&mut draws, gain)));
        println!("+{gain}: {found:.3} ({expected:.3})");
        assert!((found - expected).abs() < 0.04, "+{gain}: {found}");
    }
}

#[test]
fn runs_of_different_tasks_have_less_power() {
    const TRIALS: u32 = 2_000;
    for (seed, gain, expected) in [(21, 0.0, 0.03), (22, 5.0, 0.54)] {
        let mut draws = Draws::new(seed);
        let found = share(TRIALS, || {
            let (old, _): (Vec<f64>, Vec<f64>) = pairs(&mut draws, gain).into_iter().unzip();
            let (_, new): (Vec<f64>, Vec<f64>) = pairs(&mut draws, gain).into_iter().unzip();
            let strangers: Vec<Pair> = old.into_iter().zip(new).collect();
            flips(&strangers)
        });
        println!("other tasks, +{gain}: {found:.3} ({expected:.3})");
        assert!((found - expected).abs() < 0.04, "+{gain}: {found}");
    }
}

#[test]
fn three_planned_looks_keep_the_level_that_peeking_exceeds() {
    const TRIALS: u32 = 2_000;
    let at = |pairs: &[Pair], looks: &[usize], level: f64| {
        let p = |look: &usize| sign_flip(&gains(&pairs[..*look]));
        looks.iter().any(|look| p(look) <= level)
    };
    let every: Vec<usize> = (5..=SAMPLE_SIZE).collect();
    let mut draws = Draws::new(31);
    // Scores in steps of 5 have ties, so sign flips stay below the level.
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

/// A run of this quality, in which one of ten errs and one of ten fails.
fn run(draws: &mut Draws, task: usize, quality: f64, errors: f64) -> Observation {
    Observation {
        run: String::new(),
        task: task.to_string(),
        error: draws.share() < errors,
        quality: Some(quality),
        completed: draws.share() < 0.9,
        judged: true,
    }
}

#[test]
fn a_comparison_finds_gains_and_has_few_false_positives() {
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

/// A rule that stops a version after a number of 100 runs, or never.
type Rule<'a> = &'a mut dyn FnMut(&[bool], &mut Draws) -> Option<usize>;

/// The results of a rule when one of ten runs errs as before, and when three do: the
/// false alarm rate, the median delay, where missed cases count as the longest, and the
/// share of missed cases.
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

fn e_process(p0: f64, errors: &[bool]) -> Option<usize> {
    let watched = watch(p0, errors.iter().copied());
    watched.degraded.then_some(watched.runs)
}

#[test]
fn the_e_process_raises_few_false_alarms() {
    const TRIALS: u32 = 1_000;
    let (false_alarms, delay, missed) = alarms(TRIALS, 51, &mut |errors, _| e_process(0.1, errors));
    println!("false {false_alarms:.3} (0.03), delay {delay}, missed {missed:.3}");
    assert!((false_alarms - 0.03).abs() < 0.02, "{false_alarms}");
    assert!((14..=22).contains(&delay), "{delay}");
    assert!(missed < 0.03, "{missed}");
}

#[test]
fn a_small_baseline_costs_false_alarms_and_misses() {
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
