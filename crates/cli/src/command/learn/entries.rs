//! `ralph learn entries`.

use review_report::learn::{EntryList, Versioned, entries};
use review_store::{FeedbackStore, IndexedEntry};
use review_types::ExitCode;

use super::place::place;
use crate::args::{Format, LearnEntriesArgs};
use crate::context::Context;
use crate::error::{CommandError, Ended};
use crate::output::Version;

/// Lists the entries that are meant, oldest first.
pub(super) fn run(context: &mut Context, args: &LearnEntriesArgs) -> Ended {
    let place = place(context)?;
    let redactor = context.environment.redactor();
    let collector = place.collector(&redactor);
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
    let mut list = EntryList {
        v: Version,
        entries: Vec::new(),
    };
    for entry in store.entries().iter().filter(is_meant) {
        match store.read(entry) {
            Ok(entry) => list.entries.push(entry),
            Err(error) => context.streams.warn(&error.to_string()),
        }
    }
    list.entries.sort_by_key(|entry| entry.timestamp);
    print(context, &list, args.format)?;
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

fn print(context: &mut Context, list: &EntryList, format: Format) -> Result<(), CommandError> {
    match format {
        Format::Human => context.streams.print(&entries(list)),
        Format::Json => context.streams.print_json(list),
        Format::Jsonl => {
            let mut entries = list.entries.iter();
            entries.try_for_each(|entry| context.streams.print_json(&Versioned(entry)))
        }
    }
}
