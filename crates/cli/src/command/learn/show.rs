//! `ralph learn show`: lessons, entries of feedback, and the prompts of agents.

use clap::Args;
use std::collections::HashSet;

use review_engine::learn::{Evolution, LearnError, Record, find_record};
use review_learning::feedback::FeedbackEntry;
use review_report::learn::{
    HistoryEntry, LessonList, PromptHistory, Versioned, entries, entry, lesson, lessons,
    prompt_history, waiting_group,
};
use review_store::FeedbackStore;
use review_types::ExitCode;

use super::place::Place;
use super::status::{listed, waiting};
use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::learning::notices;
use crate::output::{Version, coloured, printable, unified};

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
    let place = Place::or_default(context)?;
    let Some(of) = &args.of else {
        let list = LessonList {
            v: Version,
            lessons: listed(context, &place, None)?,
            waiting: waiting(context, &place)?,
        };
        context.show(args.format, &list, lessons)?;
        return Ok(ExitCode::Passed);
    };
    let redactor = context.environment.redactor();
    let store = place.collector(&redactor).store()?;
    let is_agent = store.entries().iter().any(|entry| entry.agent == *of)
        || place.evolution()?.agents()?.contains(of);
    match is_agent {
        true => agent(context, &place, &store, of, args.format)?,
        false => record(context, &place, &store, of, args.format)?,
    }
    Ok(ExitCode::Passed)
}

/// Shows the entry or the lesson whose id starts so.
fn record(
    context: &mut Context,
    place: &Place,
    store: &FeedbackStore,
    id: &str,
    format: PlainFormat,
) -> Result<(), CommandError> {
    let lessons = place.evolution()?;
    let lessons = lessons.lessons(None, &mut notices(&mut context.streams))?;
    let record = match find_record(id, store, lessons) {
        Err(LearnError::NotFound(wanted)) => {
            let wanted = wanted.to_ascii_lowercase();
            let mut groups = waiting(context, place)?.into_iter();
            let group = groups.find(|group| group.id.as_str().starts_with(&wanted));
            let Some(group) = group else {
                return Err(LearnError::NotFound(wanted).into());
            };
            return match format {
                PlainFormat::Human => context.streams.print(&waiting_group(&group)),
                PlainFormat::Json => context.streams.print_json(&Versioned(&group)),
            };
        }
        record => record?,
    };
    match record {
        Record::Entry(found) => match format {
            PlainFormat::Human => context.streams.print(&entry(found)),
            PlainFormat::Json => context.streams.print_json(&Versioned(found)),
        },
        Record::Lesson(found) => match format {
            PlainFormat::Human => {
                let sources: HashSet<&str> =
                    found.source_feedback.iter().map(String::as_str).collect();
                let kept = store.entries().iter();
                let kept = kept.filter(|entry| sources.contains(entry.id.as_str()));
                let kept: Vec<_> = kept.cloned().collect();
                context.streams.print(&lesson(&found, &kept, place.now))
            }
            PlainFormat::Json => context.streams.print_json(&Versioned(&*found)),
        },
    }
}

/// Shows the versions of the prompt of an agent, and its feedback.
fn agent(
    context: &mut Context,
    place: &Place,
    store: &FeedbackStore,
    agent: &str,
    format: PlainFormat,
) -> Result<(), CommandError> {
    warn_of_bad(context, store);
    let kept = store.entries().iter().filter(|entry| entry.agent == agent);
    let kept: Vec<FeedbackEntry> = kept.cloned().collect();
    let history = history(context, &place.evolution()?, agent, kept)?;
    match format {
        PlainFormat::Json => context.streams.print_json(&history),
        PlainFormat::Human => {
            let mut text = prompt_history(&history);
            if let Some(diff) = &history.diff {
                text += &format!("\n{}", coloured(&printable(diff)));
            }
            if !history.entries.is_empty() {
                text += &format!("\n{}", entries(&history.entries));
            }
            context.streams.print(&text)
        }
    }
}

/// Warns of files that should hold an entry and do not.
fn warn_of_bad(context: &mut Context, store: &FeedbackStore) {
    for bad in store.bad() {
        let path = bad.path.display();
        let why = bad.diagnostics.iter().find(|one| one.is_error());
        let why = why.map_or_else(
            || "it is not where its agent and its id say".to_owned(),
            |one| format!("{} {}", one.pointer, one.message),
        );
        context.streams.warn(&format!("{path} is left out: {why}"));
    }
}

fn history<'a>(
    context: &mut Context,
    evolution: &Evolution<'_>,
    agent: &'a str,
    entries: Vec<FeedbackEntry>,
) -> Result<PromptHistory<'a>, CommandError> {
    let current = match evolution.current(agent) {
        // An agent of which there is feedback need have no prompt yet.
        Err(LearnError::NoPrompt { .. }) if !entries.is_empty() => None,
        current => Some(current?),
    };
    let Some(current) = current else {
        return Ok(PromptHistory::of_feedback(agent, entries));
    };
    let files = evolution.prompts()?;
    let active = files.active(agent)?;
    let mut kept = files.versions(agent)?;
    kept.insert(current.version);
    let versions: Result<Vec<_>, LearnError> = kept
        .into_iter()
        .map(|version| {
            let mut version = evolution.version(agent, version)?;
            version.performance = evolution.measured(&version)?;
            Ok(HistoryEntry::new(version, &current, active.as_ref()))
        })
        .collect();
    let versions = versions?;
    let mut lessons = evolution.lessons(Some(agent), &mut notices(&mut context.streams))?;
    lessons.retain(|lesson| {
        let id = lesson.id.as_str();
        versions.iter().any(|version| version.holds(id))
    });
    let before = current
        .parent
        .map(|parent| evolution.version(agent, parent));
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
        versions,
        changes: active.map_or_else(Vec::new, |active| active.changes),
        lessons,
        diff,
        ..PromptHistory::of_feedback(agent, entries)
    })
}
