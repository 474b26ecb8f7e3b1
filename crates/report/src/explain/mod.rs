//! What the codes and words of reports mean.

mod agent;
mod block;
mod exit;
mod markdown;
mod task;

use review_document::near::nearest;
use review_learning::{corrections, object};
use review_lint::{Criterion, Profile, Rule, Safety, Selector, Severity};
use review_schema::actionable;
use review_types::diagnostic::DiagnosticCode;
use review_types::{BlockCode, ExitCode};
use serde::Serialize;

use crate::json::Version;
use crate::style::{FAINT, RESET, STRONG};
use crate::text::printable;

pub use markdown::markdown;

/// The kind of thing that an entry explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Rule,
    ExitCode,
    BlockCode,
    AgentOutcome,
    TaskState,
    Diagnostic,
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::Rule,
        Self::ExitCode,
        Self::BlockCode,
        Self::AgentOutcome,
        Self::TaskState,
        Self::Diagnostic,
    ];

    /// The heading of the entries of this kind.
    const fn heading(self) -> &'static str {
        match self {
            Self::Rule => "Rules of the embedded reviewer",
            Self::ExitCode => "Exit codes",
            Self::BlockCode => "Block codes: why a run is blocked",
            Self::AgentOutcome => "How a call to an agent ends without an answer",
            Self::TaskState => "The state of a task after its turn",
            Self::Diagnostic => "Diagnostics: what is wrong with a file that is validated",
        }
    }
}

/// One thing that can be explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    kind: Kind,
    code: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<RuleFacts>,
    summary: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
}

/// The facts of a rule beside its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct RuleFacts {
    severity: Severity,
    criterion: Criterion,
    fixes: &'static [Safety],
    profile: Profile,
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
        if self.profile != Profile::Default {
            line.push_str(&format!(", on with `lint.profile = \"{}\"`", self.profile));
        }
        line
    }
}

impl Entry {
    fn new(kind: Kind, code: impl Into<String>, summary: &str, text: impl Into<String>) -> Self {
        Self {
            kind,
            code: code.into(),
            name: None,
            rule: None,
            summary: summary.to_owned(),
            text: text.into(),
        }
    }

    fn rule(rule: Rule) -> Self {
        Self {
            name: Some(rule.name()),
            rule: Some(RuleFacts {
                severity: rule.severity(),
                criterion: rule.criterion(),
                fixes: rule.fixes(),
                profile: rule.profile(),
            }),
            ..Self::new(Kind::Rule, rule.code(), rule.summary(), rule.docs())
        }
    }

    fn is_called(&self, word: &str) -> bool {
        self.code.eq_ignore_ascii_case(word)
            || self
                .name
                .is_some_and(|name| name.eq_ignore_ascii_case(word))
    }
}

/// Explanations. This is the object that `--format json` prints.
#[derive(Debug, Serialize)]
pub struct Explanations {
    v: Version,
    /// What is explained.
    pub entries: Vec<Entry>,
}

impl Explanations {
    /// These entries.
    #[must_use]
    pub fn new(entries: Vec<Entry>) -> Self {
        Self {
            v: Version,
            entries,
        }
    }
}

/// Nothing is called so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing is called \"{word}\"")]
pub struct UnknownWord {
    /// The word.
    pub word: String,
    /// Words that are similar.
    pub near: Vec<String>,
}

/// Returns the entries that a word means: those of its name, else the rules of its
/// group.
///
/// # Errors
/// [`UnknownWord`] when nothing is called so.
pub fn find(word: &str) -> Result<Vec<Entry>, UnknownWord> {
    let all = entries();
    let is_meant: Vec<bool> = all.iter().map(|entry| entry.is_called(word)).collect();
    if is_meant.contains(&true) {
        let meant = all.into_iter().zip(is_meant);
        return Ok(meant
            .filter_map(|(entry, meant)| meant.then_some(entry))
            .collect());
    }
    match word.parse::<Selector>() {
        Ok(selector) => Ok(selector.rules().map(Entry::rule).collect()),
        Err(_) => {
            let names = all
                .iter()
                .flat_map(|entry| [Some(entry.code.as_str()), entry.name]);
            let near = nearest(word, names.flatten(), 3);
            Err(UnknownWord {
                word: word.to_owned(),
                near: near.into_iter().map(str::to_owned).collect(),
            })
        }
    }
}

