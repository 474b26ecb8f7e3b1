//! The fixed set of rules, with their documentation.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::rules::{self, Check};
use crate::{Criterion, Safety, Severity};

/// The metadata of a rule, defined in its own file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meta {
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
    pub(crate) criterion: Criterion,
    pub(crate) severity: Severity,
    pub(crate) fixes: &'static [Safety],
    pub(crate) summary: &'static str,
    pub(crate) docs: &'static str,
}

/// Declares the unit struct of a rule; its doc comment is also its `docs`. A rule with
/// fixes declares them safe, unsafe, or both.
macro_rules! rule {
    (
        $(#[doc = $doc:literal])*
        $name:ident {
            code: $code:literal,
            name: $speaking:literal,
            criterion: $criterion:ident,
            severity: $severity:ident,
            $(fixes: [$($fix:ident),+],)?
            summary: $summary:literal $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        pub(crate) struct $name;

        impl $name {
            pub(crate) const META: $crate::rule::Meta = $crate::rule::Meta {
                code: $code,
                name: $speaking,
                criterion: $crate::Criterion::$criterion,
                severity: $crate::Severity::$severity,
                fixes: &[$($($crate::Safety::$fix),+)?],
                summary: $summary,
                docs: concat!($($doc, "\n",)*),
            };
        }
    };
}
pub(crate) use rule;

macro_rules! rules {
    ($($module:ident::$rule:ident,)*) => {
        /// A rule of the embedded reviewer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = concat!("The rule of the module `", stringify!($module), "`.")] $rule,)*
        }

        impl Rule {
            /// All rules, in the order of their table in the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$rule,)*];

            const fn meta(self) -> Meta {
                match self {
                    $(Self::$rule => rules::$module::$rule::META,)*
                }
            }

            /// The function that runs the rule.
            pub(crate) fn check(self) -> Check {
                match self {
                    $(Self::$rule => rules::$module::$rule::check,)*
                }
            }
        }
    };
}

rules! {
    duplicate_task_number::DuplicateTaskNumber,
    self_dependency::SelfDependency,
    unknown_dependency::UnknownDependency,
    dependency_cycle::DependencyCycle,
    broken_unit_dependency::BrokenUnitDependency,
    no_backpressure::NoBackpressure,
    vacuous_backpressure::VacuousBackpressure,
    filter_selects_nothing::FilterSelectsNothing,
    filter_misses_tests::FilterMissesTests,
    tests_not_run::TestsNotRun,
    validation_command_differs::ValidationCommandDiffers,
    missing_command_path::MissingCommandPath,
    unknown_program::UnknownProgram,
    not_repeatable::NotRepeatable,
    file_created_twice::FileCreatedTwice,
    modified_before_created::ModifiedBeforeCreated,
    unordered_changes::UnorderedChanges,
    no_deliverable::NoDeliverable,
    unclear_listed_test::UnclearListedTest,
    plan_row_without_task::PlanRowWithoutTask,
    plan_dependencies_differ::PlanDependenciesDiffer,
    plan_check_differs::PlanCheckDiffers,
    task_not_in_plan::TaskNotInPlan,
    undeclared_dependency::UndeclaredDependency,
    wrong_task_number::WrongTaskNumber,
    missing_parent_spec::MissingParentSpec,
    moved_parent_spec::MovedParentSpec,
    broken_link::BrokenLink,
    bad_front_matter::BadFrontMatter,
    duplicate_requirement_id::DuplicateRequirementId,
    vague_word::VagueWord,
    empty_section::EmptySection,
    undecided_text::UndecidedText,
    unclosed_fence::UnclosedFence,
    missing_section::MissingSection,
}

impl Rule {
    /// The short code, such as `B3`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.meta().code
    }

    /// The name, such as `filter-selects-nothing`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.meta().name
    }

    /// The criterion whose score its findings lower.
    #[must_use]
    pub const fn criterion(self) -> Criterion {
        self.meta().criterion
    }

    /// The severity of its most severe findings.
    #[must_use]
    pub const fn severity(self) -> Severity {
        self.meta().severity
    }

    /// The safety of its fixes, the safe ones first; empty if it has no fixes.
    #[must_use]
    pub const fn fixes(self) -> &'static [Safety] {
        self.meta().fixes
    }

    /// A summary in one sentence.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        self.meta().summary
    }

    /// Its documentation in Markdown: what it does, why it matters, an example and the
    /// fix.
    #[must_use]
    pub fn docs(self) -> String {
        let mut page = String::new();
        for line in self.meta().docs.lines() {
            page.push_str(line.strip_prefix(' ').unwrap_or(line));
            page.push('\n');
        }
        page
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl schemars::JsonSchema for Rule {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Rule".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[A-Z]+[0-9]+$" })
    }

    fn inline_schema() -> bool {
        true
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// A string that is not the name of a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown rule \"{got}\"")]
pub struct UnknownRule {
    /// The string.
    pub got: String,
    /// The names of similar rules.
    pub nearest: Vec<&'static str>,
}

impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(text: &str) -> Result<Self, UnknownRule> {
        let named = |rule: &&Self| {
            rule.code().eq_ignore_ascii_case(text) || rule.name().eq_ignore_ascii_case(text)
        };
        Self::ALL.iter().find(named).copied().ok_or_else(|| {
            let names = Self::ALL.iter().map(|rule| rule.name());
            UnknownRule {
                got: text.to_owned(),
                nearest: review_document::near::nearest(text, names, 3),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_and_names_are_unique_and_round_trip() {
        let mut seen = BTreeSet::new();
        for &rule in Rule::ALL {
            assert!(
                seen.insert(rule.code()) && seen.insert(rule.name()),
                "{rule:?}"
            );
            assert_eq!(rule.code().to_lowercase().parse(), Ok(rule));
            assert_eq!(rule.name().parse(), Ok(rule));
            assert_eq!(rule.to_string(), rule.code());
        }
    }

    #[test]
    fn every_page_has_the_four_sections() {
        for rule in Rule::ALL {
            let docs = rule.docs();
            let heads: Vec<_> = docs
                .lines()
                .filter(|line| line.starts_with("## "))
                .collect();
            let expected = [
                "## What it does",
                "## Why is this bad",
                "## Example",
                "## Fix",
            ];
            assert_eq!(heads, expected, "{rule}");
            assert!(rule.summary().ends_with('.'), "{rule}");
        }
    }

    #[test]
    fn a_page_has_no_indentation_of_its_comment() {
        let docs = Rule::FilterSelectsNothing.docs();
        assert!(docs.starts_with("Finds "), "{docs}");
        assert!(docs.lines().all(|line| !line.starts_with(' ')), "{docs}");
    }

    #[test]
    fn an_unknown_rule_has_similar_names() {
        let error = "filter-selects-nothin".parse::<Rule>().unwrap_err();
        assert_eq!(error.nearest[0], "filter-selects-nothing");
        assert_eq!(error.to_string(), "unknown rule \"filter-selects-nothin\"");
    }
}
