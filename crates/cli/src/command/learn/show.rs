//! `ralph learn show`.

use std::collections::HashSet;

use review_engine::learn::{Record, find_record};
use review_report::learn::{Versioned, entry, lesson};
use review_types::ExitCode;

use super::place::Place;
use crate::args::{LearnShowArgs, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, Ended};
use crate::learning::notices;

/// Shows the entry or the lesson whose id starts so.
pub(super) fn run(context: &mut Context, args: &LearnShowArgs) -> Ended {
    let place = Place::or_default(context)?;
    let lessons = place.evolution()?;
    let lessons = lessons.lessons(None, &mut notices(&mut context.streams))?;
    let redactor = context.environment.redactor();
    let store = place.collector(&redactor).store()?;
    match find_record(&args.id, &store, lessons)? {
        Record::Entry(found) => {
            let found = store.read(found);
            let found = found.map_err(|error| CommandError::input(&error))?;
            match args.format {
                PlainFormat::Human => context.streams.print(&entry(&found))?,
                PlainFormat::Json => context.streams.print_json(&Versioned(&found))?,
            }
        }
        Record::Lesson(found) => match args.format {
            PlainFormat::Human => {
                let sources: HashSet<&str> =
                    found.source_feedback.iter().map(String::as_str).collect();
                let indexed = store.entries().iter();
                let kept = indexed.filter(|entry| sources.contains(entry.id()));
                let kept: Vec<_> = kept.filter_map(|entry| store.read(entry).ok()).collect();
                context.streams.print(&lesson(&found, &kept))?;
            }
            PlainFormat::Json => context.streams.print_json(&Versioned(&*found))?,
        },
    }
    Ok(ExitCode::Passed)
}
