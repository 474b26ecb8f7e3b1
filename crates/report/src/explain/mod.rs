//! What the codes and words of reports mean.

mod agent;
mod block;
mod exit;
mod lane;
mod markdown;
mod task;
mod term;
mod word;

use std::collections::BTreeSet;

use review_document::near::nearest;
use review_events::{AttemptCode, ChangeFlag, TestResult};
use review_learning::{corrections, object};
use review_lint::{Criterion, Profile, Rule, Safety, Selector, Severity};
use review_schema::actionable;
use review_types::diagnostic::{DiagnosticCode, List};
use review_types::{
    Aspect, BlockCode, DecisionStatus, ExitCode, FindingEvidence, FindingStatus, LandCode, Outcome,
    ReadingState, StartCode, TaskStatus, Verdict, plural,
};
use serde::Serialize;

use crate::gate::ClaimStatus;
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
    Outcome,
    Verdict,
    Criterion,
    Aspect,
    Severity,
    FindingStatus,
    Evidence,
    Reading,
    Decision,
    TaskState,
    Attempt,
    Flag,
    Landing,
    Start,
    TaskStatus,
    Claim,
    Test,
    Fix,
    Term,
    Diagnostic,
}

impl Kind {
    const ALL: [Self; 24] = [
        Self::Rule,
        Self::ExitCode,
        Self::BlockCode,
        Self::AgentOutcome,
        Self::Outcome,
        Self::Verdict,
        Self::Criterion,
        Self::Aspect,
        Self::Severity,
        Self::FindingStatus,
        Self::Evidence,
        Self::Reading,
        Self::Decision,
        Self::TaskState,
        Self::Attempt,
        Self::Flag,
        Self::Landing,
        Self::Start,
        Self::TaskStatus,
        Self::Claim,
        Self::Test,
        Self::Fix,
        Self::Term,
        Self::Diagnostic,
    ];

    /// The word for all entries of this kind.
    const fn group(self) -> &'static str {
        match self {
            Self::Rule => "rules",
            Self::ExitCode => "exit-codes",
            Self::BlockCode => "block-codes",
            Self::AgentOutcome => "agent-outcomes",
            Self::Outcome => "outcomes",
            Self::Verdict => "verdicts",
            Self::Criterion => "criteria",
            Self::Aspect => "aspects",
            Self::Severity => "severities",
            Self::FindingStatus => "finding-statuses",
            Self::Evidence => "evidence",
            Self::Reading => "reading",
            Self::Decision => "decisions",
            Self::TaskState => "task-states",
            Self::Attempt => "attempts",
            Self::Flag => "flags",
            Self::Landing => "landing",
            Self::Start => "start",
            Self::TaskStatus => "task-statuses",
            Self::Claim => "claims",
            Self::Test => "test-results",
            Self::Fix => "fixes",
            Self::Term => "terms",
            Self::Diagnostic => "diagnostics",
        }
    }

    /// Whether there are too many entries of this kind for an overview.
    const fn is_large(self) -> bool {
        matches!(self, Self::Rule | Self::Diagnostic)
    }

    /// The heading of the entries of this kind.
    const fn heading(self) -> &'static str {
        match self {
            Self::Rule => "Rules of the embedded reviewer",
            Self::ExitCode => "Exit codes",
            Self::BlockCode => "Block codes: why a run is blocked",
            Self::AgentOutcome => "How a call to an agent ends without an answer",
            Self::Outcome => "Outcomes: how a run ends",
            Self::Verdict => "Verdicts of a reviewer",
            Self::Criterion => "Criteria: what scores are about",
            Self::Aspect => "Aspects of quality: what an item of feedback is about",
            Self::Severity => "Severities of feedback, and of findings of rules",
            Self::FindingStatus => "The status of a finding",
            Self::Evidence => "What shows that a finding is about the artifact",
            Self::Reading => "Whether the text of a review was delivered",
            Self::Decision => "What an applier decides on feedback",
            Self::TaskState => "The state of a task after its turn",
            Self::Attempt => "Why an attempt of an agent at a task was not accepted",
            Self::Flag => "What is remarkable about an accepted change of an agent",
            Self::Landing => "Why finished work of agents is not on the target branch",
            Self::Start => "Why a run in which agents implement tasks does not start or go on",
            Self::TaskStatus => "The status in a task's file",
            Self::Claim => "What becomes of a claim in the gate",
            Self::Test => "The result of a test that a task lists",
            Self::Fix => "How safe a fix is",
            Self::Term => "Other words of reports",
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
                .flat_map(|entry| [Some(entry.code.as_str()), entry.name])
                .flatten()
                .chain(Kind::ALL.map(Kind::group));
            let near = nearest(word, names, 3);
            Err(UnknownWord {
                word: word.to_owned(),
                near: near.into_iter().map(str::to_owned).collect(),
            })
        }
    }
}

