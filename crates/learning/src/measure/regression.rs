//! The watch over the version in use: whether its runs fail more often than those of
//! the versions before it.

use serde::Serialize;

use super::significance::is_higher;
use super::{Performance, Rate};

/// The minimum number of runs that show harm, and as many that fail in a row.
pub const MIN_RUNS: usize = 5;

/// What the runs of the version in use show, against all runs of the versions before
/// it. If that shows no harm, the versions before it that have fewer than [`MIN_RUNS`]
/// runs are taken together with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RegressionCheck {
    /// The versions that are watched together, the one in use first.
    pub versions: Vec<u32>,
    /// Their runs that failed, of those since each came into use.
    pub watched: Rate,
    /// The runs of all versions before them that failed.
    pub earlier: Rate,
    /// Whether they are shown to fail more often.
    pub is_worse: bool,
    /// The version to use again if so: the latest one that is shown to fail less often
    /// than the one in use alone, else the latest one that has enough runs, else the
    /// first one.
    pub back_to: u32,
}

impl RegressionCheck {
    /// Watches the version `active`, which was made from `ancestors`, the nearest first;
    /// `None` for a version that was made from no other. `all` are the versions that
    /// runs used. Where lessons go into prompts without an approval, runs that fail in a
    /// row are enough.
    pub fn of(
        active: u32,
        ancestors: &[u32],
        all: &[Performance],
        is_approved: bool,
    ) -> Option<Self> {
        let (first, made) = ancestors.split_last()?;
        let find = |version: u32| all.iter().find(|known| known.version() == version);
        let errors = |version: u32| find(version).map(Performance::errors).unwrap_or_default();
        let is_new = |version: &&u32| (errors(**version).runs as usize) < MIN_RUNS;
        let new = made.iter().take_while(is_new).count();
        let own = find(active).map(Performance::watched_errors);
        let own = own.unwrap_or_default();
        let mut ahead = ancestors.iter();
        let proved = ahead.find(|version| is_higher(errors(**version), own));
        let back_to = *proved.or_else(|| made.get(new)).unwrap_or(first);
        let watch = |together: usize| {
            let mut versions = vec![active];
            versions.extend(&made[..together]);
            let oldest = made[..together].last().copied().unwrap_or(active);
            let known = versions.iter().rev().filter_map(|version| find(*version));
            let runs: Vec<bool> = known
                .flat_map(|known| known.watched().iter().map(|seen| seen.error))
                .collect();
            let before = all.iter().filter(|known| known.version() < oldest);
            let before = before.flat_map(Performance::observations);
            let earlier = Rate::of(before.map(|seen| seen.error));
            Self {
                versions,
                watched: Rate::of(runs.iter().copied()),
                earlier,
                is_worse: is_worse(&runs, earlier, is_approved),
                back_to,
            }
        };
        let mut groups = (0..=new).map(watch);
        let worse = groups.find(|watch| watch.is_worse);
        Some(worse.unwrap_or_else(|| watch(0)))
    }
}

/// Whether runs, in order, true for one that failed, are shown to fail more often than
/// earlier ones.
fn is_worse(runs: &[bool], earlier: Rate, is_approved: bool) -> bool {
    let Some(last) = runs.len().checked_sub(MIN_RUNS).map(|at| &runs[at..]) else {
        return false;
    };
    let is_little_known = !is_approved || (earlier.runs as usize) < MIN_RUNS;
    let fail_in_a_row = last.iter().all(|error| *error);
    let has_row = is_little_known && fail_in_a_row && earlier.has_others();
    has_row || is_higher(earlier, Rate::of(runs.iter().copied()))
}

#[cfg(test)]
mod tests {
    use review_types::Timestamp;

    use super::*;
    use crate::AgentName;
    use crate::measure::Observation;

    /// A version whose runs are these: `.` for one without an error, `x` for one with.
    fn used(version: u32, runs: &str) -> Performance {
        let mut performance = Performance::new(&AgentName::from("applier"), version);
        for (at, seen) in runs.chars().enumerate() {
            performance.record(Observation {
                run: format!("r-{version}-{at}"),
                task: "a".to_owned(),
                error: seen == 'x',
                quality: None,
                completed: seen == '.',
                rounds: 1,
            });
        }
        performance
    }

