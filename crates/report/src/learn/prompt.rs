//! Prompts that change, and their versions.

use std::num::NonZeroU32;

use review_learning::AgentName;
use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::Lesson;
use review_learning::prompt::{ActiveVersion, Change, Performance, PromptVersion, VersionChange};
use review_types::{Hash, Timestamp, plural};
use serde::Serialize;
use serde_json::Value as Json;

use super::entry::short;
use crate::json::value;
use crate::style::{FAINT, GOOD, RESET, STRONG};
use crate::text::{fields, one_line, printable};

/// A prompt after an update.
#[derive(Debug, Serialize)]
pub struct PromptUpdate<'a> {
    /// Whose prompt.
    pub agent: &'a AgentName,
    /// The version that is in use now.
    pub version: u32,
    /// The version that was in use before.
    pub previous: u32,
    /// Whether a version was made.
    pub changed: bool,
    /// The changes of the version that was made.
    pub changes: &'a [Change],
    /// The lessons whose state changed.
    pub lessons: &'a [Lesson],
    /// Whether lessons were applied without an approval.
    #[serde(skip)]
    pub unasked: bool,
}

/// A prompt of which an earlier version is in use again.
#[derive(Debug, Serialize)]
pub struct PromptRollback<'a> {
    /// Whose prompt.
    pub agent: &'a AgentName,
    /// The version that was in use.
    pub from: u32,
    /// The version that is in use now.
    pub to: u32,
    /// The lessons whose state changed.
    pub lessons: &'a [Lesson],
}

/// Returns an update as users read it.
#[must_use]
pub fn prompt_update(update: &PromptUpdate<'_>) -> String {
    let (agent, before) = (printable(update.agent.as_str()), update.previous);
    if !update.changed {
        return format!(
            "{STRONG}{agent}{RESET} stays at version {before}: nothing is approved that is not in it\n"
        );
    }
    let changes = plural(update.changes.len(), "change", "changes");
    let unasked = match update.unasked {
        true => format!(" {FAINT}without asking: approval is not required{RESET}"),
        false => String::new(),
    };
    format!(
        "{STRONG}{agent}{RESET} {GOOD}version {before} → {}{RESET}, {changes}{unasked}\n",
        update.version
    )
}

/// Returns a rollback as users read it.
#[must_use]
pub fn prompt_rollback(rollback: &PromptRollback<'_>) -> String {
    let PromptRollback { from, to, .. } = rollback;
    let agent = printable(rollback.agent.as_str());
    if from == to {
        return format!("{STRONG}{agent}{RESET} stays at version {to}\n");
    }
    let lessons = match rollback.lessons.len() {
        0 => String::new(),
        count => format!(", {} changed", plural(count, "lesson", "lessons")),
    };
    format!("{STRONG}{agent}{RESET} {GOOD}version {from} → {to}{RESET}{lessons}\n")
}

/// The versions of a prompt, and how each came into use.
#[derive(Debug, Serialize)]
pub struct PromptHistory<'a> {
    /// Whose prompt.
    pub agent: &'a AgentName,
    /// The version that is in use; 0 for none.
    pub active: u32,
    /// Since when; `null` where nothing else was in use.
    pub since: Option<Timestamp>,
    /// The version that was in use before.
    pub previous: Option<u32>,
    /// The versions, the first one first.
    pub versions: Vec<HistoryEntry>,
    /// How the version in use changed, the oldest change first.
    pub changes: Vec<VersionChange>,
    /// The lessons that the versions hold.
    pub lessons: Vec<Lesson>,
    /// What the version in use changed, as a unified diff; `null` for the first one.
    pub diff: Option<String>,
    /// The feedback that was collected, oldest first.
    pub entries: Vec<FeedbackEntry>,
}