/// Returns everything that can be explained.
#[must_use]
pub fn entries() -> Vec<Entry> {
    let rules = Rule::ALL.iter().copied().map(Entry::rule);
    let exits = ExitCode::ALL.iter().map(|code| {
        let (summary, text) = exit::explain(*code);
        Entry::new(Kind::ExitCode, code.get().to_string(), summary, text)
    });
    let blocks = BlockCode::ALL.iter().map(|code| {
        let (summary, text) = block::explain(*code);
        let outcome = code.outcome();
        let exit = outcome.exit_code().get();
        let text =
            format!("{text}\nA run that is blocked so is {outcome} and exits with {exit}.\n");
        Entry::new(Kind::BlockCode, code.as_str(), summary, text)
    });
    let agents = agent::failures().map(|failure| {
        let (summary, text) = agent::explain(&failure);
        Entry::new(Kind::AgentOutcome, failure.as_str(), summary, text)
    });
    let tasks = task::STATES.iter().map(|state| {
        let (summary, text) = task::explain(*state);
        Entry::new(Kind::TaskState, state.as_str(), summary, text)
    });
    let diagnosed = diagnostics::<corrections::Code>("ralph corrections validate")
        .chain(diagnostics::<actionable::Code>("ralph feedback validate"))
        .chain(diagnostics::<object::Code>("ralph learn config check"));
    rules
        .chain(exits)
        .chain(blocks)
        .chain(agents)
        .chain(tasks)
        .chain(diagnosed)
        .collect()
}

/// The diagnostics that `command` reports.
fn diagnostics<C: DiagnosticCode>(command: &str) -> impl Iterator<Item = Entry> {
    C::ALL.iter().map(move |code| {
        let (list, advice) = (code.list().as_str(), code.advice());
        let text = format!("{advice}\n`{command}` tells it; it is one of the list \"{list}\".\n");
        Entry::new(Kind::Diagnostic, code.as_str(), code.summary(), text)
    })
}

/// Returns an entry as users read it.
#[must_use]
pub fn page(entry: &Entry) -> String {
    let name = entry
        .name
        .map(|name| format!(" {name}"))
        .unwrap_or_default();
    let mut page = format!("{STRONG}{}{name}{RESET}\n", entry.code);
    if let Some(rule) = entry.rule {
        page.push_str(&format!("{FAINT}{}{RESET}\n", rule.line()));
    }
    page.push_str(&format!("\n{}\n", entry.summary));
    if !entry.text.is_empty() {
        page.push('\n');
        page.push_str(&printable(&entry.text));
    }
    page
}

/// Returns the entries in a list, as users read it.
#[must_use]
pub fn listing(all: &[Entry]) -> String {
    let mut text = String::new();
    for kind in Kind::ALL {
        let of_kind = || all.iter().filter(|entry| entry.kind == kind);
        let width = |of: fn(&Entry) -> usize| of_kind().map(of).max().unwrap_or(0);
        let codes = width(|entry| entry.code.len());
        let names = width(|entry| entry.name.map_or(0, |name| name.len() + 2));
        let blank = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{blank}{STRONG}{}{RESET}\n", kind.heading()));
        for entry in of_kind() {
            let name = entry.name.unwrap_or_default();
            text.push_str(&format!(
                "  {:codes$}  {name:names$}{}\n",
                entry.code, entry.summary
            ));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_word_is_explained_and_only_two_have_two_meanings() {
        let entries = entries();
        let words = entries
            .iter()
            .flat_map(|entry| [Some(entry.code.as_str()), entry.name])
            .flatten();
        let (mut seen, mut twice) = (BTreeSet::new(), BTreeSet::new());
        for word in words {
            if !seen.insert(word) {
                twice.insert(word);
            }
        }
        assert_eq!(twice, BTreeSet::from(["failed", "offline", "rate_limited"]));
        for entry in &entries {
            assert!(entry.summary.ends_with('.'), "{entry:?}");
            assert!(entry.text.ends_with('\n'), "{entry:?}");
        }
    }
}
