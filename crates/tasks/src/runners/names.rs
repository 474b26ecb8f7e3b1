//! The names of the tests that a command ran, to compare those before and after a change.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::listed::Ended;

/// Maximum number of names; with more, none is kept.
const MAX_NAMES: usize = 100_000;

/// Longer names are ignored.
const MAX_NAME: usize = 1024;

/// How often a test of one name passed, failed and was skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u32; 3]", into = "[u32; 3]")]
struct Ends {
    passed: u32,
    failed: u32,
    skipped: u32,
}

impl From<[u32; 3]> for Ends {
    fn from([passed, failed, skipped]: [u32; 3]) -> Self {
        Self {
            passed,
            failed,
            skipped,
        }
    }
}

impl From<Ends> for [u32; 3] {
    fn from(ends: Ends) -> Self {
        [ends.passed, ends.failed, ends.skipped]
    }
}

impl Ends {
    const fn ran(self) -> u32 {
        self.passed.saturating_add(self.failed)
    }

    const fn all(self) -> u32 {
        self.ran().saturating_add(self.skipped)
    }

    fn of(how: Ended) -> Self {
        let mut ends = Self::default();
        match how {
            Ended::Passed => ends.passed = 1,
            Ended::Failed => ends.failed = 1,
            Ended::Skipped => ends.skipped = 1,
        }
        ends
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed.saturating_add(other.passed),
            failed: self.failed.saturating_add(other.failed),
            skipped: self.skipped.saturating_add(other.skipped),
        }
    }
}

/// The tests that a command named: several may have one name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TestNames {
    tests: BTreeMap<String, Ends>,
    /// The number of tests that ran; `None` if it is unknown.
    run: Option<u64>,
    /// Whether all tests that ran are named.
    is_whole: bool,
}

/// The difference between the tests before and after a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestChanges {
    /// The tests that no longer are there.
    pub(crate) gone: Vec<String>,
    /// The tests that ran before and are skipped now.
    pub(crate) skipped: Vec<String>,
    /// The tests that pass and were not there before.
    pub(crate) new: Vec<String>,
    /// The tests that fail.
    pub(crate) failed: Vec<String>,
    /// Whether tests fail, all of them are named, and all of them failed before.
    pub(crate) inherits: bool,
    /// By how much fewer tests ran, where their names are not known.
    pub(crate) fewer: u64,
}

impl TestNames {
    pub(super) fn ended(&mut self, name: String, how: Ended) {
        if name.len() <= MAX_NAME && self.tests.len() <= MAX_NAMES {
            let ends = self.tests.entry(name).or_default();
            *ends = ends.plus(Ends::of(how));
        }
    }

    /// Records the end of a test that is named more than once.
    pub(super) fn ended_once(&mut self, name: String, how: Ended) {
        if !self.tests.contains_key(&name) {
            self.ended(name, how);
        }
    }

    /// Adds the tests of another runner, or of a later step.
    pub(super) fn add(&mut self, other: &Self) {
        for (name, ends) in &other.tests {
            let known = self.tests.entry(name.clone()).or_default();
            *known = known.plus(*ends);
        }
    }

    /// Returns the names with the number of tests that ran, and whether all are named.
    pub(super) fn counted(mut self, run: Option<u64>, is_whole: bool) -> Self {
        if self.tests.len() > MAX_NAMES {
            self.tests.clear();
        }
        let is_whole = is_whole && !self.tests.is_empty();
        Self {
            run,
            is_whole,
            ..self
        }
    }

    /// Returns whether nothing is known of any test.
    pub(crate) fn is_empty(&self) -> bool {
        self.tests.is_empty() && self.run.is_none()
    }

    /// Returns the number of tests that are named, or that ran if more did.
    pub(crate) fn count(&self) -> u64 {
        let named = self.tests.values().map(|ends| u64::from(ends.all())).sum();
        self.run.unwrap_or_default().max(named)
    }

    /// Returns whether all tests that ran are named.
    pub(crate) const fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns the tests that are known from either run of a command on the same tests.
    #[must_use]
    pub(crate) fn or(mut self, other: &Self) -> Self {
        if other.is_empty() {
            return self;
        }
        if self.is_empty() {
            return other.clone();
        }
        for (name, ends) in &other.tests {
            let known = self.tests.entry(name.clone()).or_default();
            // The later run says how it ends now.
            if known.all() <= ends.all() {
                *known = *ends;
            }
        }
        self.is_whole &= other.is_whole;
        self.run = self.run.max(other.run);
        self
    }

