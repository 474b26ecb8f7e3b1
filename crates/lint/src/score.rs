//! From findings to scores.

use std::collections::BTreeMap;

use review_types::{CriterionName, Score, Scores};

use crate::{Criterion, Finding, Rule, Settings, Severity};

/// The rate at which further findings of one rule lose weight.
const REPEAT: f64 = 0.25;

/// The load that halves a score: two errors of different rules.
const HALF: f64 = 24.0;

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
        Criterion::ALL.into_iter().map(|c| self.load(c)).sum()
    }

    /// The score of one criterion, without the cap of completeness.
    fn plain(&self, criterion: Criterion) -> u8 {
        points(self.load(criterion))
    }

    /// The four scores.
    pub(crate) fn scores(&self, settings: &Settings) -> Scores {
        let entry = |criterion: Criterion| {
            let name = CriterionName::new(criterion.as_str()).ok()?;
            Some((name, self.score(criterion, settings)))
        };
        Criterion::ALL.into_iter().filter_map(entry).collect()
    }

    /// The score of one criterion.
    pub(crate) fn score(&self, criterion: Criterion, settings: &Settings) -> Score {
        let plain = Score::new(i64::from(self.plain(criterion))).unwrap_or(Score::MAX);
        match criterion {
            Criterion::Completeness => plain.min(settings.completeness_cap),
            Criterion::Consistency | Criterion::Testability | Criterion::Architecture => plain,
        }
    }

    /// The number of points that one finding less of this kind would restore.
    pub(crate) fn cost(&self, rule: Rule, severity: Severity) -> u8 {
        let with = self.load(rule.criterion());
        let count = self.0.get(&(rule, severity)).copied().unwrap_or_default();
        let last = series(severity, count) - series(severity, count.saturating_sub(1));
        points(with - last).saturating_sub(points(with))
    }
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
        let scores = Loads::default().scores(&Settings::default());
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
        fn a_further_finding_never_raises_a_score(tally in any_tally(), more in any_tally()) {
            let before = loads(&tally);
            let mut after = before.clone();
            for (rule, severity, count) in more {
                *after.0.entry((rule, severity)).or_default() += count;
            }
            for criterion in Criterion::ALL {
                prop_assert!(after.plain(criterion) <= before.plain(criterion));
                prop_assert!(before.plain(criterion) <= 100);
            }
        }
    }
}
