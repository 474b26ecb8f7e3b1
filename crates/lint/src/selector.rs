//! Selectors of rules: all of them, a group, or one.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{Rule, UnknownRule};

/// The word for all rules.
const ALL: &str = "ALL";

/// A selector of rules. A selector of fewer rules takes precedence; that is the order
/// of selectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Selector {
    /// `ALL`: every rule.
    All,
    /// The rules whose codes start with the same letters, such as `B`.
    Group(RuleGroup),
    /// One rule, by code or name.
    Rule(Rule),
}

/// The letters that rule codes start with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleGroup(&'static str);

impl RuleGroup {
    fn of(rule: Rule) -> Self {
        Self(rule.code().trim_end_matches(|c: char| c.is_ascii_digit()))
    }
}

impl Selector {
    /// The selected rules.
    pub fn rules(self) -> impl Iterator<Item = Rule> {
        let all = Rule::ALL.iter().copied();
        all.filter(move |&rule| self.contains(rule))
    }

    /// Whether it selects a rule.
    #[must_use]
    pub fn contains(self, rule: Rule) -> bool {
        match self {
            Self::All => true,
            Self::Group(group) => RuleGroup::of(rule) == group,
            Self::Rule(named) => named == rule,
        }
    }

    /// All valid selectors.
    fn words() -> impl Iterator<Item = &'static str> {
        let of = |rule: &Rule| [RuleGroup::of(*rule).0, rule.code(), rule.name()];
        std::iter::once(ALL).chain(Rule::ALL.iter().flat_map(of))
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::All => ALL,
            Self::Group(group) => group.0,
            Self::Rule(rule) => rule.code(),
        })
    }
}

impl FromStr for Selector {
    type Err = UnknownRule;

    fn from_str(text: &str) -> Result<Self, UnknownRule> {
        if text.eq_ignore_ascii_case(ALL) {
            return Ok(Self::All);
        }
        let groups = || Rule::ALL.iter().copied().map(RuleGroup::of);
        if let Some(group) = groups().find(|group| group.0.eq_ignore_ascii_case(text)) {
            return Ok(Self::Group(group));
        }
        text.parse().map(Self::Rule).map_err(|_| UnknownRule {
            got: text.to_owned(),
            nearest: review_document::near::nearest(text, Self::words(), 3),
        })
    }
}

impl Serialize for Selector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Selector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        written(deserializer)
    }
}

/// Reads a string, with a near name in its error.
fn written<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err = UnknownRule>,
    D: Deserializer<'de>,
{
    let text = String::deserialize(deserializer)?;
    text.parse()
        .map_err(|unknown: UnknownRule| match unknown.nearest.first() {
            Some(near) => de::Error::custom(format!("{unknown}; did you mean `{near}`?")),
            None => de::Error::custom(unknown),
        })
}

/// A selector of enabled rules: `B` replaces earlier choices, `+B` extends them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The selector.
    pub selector: Selector,
    /// Whether it extends earlier choices.
    pub extends: bool,
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.extends { "+" } else { "" };
        write!(f, "{sign}{}", self.selector)
    }
}

impl Serialize for Selection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Selection {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        written(deserializer)
    }
}

impl FromStr for Selection {
    type Err = UnknownRule;

    fn from_str(text: &str) -> Result<Self, UnknownRule> {
        let added = text.strip_prefix('+');
        Ok(Self {
            selector: added.unwrap_or(text).parse()?,
            extends: added.is_some(),
        })
    }
}

/// The rules selected by one source: a configuration file or a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleChoice {
    /// The enabled rules, replacing earlier choices unless all of them extend these;
    /// `None` for no change.
    pub select: Option<Vec<Selection>>,
    /// Disabled rules.
    pub ignore: Vec<Selector>,
}

