//! `ralph learn collect`.

use review_engine::learn::{CORRECTIONS_FILE, Collected, Request, RootCorrections, drafts_of_run};
use review_learning::collection::Draft;
use review_report::learn::{CollectionReport, Versioned, collection};
use review_store::{RunDir, StateDir};
use review_types::{ExitCode, RunId, plural};

use super::place::{Place, place};
use crate::args::{CollectArgs, Format};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::output::Version;
use crate::runs::replay;

/// Collects what is not there yet.
pub(super) fn run(context: &mut Context, args: &CollectArgs) -> Ended {
    let place = place(context)?;
    let state = context.state(&place.settings, &place.root, true)?;
    let mut all = Collected::default();
    let runs = match &args.run {
        Some(run) => vec![context.find_run(run)?],
        None => {
            let runs = state.runs();
            runs.map_err(|error| CommandError::new(ErrorKind::Input, error.to_string()))?
        }
    };
    for dir in &runs {
        match drafts_of(dir) {
            Ok(Some(drafts)) => collect(context, &place, &state, drafts, Some(dir.id()), &mut all)?,
            Ok(None) => {}
            // Of many runs, one that cannot be read hides no other.
            Err(error) if args.run.is_none() => {
                let (run, why) = (dir.id(), error.message());
                context
                    .streams
                    .warn(&format!("run {run} is left out: {why}"));
            }
            Err(error) => return Err(error),
        }
    }
    if args.run.is_none() {
        let drafts = corrections(context, &place)?;
        collect(context, &place, &state, drafts, None, &mut all)?;
    }
    print(context, &place, &all, args.format)?;
    Ok(ExitCode::Passed)
}

fn collect(
    context: &Context,
    place: &Place,
    state: &StateDir,
    drafts: Vec<Draft>,
    run: Option<&RunId>,
    all: &mut Collected,
) -> Result<(), CommandError> {
    let redactor = context.environment.redactor();
    let collector = place.collector(&redactor);
    let collected = collector.collect(drafts, Request::User, run, state)?;
    all.found += collected.found;
    all.pruned += collected.pruned;
    all.left_out += collected.left_out;
    all.added.extend(collected.added);
    Ok(())
}

/// Collects the corrections of the root alone.
///
/// # Errors
/// When they cannot be read, or the feedback cannot be written.
pub(in crate::command) fn collect_corrections(
    context: &mut Context,
    place: &Place,
) -> Result<(), CommandError> {
    let state = context.state(&place.settings, &place.root, true)?;
    let drafts = corrections(context, place)?;
    collect(
        context,
        place,
        &state,
        drafts,
        None,
        &mut Collected::default(),
    )
}

/// The feedback of a run; nothing of one that touched no file of the user.
fn drafts_of(dir: &RunDir) -> Result<Option<Vec<Draft>>, CommandError> {
    let replayed = replay(dir)?;
    let applies = replayed.settings.apply;
    Ok(applies.then(|| drafts_of_run(&replayed.events, &replayed.settings)))
}

/// The corrections of the root, as feedback.
fn corrections(context: &mut Context, place: &Place) -> Result<Vec<Draft>, CommandError> {
    let corrections = RootCorrections::of(&place.root).map_err(|error| {
        let message = format!("cannot read {CORRECTIONS_FILE}");
        CommandError::new(ErrorKind::Input, message).source(error)
    })?;
    if corrections.bad > 0 {
        let lines = plural(corrections.bad, "line", "lines");
        let why = "`ralph corrections validate` says why";
        context
            .streams
            .warn(&format!("{lines} of {CORRECTIONS_FILE} left out; {why}"));
    }
    Ok(corrections.drafts)
}

fn print(
    context: &mut Context,
    place: &Place,
    all: &Collected,
    format: Format,
) -> Result<(), CommandError> {
    let retention = place.config.feedback_collection.retention;
    let report = CollectionReport {
        v: Version,
        found: all.found,
        added: all.added.len(),
        pruned: all.pruned,
        left_out: all.left_out,
        max_age_days: retention.max_age_days,
        max_entries_per_agent: retention.max_entries_per_agent,
        entries: &all.added,
    };
    match format {
        Format::Human => context.streams.print(&collection(&report)),
        Format::Json => context.streams.print_json(&report),
        Format::Jsonl => {
            let mut entries = all.added.iter();
            entries.try_for_each(|entry| context.streams.print_json(&Versioned(entry)))
        }
    }
}
