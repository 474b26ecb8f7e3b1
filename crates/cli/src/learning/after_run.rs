//! What is learned when a run has ended.

use std::path::Path;

use review_learning::config::LearningConfig;
use review_store::RunDir;
use review_types::plural;

use super::observe::observe;
use super::take_back::take_back;
use super::{Asked, Collected, Collector, drafts_of_run};
use crate::args::Format;
use crate::clock::now;
use crate::command::{Replayed, replay};
use crate::context::Context;
use crate::error::CommandError;

/// Notes what a run that has ended showed of the prompts that it used, collects
/// its feedback, and takes back a version that errs more often than the one
/// before. Whatever becomes of that is no more than a warning: the run is what
/// it is.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn after_run(
    context: &mut Context,
    root: &Path,
    config: &LearningConfig,
    dir: &RunDir,
    format: Format,
) -> Result<(), CommandError> {
    let learned = replay(dir).and_then(|replayed| {
        let degraded = observe(root, config, &replayed.events, &replayed.settings)?;
        let collected = collected(context, root, config, dir, &replayed)?;
        for degraded in degraded {
            take_back(context, root, config, dir, degraded)?;
        }
        Ok(collected)
    });
    match learned {
        Ok(collected) => tell(context, &collected, format),
        Err(error) => {
            let why = error.message();
            context
                .streams
                .warn(&format!("nothing was learned from this run: {why}"));
            Ok(())
        }
    }
}

fn collected(
    context: &Context,
    root: &Path,
    config: &LearningConfig,
    dir: &RunDir,
    replayed: &Replayed,
) -> Result<Collected, CommandError> {
    let collector = Collector {
        root,
        config,
        environment: &context.environment,
        now: now(),
    };
    let drafts = drafts_of_run(&replayed.events, &replayed.settings);
    collector.collect(drafts, Asked::No, Some(dir.id()), &dir.state())
}

fn tell(context: &mut Context, collected: &Collected, format: Format) -> Result<(), CommandError> {
    match format {
        Format::Jsonl => {
            for event in &collected.events {
                context.streams.print_json(event)?;
            }
        }
        Format::Human if !collected.added.is_empty() => {
            let entries = plural(collected.added.len(), "entry", "entries");
            let note = format!("{entries} of feedback collected; `ralph learn list` shows them");
            context.streams.note(&note);
        }
        Format::Human | Format::Json => {}
    }
    Ok(())
}