impl RuleChoice {
    /// Returns the rules that are enabled after all `choices`, where later ones take
    /// precedence. Initially all are enabled.
    ///
    /// Within a choice the selector of fewer rules takes precedence, and `ignore` in case
    /// of a tie.
    ///
    /// ```
    /// use review_lint::{Rule, RuleChoice};
    ///
    /// let choice = RuleChoice {
    ///     select: Some(vec!["B".parse()?]),
    ///     ignore: vec!["B4".parse()?],
    ///     ..RuleChoice::default()
    /// };
    /// let selected = RuleChoice::resolve([&choice]);
    /// assert!(selected.contains(&Rule::NoBackpressure));
    /// assert!(!selected.contains(&Rule::FilterMissesTests));
    /// # Ok::<(), review_lint::UnknownRule>(())
    /// ```
    #[must_use]
    pub fn resolve<'a>(choices: impl IntoIterator<Item = &'a Self>) -> BTreeSet<Rule> {
        let mut on: BTreeSet<_> = Selector::All.rules().collect();
        for choice in choices {
            if choice.replaces() {
                on.clear();
            }
            for (selector, is_on) in choice.by_weight() {
                match is_on {
                    true => on.extend(selector.rules()),
                    false => on.retain(|rule| !selector.contains(*rule)),
                }
            }
        }
        on
    }

    fn replaces(&self) -> bool {
        let select = self.select.as_deref();
        select.is_some_and(|all| all.is_empty() || all.iter().any(|one| !one.extends))
    }

    /// The selectors, the strongest last, with whether they enable rules.
    fn by_weight(&self) -> Vec<(Selector, bool)> {
        let on = self.select.iter().flatten();
        let on = on.map(|selection| (selection.selector, true));
        let off = self.ignore.iter().map(|&selector| (selector, false));
        let mut all: Vec<_> = on.chain(off).collect();
        all.sort_by_key(|&(selector, is_on)| (selector, !is_on));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(rules: impl IntoIterator<Item = Rule>) -> Vec<&'static str> {
        rules.into_iter().map(Rule::code).collect()
    }

    fn choice(select: Option<&str>, ignore: &str) -> RuleChoice {
        let selections = |words: &str| {
            let words = words.split_whitespace();
            words.map(|word| word.parse().unwrap()).collect()
        };
        let ignored = ignore.split_whitespace();
        RuleChoice {
            select: select.map(selections),
            ignore: ignored.map(|word| word.parse().unwrap()).collect(),
        }
    }

    #[test]
    fn a_selector_is_one_rule_a_group_or_all() {
        for (text, shown, named) in [
            ("g2", "G2", &["G2"][..]),
            ("unclosed-fence", "S3", &["S3"]),
            ("f", "F", &["F1"]),
        ] {
            let selector: Selector = text.parse().unwrap();
            assert_eq!(selector.to_string(), shown);
            assert_eq!(codes(selector.rules()), named, "{text}");
        }
        assert_eq!(Selector::All.rules().count(), Rule::ALL.len());
        assert_eq!("all".parse(), Ok(Selector::All));
        let group: Selector = "S".parse().unwrap();
        assert!(codes(group.rules()).starts_with(&["S1", "S2", "S3"]));
        assert!(
            codes(group.rules())
                .iter()
                .all(|code| code.starts_with('S'))
        );
    }

    #[test]
    fn an_unknown_selector_has_similar_names() {
        for (text, near) in [
            ("filter-selects-nothin", Some("filter-selects-nothing")),
            ("B33", Some("B3")),
            ("Q", None),
            ("", None),
            ("3", None),
        ] {
            let error = text.parse::<Selector>().unwrap_err();
            assert_eq!(error.nearest.first().copied(), near, "{text:?}");
            assert_eq!(error.to_string(), format!("unknown rule {text:?}"));
        }
    }

    #[test]
    fn the_selector_of_fewer_rules_takes_precedence() {
        for (choice, expected) in [
            (choice(Some("S1 S2"), "S1"), &["S2"][..]),
            (choice(Some("S1"), "S"), &["S1"]),
            (choice(Some("ALL"), "ALL"), &[]),
            (choice(Some("S1 +F1"), "ALL"), &["F1", "S1"]),
            (choice(Some("+F"), "ALL"), &["F1"]),
        ] {
            let mut on = codes(RuleChoice::resolve([&choice]));
            on.sort_unstable();
            assert_eq!(on, expected, "{choice:?}");
        }
        let group = RuleChoice::resolve([&choice(Some("S"), "S1 ALL")]);
        assert!(!group.contains(&Rule::EmptySection));
        assert!(group.contains(&Rule::UndecidedText));
        assert!(!group.contains(&Rule::SelfDependency));
    }

    #[test]
    fn a_later_choice_replaces_earlier_ones_only_if_it_selects() {
        let first = choice(Some("S1 S2"), "S2");
        for (second, expected) in [
            (choice(None, ""), &["S1"][..]),
            (choice(Some("+F1"), ""), &["F1", "S1"]),
            (choice(None, "S"), &[]),
            (choice(Some("S2"), ""), &["S2"]),
            (choice(Some(""), ""), &[]),
        ] {
            let mut on = codes(RuleChoice::resolve([&first, &second]));
            on.sort_unstable();
            assert_eq!(on, expected, "{second:?}");
        }
        let all = RuleChoice::resolve([]);
        assert_eq!(all.len(), Rule::ALL.len());
        let off = RuleChoice::resolve([&choice(None, "S1")]);
        assert_eq!(off.len(), Rule::ALL.len() - 1);
    }

    #[test]
    fn a_selector_round_trips_as_a_string() {
        let selector: Selector = serde_json::from_str("\"empty-section\"").unwrap();
        assert_eq!(serde_json::to_string(&selector).unwrap(), "\"S1\"");
        let error = serde_json::from_str::<Selector>("\"S77\"").unwrap_err();
        let message = "unknown rule \"S77\"; did you mean `S`?";
        assert_eq!(error.to_string(), message);
        let selection: Selection = serde_json::from_str("\"+s1\"").unwrap();
        assert_eq!(serde_json::to_string(&selection).unwrap(), "\"+S1\"");
    }
}