/// Returns all words that [`find`] and [`group`] know, each once.
#[must_use]
pub fn names() -> Vec<String> {
    let entries = entries().into_iter();
    let words = entries.flat_map(|entry| [Some(entry.code), entry.name.map(str::to_owned)]);
    let groups = Kind::ALL.map(|kind| kind.group().to_owned());
    let names: BTreeSet<_> = words.flatten().chain(groups).collect();
    names.into_iter().collect()
}

/// Returns the entries of a group such as `block-codes`; `None` when no group is called
/// so.
#[must_use]
pub fn group(word: &str) -> Option<Vec<Entry>> {
    let kind = Kind::ALL.into_iter().find(|kind| kind.group() == word)?;
    let entries = entries().into_iter();
    Some(entries.filter(|entry| entry.kind == kind).collect())
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
    let words = words();
    let diagnosed = diagnostics::<corrections::Code>("ralph corrections validate")
        .chain(diagnostics::<actionable::Code>("ralph feedback validate"))
        .chain(diagnostics::<object::Code>("ralph learn config check"));
    rules
        .chain(exits)
        .chain(blocks)
        .chain(agents)
        .chain(tasks)
        .chain(words)
        .chain(diagnosed)
        .collect()
}

/// The words of closed lists that reports use, and other words.
fn words() -> Vec<Entry> {
    fn of<T: Copy>(
        kind: Kind,
        all: &'static [T],
        word: fn(T) -> &'static str,
        meaning: fn(T) -> (&'static str, &'static str),
    ) -> impl Iterator<Item = Entry> {
        all.iter().map(move |value| {
            let (summary, text) = meaning(*value);
            Entry::new(kind, word(*value), summary, text)
        })
    }
    let severities = review_types::Severity::ALL;
    let terms = term::TERMS.iter();
    of(Kind::Outcome, Outcome::ALL, Outcome::as_str, word::outcome)
        .chain(of(
            Kind::Verdict,
            &Verdict::ALL,
            Verdict::as_str,
            word::verdict,
        ))
        .chain(of(
            Kind::Criterion,
            &Criterion::ALL,
            Criterion::as_str,
            word::criterion,
        ))
        .chain(of(Kind::Aspect, Aspect::ALL, Aspect::as_str, word::aspect))
        .chain(of(
            Kind::Severity,
            severities,
            review_types::Severity::as_str,
            word::severity,
        ))
        .chain(of(
            Kind::Severity,
            &Severity::ALL,
            Severity::as_str,
            word::rule_severity,
        ))
        .chain(of(
            Kind::FindingStatus,
            FindingStatus::ALL,
            FindingStatus::as_str,
            word::finding,
        ))
        .chain(of(
            Kind::Evidence,
            FindingEvidence::ALL,
            FindingEvidence::as_str,
            word::evidence,
        ))
        .chain(of(
            Kind::Reading,
            ReadingState::ALL,
            ReadingState::as_str,
            word::reading,
        ))
        .chain(of(
            Kind::Decision,
            DecisionStatus::ALL,
            DecisionStatus::as_str,
            word::decision,
        ))
        .chain(of(
            Kind::Attempt,
            AttemptCode::ALL,
            AttemptCode::as_str,
            lane::attempt,
        ))
        .chain(of(
            Kind::Flag,
            ChangeFlag::ALL,
            ChangeFlag::as_str,
            lane::flag,
        ))
        .chain(of(
            Kind::Landing,
            LandCode::ALL,
            LandCode::as_str,
            lane::landing,
        ))
        .chain(of(
            Kind::Start,
            StartCode::ALL,
            StartCode::as_str,
            lane::start,
        ))
        .chain(of(
            Kind::TaskStatus,
            &TaskStatus::ALL,
            TaskStatus::as_str,
            word::task_status,
        ))
        .chain(of(
            Kind::Claim,
            &ClaimStatus::ALL,
            ClaimStatus::as_str,
            word::claim,
        ))
        .chain(of(
            Kind::Test,
            &TestResult::ALL,
            TestResult::as_str,
            word::test,
        ))
        .chain(of(
            Kind::Fix,
            &[Safety::Safe, Safety::Unsafe],
            Safety::as_str,
            word::safety,
        ))
        .chain(terms.map(|(word, summary, text)| Entry::new(Kind::Term, *word, summary, *text)))
        .collect()
}

