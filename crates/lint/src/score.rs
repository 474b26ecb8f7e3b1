//! From findings to scores.

use std::collections::BTreeMap;

use review_types::{CriterionName, Deduction, DeductionCause, Score, Scores};

use crate::{Criterion, Finding, Rule, Severity};

/// The rate at which further findings of one rule lose weight.
const REPEAT: f64 = 0.25;

/// The load that halves a score: two errors of different rules.
const HALF: f64 = 24.0;

/// The maximum score of completeness: rules cannot detect what is not written.
const COMPLETENESS_CAP: u8 = 90;

/// The number of findings by rule and severity.
type Tally = BTreeMap<(Rule, Severity), usize>;

/// The load of each criterion, from which its score is computed.
///
/// The score is `100 * 2^(-load / 24)`, rounded. Each rule adds, for each severity, its
/// weight times `1 + 1/1.25 + 1/1.5 + …`, so a further finding never raises a score and
/// the tenth costs a third of the first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Loads(Tally);

impl Loads {
    pub(crate) fn new<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut tally = Tally::new();
        for finding in findings {
            *tally.entry((finding.rule, finding.severity)).or_default() += 1;
        }
        Self(tally)
    }

    fn load(&self, criterion: Criterion) -> f64 {
        self.0
            .iter()
            .filter(|((rule, _), _)| rule.criterion() == criterion)
            .map(|(&(_, severity), &count)| series(severity, count))
            .sum()
    }

    /// The load of all criteria together.
    pub(crate) fn total(&self) -> f64 {
        Criterion::ALL.iter().map(|c| self.load(*c)).sum()
    }

    /// The score of one criterion, without the cap of completeness.
    fn plain(&self, criterion: Criterion) -> u8 {
        points(self.load(criterion))
    }

    /// The four scores.
    pub(crate) fn scores(&self) -> Scores {
        let entry = |criterion: Criterion| {
            let name = CriterionName::new(criterion.as_str()).ok()?;
            Some((name, self.score(criterion)))
        };
        Criterion::ALL.iter().copied().filter_map(entry).collect()
    }

    /// The score of one criterion.
    pub(crate) fn score(&self, criterion: Criterion) -> Score {
        let plain = self.plain(criterion);
        let score = match criterion {
            Criterion::Completeness => plain.min(COMPLETENESS_CAP),
            Criterion::Consistency | Criterion::Testability | Criterion::Architecture => plain,
        };
        Score::new(i64::from(score)).unwrap_or(Score::MAX)
    }

    /// The points that a score lacks, by rule and severity, and without a rule those of
    /// the cap. The most severe come first, each charged with what the score then loses.
    fn charges(&self, criterion: Criterion) -> Vec<(Option<(Rule, Severity)>, u8)> {
        let of_criterion = self.0.iter();
        let of_criterion = of_criterion.filter(|((rule, _), _)| rule.criterion() == criterion);
        let mut kinds: Vec<_> = of_criterion.map(|(&kind, &count)| (kind, count)).collect();
        kinds.sort_by_key(|((_, severity), _)| std::cmp::Reverse(*severity));
        let mut charged = Self::default();
        let mut charges = Vec::new();
        for (kind, count) in kinds {
            let before = charged.plain(criterion);
            charged.0.insert(kind, count);
            charges.push((Some(kind), before.saturating_sub(charged.plain(criterion))));
        }
        let given = self.score(criterion).get();
        charges.push((None, self.plain(criterion).saturating_sub(given)));
        charges.retain(|(_, points)| *points > 0);
        charges
    }

    /// The number of points that one finding less of this kind would restore.
    pub(crate) fn cost(&self, rule: Rule, severity: Severity) -> u8 {
        let with = self.load(rule.criterion());
        let count = self.0.get(&(rule, severity)).copied().unwrap_or_default();
        let last = series(severity, count) - series(severity, count.saturating_sub(1));
        points(with - last).saturating_sub(points(with))
    }
}

/// Returns what cost the points of the scores, criterion by criterion.
pub(crate) fn deductions(loads: &Loads, findings: &[Finding]) -> Vec<Deduction> {
    let mut first: BTreeMap<(Rule, Severity), &Finding> = BTreeMap::new();
    for finding in findings {
        first
            .entry((finding.rule, finding.severity))
            .or_insert(finding);
    }
    let cause = |kind: Option<(Rule, Severity)>| {
        let Some(kind) = kind else {
            return Some(DeductionCause::Cap);
        };
        let first = first.get(&kind)?;
        let findings = loads.0.get(&kind).copied().unwrap_or_default();
        Some(DeductionCause::Rule {
            code: kind.0.code().to_owned(),
            path: first.path.clone(),
            line: u32::try_from(first.position.line).unwrap_or(u32::MAX),
            findings: u32::try_from(findings).unwrap_or(u32::MAX),
        })
    };
    let of_criterion = |criterion: Criterion| {
        let charges = loads.charges(criterion).into_iter();
        let cause = &cause;
        charges.filter_map(move |(kind, points)| {
            Some(Deduction {
                criterion: CriterionName::new(criterion.as_str()).ok()?,
                points,
                cause: cause(kind)?,
            })
        })
    };
    Criterion::ALL
        .iter()
        .copied()
        .flat_map(of_criterion)
        .collect()
}

/// The load of `count` findings of one rule and severity.
fn series(severity: Severity, count: usize) -> f64 {
    let mut sum = 0.0;
    let mut divisor = 1.0;
    for _ in 0..count {
        sum += 1.0 / divisor;
        divisor += REPEAT;
    }
    severity.weight() * sum
}

