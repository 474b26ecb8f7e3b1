//! `ralph learn show`: lessons, entries of feedback, and the prompts of agents.

use clap::Args;

use review_engine::EngineError;
use review_engine::learn::find_by_id;
use review_learning::AgentName;
use review_learning::feedback::FeedbackEntry;
use review_learning::prompt::PromptVersion;
use review_report::learn::{
    HistoryEntry, LessonList, PromptHistory, entries, entry, lesson, lessons, prompt_history,
    waiting_group,
};
use review_store::FeedbackStore;

use super::status::listed;
use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::learning::{Place, not_found};
use crate::output::{coloured, printable, unified};

#[derive(Debug, Args)]
pub(crate) struct LearnShowArgs {
    /// An agent, or the id of a lesson or of an entry, or the beginning of it [default:
    /// all lessons].
    #[arg(value_name = "AGENT|ID")]
    of: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Shows what is named, or lists the lessons.
pub(super) fn run(context: &mut Context, args: &LearnShowArgs) -> CommandResult {
    let place = Place::current(context, &[])?;
    let Some(of) = &args.of else {
        let list = LessonList {
            lessons: listed(&place)?,
            waiting: place.waiting()?,
        };
        return context.show(args.format, &list, lessons);
    };
    let learner = place.learner()?;
    let store = learner.feedback()?;
    let name = AgentName::from(of.as_str());
    let is_agent = store.entries().iter().any(|entry| entry.agent == name)
        || learner.agents()?.contains(&name);
    if is_agent {
        return agent(context, &place, &store, &name, args.format);
    }
    let format = args.format;
    let lessons = learner.lessons(None)?;
    let of_lessons = lessons.iter().map(|lesson| &lesson.id);
    let ids = store.entries().iter().map(|entry| &entry.id);
    let Some(id) = find_by_id(of, ids.chain(of_lessons), |id| id.as_str())? else {
        let group = place.group(of)?;
        return context.show(format, &group, |_| waiting_group(&group));
    };
    if let Some(found) = lessons.iter().find(|lesson| lesson.id == *id) {
        let sources = place.sources(found)?;
        let text = lesson(found, &sources, place.now);
        return context.show(format, found, |_| text);
    }
    let mut found = store.entries().iter().filter(|entry| entry.id == *id);
    let found = found.next().ok_or_else(|| not_found(of))?;
    context.show(format, found, |_| entry(found))
}

/// Shows the versions of the prompt of an agent, and its feedback.
fn agent(
    context: &mut Context,
    place: &Place,
    store: &FeedbackStore,
    agent: &AgentName,
    format: PlainFormat,
) -> CommandResult {
    warn_of_bad(context, store);
    let kept = store.entries().iter().filter(|entry| entry.agent == *agent);
    let history = history(place, agent, kept.cloned().collect())?;
    context.show(format, &history, |history| {
        let mut text = prompt_history(history);
        if let Some(diff) = &history.diff {
            text += &format!("\n{}", coloured(&printable(diff)));
        }
        if !history.entries.is_empty() {
            text += &format!("\n{}", entries(&history.entries));
        }
        text
    })
}

/// Warns of files that should hold an entry and do not.
fn warn_of_bad(context: &mut Context, store: &FeedbackStore) {
    for bad in store.bad() {
        let warning = format!("{} is left out: {}", bad.path, bad.message);
        context.streams.warn(&warning);
    }
}

fn history<'a>(
    place: &Place,
    agent: &'a AgentName,
    entries: Vec<FeedbackEntry>,
) -> Result<PromptHistory<'a>, CommandError> {
    let learner = place.learner()?;
    let current = match learner.current(agent) {
        // An agent of which there is feedback need have no prompt yet.
        Err(EngineError::Absent { .. }) if !entries.is_empty() => None,
        current => Some(current?),
    };
    let Some(current) = current else {
        return Ok(PromptHistory::of_feedback(agent, entries));
    };
    let files = learner.prompts()?;
    let active = files.active(agent)?;
    let mut kept = files.versions(agent)?;
    kept.insert(current.version);
    let versions: Result<Vec<PromptVersion>, EngineError> = kept
        .into_iter()
        .map(|version| {
            let mut version = learner.version(agent, version)?;
            version.performance = learner.measured(&version)?;
            Ok(version)
        })
        .collect();
    let versions = versions?;
    let mut lessons = learner.lessons(Some(agent))?;
    lessons.retain(|lesson| {
        let mut applied = versions.iter().flat_map(|version| &version.applied_lessons);
        applied.any(|id| id == lesson.id.as_str())
    });
    let entry = |version| HistoryEntry::new(version, &current, active.as_ref());
    let before = current.parent.map(|parent| learner.version(agent, parent));
    let diff = before.transpose()?.map(|before| {
        let name = |version| format!("{agent}/v{version}");
        let names = (name(before.version), name(current.version));
        unified((&names.0, &names.1), &before.content, &current.content)
    });
    Ok(PromptHistory {
        active: current.version.get(),
        since: active.as_ref().map(|active| active.since),
        previous: active
            .as_ref()
            .and_then(|active| active.previous)
            .map(Into::into),
        versions: versions.iter().map(entry).collect(),
        changes: active.map_or_else(Vec::new, |active| active.changes),
        lessons,
        diff,
        ..PromptHistory::of_feedback(agent, entries)
    })
}