impl<'a> PromptHistory<'a> {
    /// That of an agent which has feedback and no prompt.
    #[must_use]
    pub fn of_feedback(agent: &'a AgentName, entries: Vec<FeedbackEntry>) -> Self {
        Self {
            agent,
            active: 0,
            since: None,
            previous: None,
            versions: Vec::new(),
            changes: Vec::new(),
            lessons: Vec::new(),
            diff: None,
            entries,
        }
    }
}

/// A version in a history.
#[derive(Debug, Serialize)]
pub struct HistoryEntry {
    active: bool,
    /// The version without its content.
    #[serde(flatten)]
    version: Json,
    rolled_back: Option<VersionChange>,
    /// Whether a process that ended early made it, so that none came to use it.
    never_used: bool,
}

impl HistoryEntry {
    /// A version, where another one or the same is in use.
    #[must_use]
    pub fn new(
        version: &PromptVersion,
        current: &PromptVersion,
        active: Option<&ActiveVersion>,
    ) -> Self {
        let rolled_back = active.and_then(|active| active.rolled_back(version.version));
        let changes = active.map_or(&[][..], |active| &active.changes);
        let is_known =
            |change: &VersionChange| change.from == version.version || change.to == version.version;
        let mut of_version = value(version);
        if let Some(fields) = of_version.as_object_mut() {
            fields.retain(|name, _| !["agent", "content"].contains(&&**name));
        }
        Self {
            active: version.version == current.version,
            rolled_back: rolled_back.cloned(),
            never_used: !changes.is_empty() && !changes.iter().any(is_known),
            version: of_version,
        }
    }
}

/// Returns a history as users read it, but for the diff and the feedback: the versions, their
/// lessons in words, and the changes of the version in use.
#[must_use]
pub fn prompt_history(history: &PromptHistory<'_>) -> String {
    let mut others = value(history);
    if let Some(others) = others.as_object_mut() {
        others.retain(|name, _| !["lessons", "diff", "entries"].contains(&&**name));
    }
    let lessons = history.lessons.iter().map(|lesson| {
        let id = short(lesson.id.as_str());
        format!("{STRONG}{id}{RESET}  {}\n", one_line(lesson.constraint()))
    });
    fields(&others, "") + &lessons.collect::<String>()
}

/// The prompts that agents are given.
#[derive(Debug, Serialize)]
pub struct PromptList {
    /// The prompts.
    pub prompts: Vec<ListedPrompt>,
}

/// A prompt with the version that is in use.
#[derive(Debug, Serialize)]
pub struct ListedPrompt {
    /// Whose prompt.
    pub name: AgentName,
    /// The version that is part of the program; `null` for an agent that is
    /// not one of our roles.
    pub embedded: Option<NonZeroU32>,
    /// The version that is in use.
    pub active: NonZeroU32,
    /// Hash of its content.
    pub hash: Hash,
    /// The number of lessons in it.
    pub lessons: usize,
}

/// A version of a prompt with its content.
#[derive(Debug, Serialize)]
pub struct ShownPrompt<'a> {
    /// Whose prompt.
    pub name: &'a AgentName,
    /// The version.
    pub version: NonZeroU32,
    /// Whether it is in use.
    pub active: bool,
    /// Hash of its content.
    pub hash: Hash,
    /// The lessons in it.
    pub applied_lessons: &'a [String],
    /// How it does; `null` where no run used it.
    pub performance: Option<Performance>,
    /// Its content.
    pub text: &'a str,
}

impl ListedPrompt {
    fn line(&self) -> String {
        let embedded = match self.embedded {
            Some(version) if version == self.active => ", as it is in the program",
            Some(_) | None => "",
        };
        let lessons = plural(self.lessons, "lesson", "lessons");
        format!(
            "{STRONG}{}{RESET}  v{} {FAINT}{}{RESET}  {lessons}{embedded}\n",
            printable(self.name.as_str()),
            self.active,
            self.hash.short()
        )
    }
}

/// Returns the prompts as users read them.
#[must_use]
pub fn prompts(list: &PromptList) -> String {
    list.prompts.iter().map(ListedPrompt::line).collect()
}