    /// Returns how the tests of a later run differ.
    pub(crate) fn changes_to(&self, after: &Self) -> TestChanges {
        let ends = |of: &Self, name: &str| of.tests.get(name).copied().unwrap_or_default();
        let mut changes = TestChanges::default();
        if after.is_empty() {
            // A runner that says nothing any more ran nothing that is known.
            match self.is_whole {
                true => changes.gone = self.tests.keys().cloned().collect(),
                false => changes.fewer = self.run.unwrap_or_default(),
            }
            return changes;
        }
        // A command may run tests again that fail.
        let repeats = self.tests.values().any(|ends| ends.failed > 0);
        let lost = |now: u32, before: u32| match repeats {
            true => now == 0 && before > 0,
            false => now < before,
        };
        if after.is_whole {
            for (name, before) in &self.tests {
                let now = ends(after, name);
                if lost(now.all(), before.all()) {
                    changes.gone.push(name.clone());
                } else if lost(now.ran(), before.ran()) {
                    changes.skipped.push(name.clone());
                }
            }
        }
        let mut fails_anew = false;
        for (name, now) in &after.tests {
            let before = ends(self, name);
            if now.passed > 0 && before.all() == 0 {
                changes.new.push(name.clone());
            }
            if now.failed > 0 {
                changes.failed.push(name.clone());
            }
            fails_anew |= now.failed > before.failed;
        }
        changes.inherits = after.is_whole && !changes.failed.is_empty() && !fails_anew;
        if let (Some(before), Some(now)) = (self.run, after.run)
            && !(self.is_whole && after.is_whole)
        {
            changes.fewer = before.saturating_sub(now);
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(tests: &[(&str, Ended)]) -> TestNames {
        let mut names = TestNames::default();
        for (name, how) in tests {
            names.ended((*name).to_owned(), *how);
        }
        let run = tests.iter().filter(|(_, how)| *how != Ended::Skipped);
        let run = u64::try_from(run.count()).ok();
        names.counted(run, true)
    }

    fn unnamed(run: u64) -> TestNames {
        TestNames::default().counted(Some(run), false)
    }

    const A: (&str, Ended) = ("a", Ended::Passed);
    const B: (&str, Ended) = ("b", Ended::Failed);

    #[test]
    fn a_test_that_is_removed_or_renamed_is_gone_and_a_new_one_is_added() {
        let changes = names(&[A, B]).changes_to(&names(&[B, ("c", Ended::Passed)]));
        let expected = TestChanges {
            gone: vec!["a".to_owned()],
            new: vec!["c".to_owned()],
            failed: vec!["b".to_owned()],
            inherits: true,
            ..TestChanges::default()
        };
        assert_eq!(changes, expected);
    }

    #[test]
    fn a_command_that_runs_failing_tests_again_loses_none_when_they_pass() {
        let (red, green) = (("b", Ended::Failed), ("b", Ended::Passed));
        let before = names(&[A, red, A, red]);
        assert!(before.changes_to(&names(&[A, green])).gone.is_empty());
        assert_eq!(before.changes_to(&names(&[green])).gone, ["a"]);
        let skipped = names(&[("a", Ended::Skipped), green]);
        assert_eq!(before.changes_to(&skipped).skipped, ["a"]);
    }

    #[test]
    fn a_runner_that_says_nothing_any_more_has_lost_all_tests() {
        let silent = TestNames::default();
        assert_eq!(names(&[A, B]).changes_to(&silent).gone, ["a", "b"]);
        assert_eq!(unnamed(3).changes_to(&silent).fewer, 3);
        assert_eq!(silent.changes_to(&silent), TestChanges::default());
    }

    #[test]
    fn failures_are_inherited_if_each_of_them_failed_before() {
        let (broken, fixed) = (("b", Ended::Failed), ("b", Ended::Passed));
        let other = ("c", Ended::Failed);
        for (before, after, inherits) in [
            (names(&[A, B]), names(&[A, broken]), true),
            (names(&[A, B, other]), names(&[A, fixed, other]), true),
            (names(&[A, B]), names(&[A, broken, other]), false),
            (names(&[B]), names(&[A, broken]), true),
            (names(&[A, B]), names(&[A, fixed]), false),
            (names(&[B]), names(&[B, B]), false),
            (
                names(&[A, B]),
                names(&[A, B]).counted(Some(2), false),
                false,
            ),
        ] {
            let changes = before.changes_to(&after);
            assert_eq!(changes.inherits, inherits, "{before:?} {after:?}");
        }
    }

    #[test]
    fn one_of_two_tests_with_a_name_can_be_gone() {
        let changes = names(&[A, A]).changes_to(&names(&[A]));
        assert_eq!(changes.gone, ["a"]);
    }

    #[test]
    fn a_test_that_ran_and_is_skipped_now_is_named_and_one_that_always_was_is_not() {
        let (skipped_a, skipped_b) = (("a", Ended::Skipped), ("b", Ended::Skipped));
        let before = names(&[A, skipped_b]);
        let changes = before.changes_to(&names(&[skipped_a, skipped_b]));
        assert_eq!((changes.gone, changes.skipped), (vec![], vec!["a".into()]));
        let new = names(&[A]).changes_to(&names(&[A, skipped_b]));
        assert_eq!((new.skipped, new.new), (vec![], vec![]));
    }

    #[test]
    fn without_names_the_numbers_are_compared() {
        for (before, after, fewer) in [
            (unnamed(5), unnamed(4), 1),
            (unnamed(5), unnamed(6), 0),
            (unnamed(2), names(&[A]), 1),
            (names(&[A, B]), unnamed(1), 1),
            (names(&[A, B]), names(&[A]), 0),
        ] {
            assert_eq!(
                before.changes_to(&after).fewer,
                fewer,
                "{before:?} {after:?}"
            );
        }
        // What is not named now may be there.
        assert_eq!(
            names(&[A, B]).changes_to(&unnamed(2)),
            TestChanges::default()
        );
    }

    #[test]
    fn what_one_of_two_runs_named_is_known() {
        let partial = names(&[A]).counted(Some(1), false);
        let known = partial.or(&names(&[A, B]));
        assert_eq!(known.changes_to(&names(&[A])).gone, ["b"]);
    }

    #[test]
    fn too_many_names_are_no_names() {
        let mut many = TestNames::default();
        for name in 0..=MAX_NAMES + 5 {
            many.ended(name.to_string(), Ended::Passed);
        }
        assert_eq!(many.counted(Some(7), true), unnamed(7));
    }

    fn any_names() -> impl Strategy<Value = TestNames> {
        let how = prop::sample::select(vec![Ended::Passed, Ended::Failed, Ended::Skipped]);
        let tests = prop::collection::vec(("[a-e]", how), 0..12);
        tests.prop_map(|tests| {
            let tests = tests.iter().map(|(name, how)| (name.as_str(), *how));
            names(&tests.collect::<Vec<_>>())
        })
    }

    proptest! {
        #[test]
        fn equal_tests_have_no_changes_and_survive_a_file(tests in any_names()) {
            let changes = tests.changes_to(&tests);
            let failed = changes.failed.clone();
            prop_assert_eq!(changes, TestChanges {
                inherits: !failed.is_empty(),
                failed,
                ..TestChanges::default()
            });
            let text = serde_json::to_string(&tests).unwrap();
            prop_assert_eq!(serde_json::from_str::<TestNames>(&text).unwrap(), tests);
        }

        #[test]
        fn a_run_with_more_tests_loses_none(before in any_names(), more in any_names()) {
            let mut after = before.clone();
            after.add(&more);
            let changes = before.changes_to(&after.counted(None, true));
            prop_assert_eq!(changes.gone, Vec::<String>::new());
        }

        #[test]
        fn each_removed_name_is_gone(before in any_names(), removed in "[a-e]") {
            let mut after = before.clone();
            let was_there = after.tests.remove(&removed).is_some();
            after.is_whole = true;
            let gone = before.changes_to(&after).gone;
            prop_assert_eq!(gone, if was_there { vec![removed] } else { Vec::new() });
        }
    }
}
