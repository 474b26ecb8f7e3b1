//! Prompts that change, and their versions.

use std::num::NonZeroU32;

use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::Lesson;
use review_learning::prompt::{
    ActiveVersion, Change, ChangeCause, Performance, PromptVersion, VersionChange,
};
use review_types::{Hash, Timestamp, plural};
use serde::Serialize;

use super::entry::short;
use crate::style::{ERROR, FAINT, GOOD, RESET, STRONG};
use crate::text::{one_line, printable};

/// A prompt after an update.
#[derive(Debug, Serialize)]
pub struct PromptUpdate<'a> {
    /// Whose prompt.
    pub agent: &'a str,
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
    pub agent: &'a str,
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
    let (agent, before) = (printable(update.agent), update.previous);
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
    let agent = printable(rollback.agent);
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
    pub agent: &'a str,
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
    pub fn of_feedback(agent: &'a str, entries: Vec<FeedbackEntry>) -> Self {
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
    version: u32,
    active: bool,
    parent: Option<u32>,
    created_at: Timestamp,
    approved_by: Option<String>,
    applied_lessons: Vec<String>,
    changes: Vec<Change>,
    performance: Option<Performance>,
    rolled_back: Option<VersionChange>,
    /// A process that ended early made the version, and none came to use it.
    #[serde(skip)]
    was_never_used: bool,
}

impl HistoryEntry {
    /// A version, where another one or the same is in use.
    #[must_use]
    pub fn new(
        version: PromptVersion,
        current: &PromptVersion,
        active: Option<&ActiveVersion>,
    ) -> Self {
        let rolled_back = active.and_then(|active| active.rolled_back(version.version));
        let changes = active.map_or(&[][..], |active| &active.changes);
        let is_known =
            |change: &VersionChange| change.from == version.version || change.to == version.version;
        Self {
            version: version.version.get(),
            active: version.version == current.version,
            parent: version.parent.map(Into::into),
            created_at: version.created_at,
            approved_by: version.approved_by,
            applied_lessons: version.applied_lessons,
            changes: version.changes,
            performance: version.performance,
            rolled_back: rolled_back.cloned(),
            was_never_used: !changes.is_empty() && !changes.iter().any(is_known),
        }
    }

    /// Whether the version holds the lesson of this id.
    #[must_use]
    pub fn holds(&self, id: &str) -> bool {
        self.applied_lessons.iter().any(|lesson| lesson == id)
    }

    fn lines(&self, lessons: &[Lesson]) -> String {
        let state = match (self.active, &self.rolled_back) {
            (true, _) => format!(" {GOOD}in use{RESET}"),
            (false, Some(_)) => format!(" {ERROR}rolled back{RESET}"),
            (false, None) if self.was_never_used => format!(" {FAINT}never in use{RESET}"),
            (false, None) => String::new(),
        };
        let mut facts = vec![plural(self.applied_lessons.len(), "lesson", "lessons")];
        if let Some(parent) = self.parent {
            facts.push(format!(
                "{} of v{parent}",
                plural(self.changes.len(), "change", "changes")
            ));
            facts.push(format!("made {}", self.created_at));
        }
        if let Some(by) = &self.approved_by {
            facts.push(format!("approved by {}", printable(by)));
        }
        let facts = facts.join(", ");
        let mut text = format!(
            "{STRONG}v{}{RESET}{state}  {FAINT}{facts}{RESET}\n",
            self.version
        );
        text.extend(self.performance.as_ref().map(performance_line));
        for id in &self.applied_lessons {
            let lesson = lessons.iter().find(|lesson| lesson.id.as_str() == id);
            let words = lesson.map_or("the lesson is not kept", Lesson::constraint);
            let id = short(id);
            text.push_str(&format!("     {FAINT}{id}{RESET}  {}\n", one_line(words)));
        }
        text
    }
}

/// Returns a history as users read it: the versions with their lessons, then the
/// changes of the version in use.
#[must_use]
pub fn prompt_history(history: &PromptHistory<'_>) -> String {
    let versions = history.versions.iter();
    let mut text: String = versions
        .map(|version| version.lines(&history.lessons))
        .collect();
    if !history.changes.is_empty() {
        text.push_str("\nchanges:\n");
    }
    text.extend(history.changes.iter().map(change_line));
    text
}

/// How a version does, next to the previous one.
fn performance_line(performance: &Performance) -> String {
    let step = |before: Option<f64>, after: Option<f64>, unit: &str| {
        let after = after.map_or_else(
            || "not scored".to_owned(),
            |after| format!("{after:.1}{unit}"),
        );
        match before {
            Some(before) => format!("{before:.1}{unit} → {after}"),
            None => after,
        }
    };
    let percent = |share: Option<f64>| share.map(|share| 100.0 * share);
    let errors = step(
        percent(performance.error_rate_before),
        percent(performance.error_rate_after),
        " %",
    );
    let quality = step(performance.quality_before, performance.quality_after, "");
    format!("     {FAINT}error rate {errors}, quality {quality}{RESET}\n")
}

fn change_line(change: &VersionChange) -> String {
    format!(
        "  {FAINT}{}{RESET}  v{} → v{}  {}\n",
        change.at,
        change.from,
        change.to,
        cause(change)
    )
}

/// What changed the version in use, by whom and why: `rolled back by ann: it hangs`.
pub(super) fn cause(change: &VersionChange) -> String {
    let what = match change.cause {
        ChangeCause::Update if change.reason.is_some() => "lessons were changed",
        ChangeCause::Update => "lessons were applied",
        ChangeCause::Rollback => "rolled back",
        ChangeCause::Degradation => "rolled back automatically",
        ChangeCause::Restore => "used again",
    };
    let by = change.by.as_deref().map(printable);
    let by = by.map_or_else(String::new, |by| format!(" by {by}"));
    let reason = change.reason.as_deref().map(one_line);
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    format!("{what}{by}{reason}")
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
    pub name: String,
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
    pub name: &'a str,
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
            printable(&self.name),
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