/// The diagnostics that `command` reports.
fn diagnostics<C: DiagnosticCode>(command: &str) -> impl Iterator<Item = Entry> {
    C::ALL.iter().map(move |code| {
        let source = match code.list() {
            List::Schema => "of the published schema",
            List::Rule => "of ralph, not of the published schema",
        };
        let advice = code.advice();
        let text = format!("{advice}\nReported by `{command}`. A rule {source}.\n");
        Entry::new(Kind::Diagnostic, code.as_str(), code.summary(), text)
    })
}

/// Returns entries as users read them. Where one word has several meanings, each says
/// what it is about.
#[must_use]
pub fn pages(entries: &[Entry]) -> String {
    let is_ambiguous = match entries {
        [first, rest @ ..] => rest.iter().any(|entry| entry.code == first.code),
        [] => false,
    };
    let pages = entries.iter().map(|entry| page(entry, is_ambiguous));
    pages.collect::<Vec<_>>().join("\n")
}

fn page(entry: &Entry, with_kind: bool) -> String {
    let name = entry
        .name
        .map(|name| format!(" {name}"))
        .unwrap_or_default();
    let mut page = format!("{STRONG}{}{name}{RESET}\n", entry.code);
    if let Some(rule) = entry.rule {
        page.push_str(&format!("{FAINT}{}{RESET}\n", rule.line()));
    }
    if with_kind {
        page.push_str(&format!("{FAINT}{}{RESET}\n", entry.kind.heading()));
    }
    page.push_str(&format!("\n{}\n", entry.summary));
    if !entry.text.is_empty() {
        page.push('\n');
        page.push_str(&printable(&entry.text));
    }
    page
}

/// Returns an overview of all that can be explained, as users read it: the groups with the
/// names in them.
#[must_use]
pub fn overview() -> String {
    let all = entries();
    let mut text = String::new();
    for kind in Kind::ALL {
        let names = all.iter().filter(|entry| entry.kind == kind);
        let names: Vec<_> = names.map(|entry| entry.code.as_str()).collect();
        text.push_str(&format!("{STRONG}{}{RESET}\n", kind.heading()));
        if kind.is_large() {
            let count = plural(names.len(), "code", "codes");
            text.push_str(&format!("  {count}: `ralph explain {}`\n", kind.group()));
            continue;
        }
        text.push_str(&wrapped(&names));
    }
    text.push_str(
        "\n`ralph explain NAME` explains one of them, `ralph explain GROUP` lists a group:\n",
    );
    text.push_str(&wrapped(&Kind::ALL.map(Kind::group)));
    text
}

/// Words in indented lines.
fn wrapped(words: &[&str]) -> String {
    const WIDTH: usize = 78;
    let mut text = String::new();
    let mut line = String::new();
    for word in words {
        if line.len() + word.len() + 2 > WIDTH {
            text.push_str(&format!(" {line}\n"));
            line.clear();
        }
        line.push(' ');
        line.push_str(word);
    }
    text.push_str(&format!(" {line}\n"));
    text
}

/// Returns the entries in a list, as users read it.
#[must_use]
pub fn listing(all: &[Entry]) -> String {
    let mut text = String::new();
    for kind in Kind::ALL {
        let of_kind = || all.iter().filter(|entry| entry.kind == kind);
        if of_kind().next().is_none() {
            continue;
        }
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
    use super::*;

    #[test]
    fn only_these_words_have_several_meanings() {
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
        let expected = [
            "baseline_red",
            "blocked",
            "completeness",
            "consistency",
            "disputed",
            "error",
            "failed",
            "gate_not_red",
            "no_change",
            "no_tests",
            "no_verdict",
            "not_run",
            "offline",
            "partial",
            "passed",
            "rate_limited",
            "rejected",
            "setup_failed",
            "skipped",
            "testability",
            "tests_changed",
            "tests_missing",
            "too_large",
            "unknown",
            "unread",
        ];
        assert_eq!(twice, BTreeSet::from(expected));
        for entry in &entries {
            assert!(entry.summary.ends_with('.'), "{entry:?}");
            assert!(entry.text.ends_with('\n'), "{entry:?}");
        }
    }
}