/// The score of a load, from 0 to 100.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is between 0 and 100"
)]
fn points(load: f64) -> u8 {
    (100.0 * (-load / HALF).exp2()).round().clamp(0.0, 100.0) as u8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A rule, a severity and a number of findings.
    type Counted = (Rule, Severity, usize);

    fn loads(findings: &[Counted]) -> Loads {
        Loads(
            findings
                .iter()
                .map(|&(rule, severity, count)| ((rule, severity), count))
                .collect(),
        )
    }

    fn testability(findings: &[Counted]) -> u8 {
        loads(findings).plain(Criterion::Testability)
    }

    #[test]
    fn scores_have_these_exact_values() {
        use Rule::{FilterMissesTests, FilterSelectsNothing, NoBackpressure};
        use Severity::{Error, Info, Warning};
        let cases: [(&[Counted], u8); 9] = [
            (&[], 100),
            (&[(FilterSelectsNothing, Error, 1)], 71),
            (
                &[(FilterSelectsNothing, Error, 1), (NoBackpressure, Error, 1)],
                50,
            ),
            (&[(FilterSelectsNothing, Error, 2)], 54),
            (&[(FilterMissesTests, Warning, 1)], 89),
            (&[(FilterMissesTests, Warning, 2)], 81),
            (&[(FilterMissesTests, Info, 1)], 97),
            (
                &[
                    (FilterSelectsNothing, Error, 1),
                    (FilterMissesTests, Warning, 2),
                ],
                57,
            ),
            (&[(FilterSelectsNothing, Error, 1000)], 0),
        ];
        for (findings, score) in cases {
            assert_eq!(testability(findings), score, "{findings:?}");
        }
    }

    #[test]
    fn the_tenth_repeat_costs_a_third_of_the_first() {
        let tenth = series(Severity::Error, 10) - series(Severity::Error, 9);
        assert!((tenth / series(Severity::Error, 1) - 1.0 / 3.25).abs() < 1e-9);
    }

    #[test]
    fn a_rule_lowers_only_its_own_criterion() {
        let found = loads(&[(Rule::FilterSelectsNothing, Severity::Error, 1)]);
        assert_eq!(found.plain(Criterion::Consistency), 100);
    }

    #[test]
    fn the_total_load_is_the_sum_over_all_criteria() {
        let found = loads(&[
            (Rule::FilterSelectsNothing, Severity::Error, 1),
            (Rule::SelfDependency, Severity::Error, 1),
            (Rule::EmptySection, Severity::Warning, 2),
        ]);
        assert!((found.total() - (12.0 + 12.0 + 4.0 + 3.2)).abs() < 1e-9);
        assert!(Loads::default().total().abs() < 1e-9);
    }

    #[test]
    fn only_completeness_is_capped() {
        let scores = Loads::default().scores();
        let seen: Vec<_> = scores
            .iter()
            .map(|(name, score)| (name.as_str(), score.get()))
            .collect();
        assert_eq!(
            seen,
            [
                ("architecture", 100),
                ("completeness", 90),
                ("consistency", 100),
                ("testability", 100)
            ]
        );
    }

    #[test]
    fn the_cost_of_a_finding_is_the_gain_without_it() {
        let found = loads(&[
            (Rule::FilterSelectsNothing, Severity::Error, 1),
            (Rule::FilterMissesTests, Severity::Warning, 2),
        ]);
        assert_eq!(
            found.cost(Rule::FilterSelectsNothing, Severity::Error),
            81 - 57
        );
        assert_eq!(
            found.cost(Rule::FilterMissesTests, Severity::Warning),
            63 - 57
        );
        assert_eq!(found.cost(Rule::EmptySection, Severity::Warning), 0);
    }

    #[test]
    fn the_most_severe_rule_is_charged_first_and_the_cap_last() {
        use Rule::{FilterMissesTests, FilterSelectsNothing};
        use Severity::{Error, Warning};
        let found = loads(&[
            (FilterMissesTests, Warning, 2),
            (FilterSelectsNothing, Error, 1),
        ]);
        let charges = |criterion| found.charges(criterion);
        assert_eq!(
            charges(Criterion::Testability),
            [
                (Some((FilterSelectsNothing, Error)), 29),
                (Some((FilterMissesTests, Warning)), 14)
            ]
        );
        assert_eq!(charges(Criterion::Completeness), [(None, 10)]);
        assert_eq!(charges(Criterion::Consistency), []);
    }

    fn any_tally() -> impl Strategy<Value = Vec<Counted>> {
        let severity = prop_oneof![
            Just(Severity::Info),
            Just(Severity::Warning),
            Just(Severity::Error)
        ];
        let rule = proptest::sample::select(Rule::ALL);
        proptest::collection::vec((rule, severity, 0_usize..20), 0..8)
    }

    proptest! {
        #[test]
        fn the_points_of_all_charges_are_those_that_a_score_lacks(tally in any_tally()) {
            let found = loads(&tally);
            for &criterion in Criterion::ALL {
                let charges = found.charges(criterion).into_iter();
                let points: u32 = charges.map(|(_, points)| u32::from(points)).sum();
                let score = u32::from(found.score(criterion).get());
                prop_assert_eq!(points + score, 100);
            }
        }

        #[test]
        fn a_further_finding_never_raises_a_score(tally in any_tally(), more in any_tally()) {
            let before = loads(&tally);
            let mut after = before.clone();
            for (rule, severity, count) in more {
                *after.0.entry((rule, severity)).or_default() += count;
            }
            for &criterion in Criterion::ALL {
                prop_assert!(after.plain(criterion) <= before.plain(criterion));
                prop_assert!(before.plain(criterion) <= 100);
            }
        }
    }
}
