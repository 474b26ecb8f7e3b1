//! What a user may set.

use std::collections::{BTreeMap, BTreeSet};

use review_types::Score;

use crate::{Criterion, Rule};

/// How the embedded reviewer judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The lowest score of each criterion that still passes; 70 where none is
    /// set.
    pub min_scores: BTreeMap<Criterion, Score>,
    /// The highest score of completeness: rules cannot see what nobody wrote.
    pub completeness_cap: Score,
    /// The rules that are on; all when this is `None`.
    pub select: Option<BTreeSet<Rule>>,
    /// The rules that are off, also when `select` names them.
    pub ignore: BTreeSet<Rule>,
}

impl Settings {
    /// Whether a rule is on.
    #[must_use]
    pub fn selects(&self, rule: Rule) -> bool {
        let named = self
            .select
            .as_ref()
            .is_none_or(|select| select.contains(&rule));
        named && !self.ignore.contains(&rule)
    }

    /// The lowest score of a criterion that still passes.
    #[must_use]
    pub fn min_score(&self, criterion: Criterion) -> Score {
        self.min_scores
            .get(&criterion)
            .copied()
            .unwrap_or_else(|| score(70))
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            min_scores: BTreeMap::new(),
            completeness_cap: score(90),
            select: None,
            ignore: BTreeSet::new(),
        }
    }
}

fn score(value: i64) -> Score {
    Score::new(value).unwrap_or(Score::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignore_wins_over_select() {
        let both = BTreeSet::from([Rule::EmptySection, Rule::UnclosedFence]);
        let settings = Settings {
            select: Some(both),
            ignore: BTreeSet::from([Rule::EmptySection]),
            ..Settings::default()
        };
        assert!(settings.selects(Rule::UnclosedFence));
        assert!(!settings.selects(Rule::EmptySection));
        assert!(!settings.selects(Rule::UndecidedText));
        assert!(Settings::default().selects(Rule::UndecidedText));
    }

    #[test]
    fn a_minimum_that_is_not_set_is_70() {
        let mut settings = Settings::default();
        assert_eq!(settings.min_score(Criterion::Testability).get(), 70);
        settings
            .min_scores
            .insert(Criterion::Testability, score(80));
        assert_eq!(settings.min_score(Criterion::Testability).get(), 80);
    }
}