    /// Versions 1, 2 and so on, each made from the previous one, the last one in use.
    fn watch(versions: &[&str], is_approved: bool) -> Option<RegressionCheck> {
        let numbered = (1..).zip(versions);
        let all: Vec<_> = numbered
            .map(|(version, runs)| used(version, runs))
            .collect();
        let active = all.last()?.version();
        let ancestors: Vec<u32> = (1..active).rev().collect();
        RegressionCheck::of(active, &ancestors, &all, is_approved)
    }

    #[test]
    fn a_version_that_fails_more_often_is_found_and_what_to_go_back_to() {
        for (versions, is_approved, expected) in [
            // A lesson at run 6: 1 of 462 ways.
            (&["......", "xxxxx"][..], true, Some(1)),
            (&["......", "xxxx"], true, None),
            (&["......", "....."], true, None),
            // 252 of 3,003 ways, then 462 of 8,008, then 792 of 19,448.
            (&[".x.x.x.x.x", "xxxxx"], true, None),
            (&[".x.x.x.x.x", "xxxxxx"], true, None),
            (&[".x.x.x.x.x", "xxxxxxx"], true, Some(1)),
            // Where nobody approved, five in a row are enough.
            (&[".x.x.x.x.x", "xxxxx"], false, Some(1)),
            (&[".x.x.x.x.x", "xxxx.x"], false, None),
            (&["xxxxxxxxxx", "xxxxx"], false, None),
            // Also where little is known of before, unless nothing ever passed.
            (&[".xxx", "xxxxx"], true, Some(1)),
            (&["xxxx", "xxxxx"], true, None),
            (&["", "xxxxx"], true, None),
            (&[".", "..xxxxx"], true, Some(1)),
            // Lessons right after each other go back together.
            (&["......", "", "xxxxx"], true, Some(1)),
            (&["......", "x", "xxxx"], true, Some(1)),
            (&["......", ".", "xxxxx"], true, Some(1)),
            (&["......", "x", "x", "x", "x", "x"], false, Some(1)),
            // Here it is the second one: 1 of 21 ways.
            (&["......", "..", "xxxxx"], true, Some(2)),
            (&["......", "......", "", "xxxxx"], true, Some(2)),
            // The version before is as bad: the one before that is known to be better.
            (
                &["......................", ".x.x.x.x.x", "xxxxx"],
                true,
                Some(1),
            ),
            // Nothing is known of the first one.
            (&["", ".", "..", "xxxxxx"], true, Some(3)),
            (&[""], true, None),
        ] {
            let found = watch(versions, is_approved);
            let back = found.filter(|found| found.is_worse).map(|it| it.back_to);
            assert_eq!(back, expected, "{versions:?} {is_approved}");
        }
    }

    #[test]
    fn all_earlier_runs_count_whatever_their_version() {
        let all = [used(1, "..x"), used(2, "xxxxx"), used(3, "..x")];
        let found = RegressionCheck::of(3, &[1], &all, true).expect("a watch");
        let expected = RegressionCheck {
            versions: vec![3],
            watched: Rate { events: 1, runs: 3 },
            earlier: Rate { events: 6, runs: 8 },
            is_worse: false,
            back_to: 1,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_version_that_is_used_again_is_watched_anew() {
        let mut second = used(2, "xxxxx");
        second.activate(Timestamp::from_unix_ms(9));
        let all = [used(1, "......"), second];
        let found = RegressionCheck::of(2, &[1], &all, true).expect("a watch");
        assert_eq!(found.watched, Rate::default());
        assert!(!found.is_worse);
    }

    #[test]
    fn a_harmful_lesson_is_found_within_six_runs() {
        // At run 6, right after another lesson, and without approval.
        for (before, is_approved) in [
            (&["......"][..], true),
            (&["......", ""], true),
            (&["....", "."], true),
            (&["...."], false),
            (&[".x.x.x.x.x"], false),
        ] {
            let found = (1..=6).find(|runs| {
                let harmful = "x".repeat(*runs);
                let mut versions = before.to_vec();
                versions.push(&harmful);
                watch(&versions, is_approved).is_some_and(|watch| watch.is_worse)
            });
            assert!(found.is_some(), "{before:?}");
        }
    }
}
