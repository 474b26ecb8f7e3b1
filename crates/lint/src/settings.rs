//! The settings of the embedded reviewer.

use std::collections::{BTreeMap, BTreeSet};

use review_types::Score;
use serde::{Deserialize, Serialize};

use crate::{Criterion, Glob, Rule, Severity};

/// The settings of the embedded reviewer. Fields that are missing in JSON have
/// defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The minimum score of each criterion for a pass; 70 by default.
    pub min_scores: BTreeMap<Criterion, Score>,
    /// The required sections of specs.
    pub required_sections: Vec<String>,
    /// The enabled rules; `None` enables all.
    pub select: Option<BTreeSet<Rule>>,
    /// The disabled rules, which take precedence over `select`.
    pub ignore: BTreeSet<Rule>,
    /// The severities of the findings of these rules, replacing the defaults.
    pub severities: BTreeMap<Rule, Severity>,
    /// The rules that are disabled in some files.
    pub per_file_ignores: Vec<FileIgnores>,
}

/// The rules that are disabled in files that match a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileIgnores {
    /// The pattern of paths, relative to the root.
    pub files: Glob,
    /// The rules.
    pub rules: BTreeSet<Rule>,
}

impl Settings {
    /// Whether a rule is enabled.
    #[must_use]
    pub fn selects(&self, rule: Rule) -> bool {
        let select = self.select.as_ref();
        select.is_none_or(|select| select.contains(&rule)) && !self.ignore.contains(&rule)
    }

    /// Whether a rule is disabled in a file, whose path is relative to the root.
    #[must_use]
    pub fn ignores_in(&self, path: &str, rule: Rule) -> bool {
        let mut patterns = self.per_file_ignores.iter();
        patterns.any(|ignores| ignores.rules.contains(&rule) && ignores.files.matches(path))
    }

    /// The minimum score of a criterion for a pass.
    #[must_use]
    pub(crate) fn min_score(&self, criterion: Criterion) -> Score {
        self.min_scores
            .get(&criterion)
            .copied()
            .unwrap_or_else(|| score(70))
    }
}

fn score(value: i64) -> Score {
    Score::new(value).unwrap_or(Score::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignore_takes_precedence_over_select() {
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
    fn settings_round_trip() {
        let settings = Settings {
            min_scores: BTreeMap::from([(Criterion::Testability, score(80))]),
            select: Some(BTreeSet::from([Rule::EmptySection])),
            severities: BTreeMap::from([(Rule::EmptySection, Severity::Error)]),
            per_file_ignores: vec![FileIgnores {
                files: "specs/*".parse().unwrap(),
                rules: BTreeSet::from([Rule::UnclosedFence]),
            }],
            ..Settings::default()
        };
        let written = serde_json::to_value(&settings).unwrap();
        assert_eq!(written["select"], serde_json::json!(["S1"]));
        assert_eq!(written["severities"], serde_json::json!({"S1": "error"}));
        assert_eq!(
            written["per_file_ignores"],
            serde_json::json!([{"files": "specs/*", "rules": ["S3"]}])
        );
        let read: Settings = serde_json::from_value(written).unwrap();
        assert_eq!(read, settings);
        let empty: Settings = serde_json::from_str("{}").unwrap();
        assert_eq!(empty, Settings::default());
        for (text, message) in [
            (r#"{"ignore": ["B99"]}"#, "unknown rule \"B99\""),
            (r#"{"later": 1}"#, "unknown field `later`"),
        ] {
            let error = serde_json::from_str::<Settings>(text).unwrap_err();
            assert!(error.to_string().starts_with(message), "{error}");
        }
    }

    #[test]
    fn the_default_minimum_is_70() {
        let mut settings = Settings::default();
        assert_eq!(settings.min_score(Criterion::Testability).get(), 70);
        settings
            .min_scores
            .insert(Criterion::Testability, score(80));
        assert_eq!(settings.min_score(Criterion::Testability).get(), 80);
    }
}
