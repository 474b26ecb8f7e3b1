//! What the codes of reports mean: the sections of `docs/reference/codes.md`, and the
//! documentation of the rules.

use std::collections::BTreeSet;

use review_document::near::nearest;
use review_lint::{Criterion, Rule, Safety, Selector, Severity};
use serde::Serialize;

use crate::style::{FAINT, RESET, STRONG};
use crate::text::printable;
use crate::wrap::wrapped;

/// The page of all codes but those of rules: a heading of level two for each group, and
/// one of level three for each code in it.
const PAGE: &str = include_str!("../../../docs/reference/codes.md");

/// The columns of a list of codes.
const WIDTH: usize = 78;

/// One thing that can be explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    group: &'static str,
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<RuleFacts>,
    summary: &'static str,
    text: String,
}

/// The facts of a rule beside its documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct RuleFacts {
    severity: Severity,
    criterion: Criterion,
    fixes: &'static [Safety],
}

impl RuleFacts {
    /// How safe the fixes are, in words; empty without any.
    fn fixes(self) -> String {
        let words: Vec<_> = self.fixes.iter().map(|safety| safety.as_str()).collect();
        words.join(" or ")
    }

    /// The line below the name of the rule.
    fn line(self) -> String {
        let mut line = format!("{}, {}", self.severity, self.criterion);
        if !self.fixes.is_empty() {
            line.push_str(&format!(", {} fix", self.fixes()));
        }
        line
    }
}

impl Entry {
    fn rule(rule: Rule) -> Self {
        Self {
            group: "Rules",
            code: rule.code(),
            name: Some(rule.name()),
            rule: Some(RuleFacts {
                severity: rule.severity(),
                criterion: rule.criterion(),
                fixes: rule.fixes(),
            }),
            summary: rule.summary(),
            text: rule.docs(),
        }
    }

    /// Its code and its name.
    fn words(&self) -> impl Iterator<Item = &'static str> {
        [Some(self.code), self.name].into_iter().flatten()
    }

    fn is_called(&self, word: &str) -> bool {
        self.words().any(|name| name.eq_ignore_ascii_case(word))
    }
}

/// Explanations. This is the object that `--format json` prints.
#[derive(Debug, Serialize)]
pub struct Explanations {
    /// What is explained.
    pub entries: Vec<Entry>,
}

/// Returns the entries that a word means: those of its name, or in a group such as
/// `block-codes`, else the rules of its group.
///
/// # Errors
/// The words that are similar, where nothing is called so.
pub fn find(word: &str) -> Result<Vec<Entry>, Vec<String>> {
    let mut all = entries();
    let words = all.iter().flat_map(Entry::words).map(str::to_owned);
    let groups = groups(&all).into_iter().map(word_of);
    let names: BTreeSet<_> = words.chain(groups).collect();
    let near = nearest(word, names.iter().map(String::as_str), 3);
    let near = near.into_iter().map(str::to_owned).collect();
    all.retain(|entry| entry.is_called(word) || word_of(entry.group) == word);
    match word.parse::<Selector>() {
        _ if !all.is_empty() => Ok(all),
        Ok(selector) => Ok(selector.rules().map(Entry::rule).collect()),
        Err(_) => Err(near),
    }
}

/// The word on the command line for the group of a heading.
fn word_of(heading: &str) -> String {
    heading.to_lowercase().replace(' ', "-")
}

/// The summary of a code of a group, and what follows it.
pub(crate) fn text_of(group: &str, code: &str) -> Option<(&'static str, String)> {
    let mut entries = entries().into_iter();
    let entry = entries.find(|entry| entry.group == group && entry.code == code)?;
    Some((entry.summary, entry.text))
}

/// The headings of the groups.
fn groups(entries: &[Entry]) -> Vec<&'static str> {
    let mut groups: Vec<_> = entries.iter().map(|entry| entry.group).collect();
    groups.dedup();
    groups
}

/// Returns everything that can be explained.
#[must_use]
pub fn entries() -> Vec<Entry> {
    let rules = Rule::ALL.iter().copied().map(Entry::rule);
    let groups = PAGE.split("\n## ").skip(1);
    let codes = groups.flat_map(|group| {
        let heading = group.lines().next().unwrap_or_default();
        let sections = group.split("\n### ").skip(1);
        sections.map(move |section| {
            let (code, text) = section.split_once('\n').unwrap_or((section, ""));
            let (summary, text) = text.trim().split_once("\n\n").unwrap_or((text.trim(), ""));
            Entry {
                group: heading,
                code,
                name: None,
                rule: None,
                summary,
                text: text.trim_end().to_owned(),
            }
        })
    });
    rules.chain(codes).collect()
}

/// Returns entries as users read them.
#[must_use]
pub fn pages(entries: &[Entry]) -> String {
    let pages = entries.iter().map(|entry| {
        let words: Vec<_> = entry.words().collect();
        let (words, text) = (words.join(" "), printable(&entry.text));
        let about = match entry.rule {
            Some(rule) => rule.line(),
            None => entry.group.to_owned(),
        };
        format!(
            "{STRONG}{words}{RESET}\n{FAINT}{about}{RESET}\n\n{}\n\n{}\n",
            entry.summary,
            text.trim_end()
        )
    });
    pages.collect::<Vec<_>>().join("\n")
}

/// Returns an overview of all that can be explained, as users read it: the groups with the
/// codes in them.
#[must_use]
pub fn overview() -> String {
    let all = entries();
    let mut text = String::new();
    for group in groups(&all) {
        let codes = all.iter().filter(|entry| entry.group == group);
        let codes: Vec<_> = codes.map(|entry| entry.code).collect();
        text.push_str(&format!("{STRONG}{group}{RESET}\n"));
        text.push_str(&wrapped(format!("  {}\n", codes.join(" ")), Some(WIDTH)));
    }
    text + "\n`ralph explain CODE` explains one of them, `ralph explain GROUP` a group, such as \
            block-codes.\n"
}

#[cfg(test)]
mod tests;
