//! Repeated fixes of units with several defects terminate, and none of them introduces
//! a new finding.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use proptest::prelude::*;
use review_lint::{Finding, Report, Rule, Safety};

use crate::seeded::{Change, DEFECTS, files, report};
use crate::support::fixed_files;

type Files = Vec<(String, String)>;

/// The maximum number of passes for the defects of a unit.
const MAX_PASSES: usize = 8;

/// Changes that repeat a defect in another place, or that a fix of one must respect;
/// some of them are not defects on their own.
const PLACES: &[Change] = &[
    ("PLAN", "| #1 |", "| None |"),
    ("PLAN", "| #1 |", "| |"),
    ("PLAN", "| #1 |", "| #1 (types) |"),
    ("PLAN", "#1, #2", "#1, #2, #3"),
    ("PLAN", "#1, #2", "#1, #7"),
    (
        "PLAN",
        "./internal/store/...` |\n| 2",
        "./internal/stroe/...` |\n| 2",
    ),
    (
        "PLAN",
        "`go test ./internal/store/... -run TestKeep`",
        "go test -v ./internal/stroe/... -run TestKeep",
    ),
    (
        "PLAN",
        "`go test ./internal/store/... -run TestKeep`",
        "go vet ./internal/stroe/...",
    ),
    ("PLAN", "-run TestKeep", "-run Store"),
    ("PLAN", "-run TestKeep`", "-run TestKeep \\|\\| true`"),
    (
        "PLAN",
        "go test ./internal/store/... -run TestKeep",
        "go build ./internal/store/...",
    ),
    ("01", "status: pending", "status: todo"),
    ("01", "# Types\n", "# Types\n\nTask #2 must be complete.\n"),
    ("02", "depends_on: [1]\n", ""),
    ("03", "[1, 2]", "[1, 2, 7]"),
    ("03", "-run 'TestDrop|TestClear'\"", "-run Store\""),
    ("03", "-run 'TestDrop|TestClear'\n", "-run Store\n"),
    ("03", "keep.go       # MODIFY", "keep.go       # CREATE"),
];

/// Why a finding may follow a fix of another rule without being a new defect.
fn may_follow(fixed: Rule, found: Rule) -> bool {
    match fixed {
        // Text that was code is now prose.
        Rule::UnclosedFence => true,
        Rule::VacuousBackpressure => {
            matches!(
                found,
                Rule::PlanCheckDiffers | Rule::ValidationCommandDiffers
            )
        }
        _ => false,
    }
}

/// The subject of a finding, independent of its line number and message: its rule, file
/// and section, and the start of its line.
fn subject(finding: &Finding, files: &Files) -> (Rule, String) {
    let text = files.iter().find(|(path, _)| *path == finding.path);
    let line = text.and_then(|(_, text)| text.lines().nth(finding.position.line - 1));
    let line = line.unwrap_or_default().chars().take(12);
    let start: String = line.filter(|char| !char.is_ascii_digit()).collect();
    let place = format!("{} {} {start}", finding.path, finding.heading);
    (finding.rule, place)
}

fn subjects(report: &Report, files: &Files) -> BTreeMap<(Rule, String), usize> {
    let mut subjects = BTreeMap::new();
    for finding in report.findings() {
        *subjects.entry(subject(finding, files)).or_default() += 1;
    }
    subjects
}

/// The errors when all fixes of a unit with these changes are applied repeatedly;
/// `None` if the changes do not apply together.
fn faults(changes: &[Change]) -> Option<Vec<String>> {
    let mut files = files(changes)?;
    let mut before = report(&files);
    let mut faults = Vec::new();
    for _ in 0..MAX_PASSES {
        let (fixed, applied) = fixed_files(&files, before.findings(), Safety::Unsafe);
        if applied.is_empty() {
            return Some(faults);
        }
        let is_applied = |finding: &&Finding| applied.contains(&finding.id);
        let rules = before.findings().iter().filter(is_applied);
        let rules: BTreeSet<_> = rules.map(|finding| finding.rule).collect();
        let after = report(&fixed);
        let known = subjects(&before, &files);
        for ((rule, place), count) in subjects(&after, &fixed) {
            let before = known.get(&(rule, place.clone())).copied();
            let may_appear = rules.iter().any(|&fixed| may_follow(fixed, rule));
            if before.unwrap_or_default() < count && !may_appear {
                faults.push(format!("{rules:?} -> {rule} in {place}, after {changes:?}"));
            }
        }
        let may_move = |rule: &Rule| Rule::ALL.iter().any(|&found| may_follow(*rule, found));
        if after.load() >= before.load() && !rules.iter().any(may_move) {
            faults.push(format!("{rules:?} lower nothing, after {changes:?}"));
        }
        (files, before) = (fixed, after);
    }
    faults.push(format!("no end after {changes:?}"));
    Some(faults)
}

fn changes() -> Vec<Change> {
    let defects = DEFECTS.iter().map(|&(_, file, from, to)| (file, from, to));
    defects.chain(PLACES.iter().copied()).collect()
}

/// Whether the unit with only this change, or in combination with another one, has
/// something to fix.
fn is_fixable(change: Change) -> bool {
    let report = files(&[change]).map(|files| report(&files));
    let has_fix = |report: Report| report.findings().iter().any(|found| found.fix.is_some());
    PLACES.contains(&change) || report.is_some_and(has_fix)
}

#[test]
fn fixes_of_any_two_defects_terminate_without_new_findings() {
    let changes = changes();
    let fixable: Vec<_> = changes.iter().map(|&change| is_fixable(change)).collect();
    // A defect in the spec that has no fix does not affect fixes of the unit.
    let is_spec = |at: usize| changes[at].0 == "SPEC";
    let meet = |one: usize, other: usize| match is_spec(one) == is_spec(other) {
        true => fixable[one] || fixable[other],
        false => fixable[one] && fixable[other],
    };
    let half = |parity: usize| -> Vec<String> {
        let ones = (0..changes.len()).skip(parity).step_by(2);
        let pairs = ones.flat_map(|one| (one..changes.len()).map(move |other| (one, other)));
        let pairs = pairs.filter(|&(one, other)| meet(one, other));
        let faults = pairs.filter_map(|(one, other)| match one == other {
            true => faults(&[changes[one]]),
            false => faults(&[changes[one], changes[other]]),
        });
        faults.flatten().collect()
    };
    let found = thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        [half(0), other.join().unwrap()].concat()
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn fixes_of_several_defects_terminate_without_new_findings(
        chosen in proptest::sample::subsequence(changes(), 3..7).prop_shuffle()
    ) {
        let mut fitting = Vec::new();
        for change in chosen {
            fitting.push(change);
            if files(&fitting).is_none() {
                fitting.pop();
            }
        }
        let found = faults(&fitting).unwrap();
        prop_assert!(found.is_empty(), "{}", found.join("\n"));
    }
}
