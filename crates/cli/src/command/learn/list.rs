//! `ralph learn list`.

use review_learning::feedback::FeedbackEntry;
use review_store::{FeedbackStore, IndexedEntry};
use review_types::{ExitCode, plural};
use serde::Serialize;

use super::entry::{Shown, line};
use super::{Ended, place};
use crate::args::{Format, LearnListArgs};
use crate::context::Context;
use crate::error::CommandError;
use crate::output::Version;

/// The result of `learn list --format json`.
#[derive(Serialize)]
struct Report {
    v: Version,
    entries: Vec<FeedbackEntry>,
}

/// Lists the entries that are meant, oldest first.
pub(super) fn run(context: &mut Context, args: &LearnListArgs) -> Ended {
    let place = place(context)?;
    let collector = place.collector(&context.environment);
    let since = args.since.map(|since| since.before(collector.now));
    let store = collector.store()?;
    warn_of_bad(context, &store);
    let is_meant = |entry: &&IndexedEntry| {
        args.agent
            .as_ref()
            .is_none_or(|agent| *agent == entry.agent)
            && args
                .feedback_type
                .is_none_or(|wanted| wanted == entry.feedback_type)
            && args.severity.is_none_or(|wanted| wanted == entry.severity)
            && since.is_none_or(|since| entry.timestamp >= since)
    };
    let mut entries = Vec::new();
    for entry in store.entries().iter().filter(is_meant) {
        match store.read(entry) {
            Ok(entry) => entries.push(entry),
            Err(error) => context.streams.warn(&error.to_string()),
        }
    }
    print(context, entries, args.format)?;
    Ok(ExitCode::Passed)
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

fn print(
    context: &mut Context,
    entries: Vec<FeedbackEntry>,
    format: Format,
) -> Result<(), CommandError> {
    match format {
        Format::Human => {
            let mut text: String = entries.iter().map(line).collect();
            text.push_str(&plural(entries.len(), "entry\n", "entries\n"));
            context.streams.print(&text)
        }
        Format::Json => context.streams.print_json(&Report {
            v: Version,
            entries,
        }),
        Format::Jsonl => {
            let mut entries = entries.iter();
            entries.try_for_each(|entry| context.streams.print_json(&Shown(entry)))
        }
    }
}
