//! `ralph clean`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

use clap::{ArgGroup, Args};
use review_engine::{RunUse, StoredRun};
use review_report::clean::{CleanReport, CleanState, CleanedRun, brief, human};
use review_store::{FileError, LaneDir, RunDir, StateDir, Trash};
use review_types::{RunId, parse_age};

use crate::args::PlainFormat;
use crate::clock::now;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::roots::RootState;
use crate::runtime::wait_for;

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("selecting").args(["runs", "older_than"]).multiple(true))]
pub(crate) struct CleanArgs {
    /// The runs to remove: latest, latest~N, beginnings or ends of ids, or run folders.
    #[arg(value_name = "RUN")]
    runs: Vec<String>,
    /// Remove the runs that were started longer ago than this, such as 30d or 12h.
    #[arg(long, value_name = "D", value_parser = age)]
    older_than: Option<Duration>,
    /// Remove also runs that could be resumed.
    #[arg(long, requires = "selecting")]
    force: bool,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

fn age(text: &str) -> Result<Duration, String> {
    parse_age(text).ok_or_else(|| "must be a time such as 30d or 12h".to_owned())
}

/// Carries out `clean`.
pub(crate) fn run(context: &mut Context, args: &CleanArgs) -> CommandResult {
    let removes = !args.runs.is_empty() || args.older_than.is_some();
    let roots = context.states()?;
    let (mut trashes, mut finished) = (Vec::new(), Vec::new());
    for root in &roots {
        let is_due = root.state.has_trash() || removes && root.state.path().is_dir();
        trashes.push(match is_due {
            true => Some(trash(context, root, &mut finished)?),
            false => None,
        });
    }
    // What a removal that was cut off was asked for is done.
    let mut names = args.runs.clone();
    names.retain(|name| {
        let mut finished = finished.iter().map(RunId::as_str);
        !finished.any(|run| run.starts_with(&**name) || run.ends_with(&**name))
    });
    let named = named(context, &roots, &names)?;
    let now = now();
    let is_old = |run: &StoredRun| match (args.older_than, run.at) {
        (Some(age), Some(at)) => now.since(at) > age,
        _ => false,
    };
    let mut work = Vec::new();
    for (root, trash) in roots.into_iter().zip(trashes) {
        let mut runs = stored(&root.state, &context.environment.variables)?;
        for run in runs.iter().filter(|run| named.contains(run.dir.id())) {
            may_go(run, args.force)?;
        }
        runs.retain(|run| !removes || named.contains(run.dir.id()) || is_old(run));
        work.push((root, trash, runs));
    }
    let mut cleaned = Vec::new();
    for (root, trash, runs) in work {
        let name = context.root_name(&root.root);
        for run in runs {
            cleaned.push(clean(
                run,
                &name,
                trash.as_ref().filter(|_| removes),
                args.force,
            )?);
        }
    }
    cleaned.sort_by(|a, b| b.run.cmp(&a.run));
    let report = CleanReport::new(cleaned);
    let is_quiet = context.is_quiet();
    context.show(args.format, &report, |report| match is_quiet {
        true => brief(report),
        false => human(report),
    })
}

/// The trash of a root; what removals that were cut off have left in it is `finished`.
fn trash(
    context: &mut Context,
    root: &RootState,
    finished: &mut Vec<RunId>,
) -> Result<Trash, CommandError> {
    let state = context.state(&root.settings, &root.root)?;
    let trash = state.open_trash().map_err(unremoved)?;
    for dir in trash.left().map_err(unremoved)? {
        let run = wait_for(StoredRun::of(dir, &context.environment.variables))?;
        delete(&trash, &run.dir, run.lane.as_ref())?;
        finished.push(run.dir.id().clone());
    }
    Ok(trash)
}

/// Deletes a run in the trash, after what it has elsewhere, which it is found by.
fn delete(trash: &Trash, taken: &RunDir, lane: Option<&LaneDir>) -> Result<(), CommandError> {
    if let Some(lane) = lane {
        lane.delete().map_err(unremoved)?;
    }
    trash.delete(taken).map_err(unremoved)
}

/// The runs of these roots that arguments name.
fn named(
    context: &mut Context,
    roots: &[RootState],
    names: &[String],
) -> Result<Vec<RunId>, CommandError> {
    let runs = names.iter().map(|name| {
        let dir = context.find_run(name)?;
        if roots.iter().any(|root| root.state.holds(&dir)) {
            return Ok(dir.id().clone());
        }
        let message = format!("{} is not a run of these roots", dir.path().display());
        let hint = "select its state folder with --state-dir";
        Err(CommandError::new(message).hint(hint))
    });
    runs.collect()
}

fn stored(
    state: &StateDir,
    env: &BTreeMap<OsString, OsString>,
) -> Result<Vec<StoredRun>, CommandError> {
    let runs = state.runs()?;
    wait_for(async {
        let mut stored = Vec::new();
        for dir in runs {
            stored.push(StoredRun::of(dir, env).await);
        }
        stored
    })
}

/// Refuses to remove a run that a user names and that is still good for something.
fn may_go(run: &StoredRun, force: bool) -> Result<(), CommandError> {
    let id = run.dir.id().short();
    match run.good_for {
        RunUse::Past => Ok(()),
        RunUse::Live => {
            let error = CommandError::new(format!("run {id} is still going on"));
            Err(error.hint("end it first, or wait until it ends"))
        }
        RunUse::Resumable if force => Ok(()),
        RunUse::Resumable => {
            let message = format!("run {id} ended as {} and can be resumed", run.outcome);
            let hint = format!("`ralph clean {id} --force` removes it anyway");
            Err(CommandError::new(message).hint(hint))
        }
    }
}

/// Removes a run with its checkouts, where there is a trash for it and it may go.
fn clean(
    run: StoredRun,
    root: &str,
    trash: Option<&Trash>,
    force: bool,
) -> Result<CleanedRun, CommandError> {
    let bytes = run.dir.size()?;
    let lane = run.lane.as_ref().map(LaneDir::size);
    let checkouts = lane.transpose()?.flatten();
    let state = match (run.good_for, trash) {
        (RunUse::Live, _) => CleanState::Live,
        (RunUse::Resumable, None) => CleanState::Resumable,
        (RunUse::Resumable, Some(_)) if !force => CleanState::Resumable,
        (RunUse::Past, None) => CleanState::Removable,
        (RunUse::Past | RunUse::Resumable, Some(trash)) => {
            match trash.take(&run.dir).map_err(unremoved)? {
                Some(taken) => {
                    delete(trash, &taken, run.lane.as_ref())?;
                    CleanState::Removed
                }
                None => CleanState::Live,
            }
        }
    };
    Ok(CleanedRun {
        run: run.dir.id().clone(),
        root: root.to_owned(),
        at: run.at,
        spec: run.spec,
        outcome: (state != CleanState::Live).then_some(run.outcome),
        bytes,
        checkouts,
        state,
    })
}

fn unremoved(error: FileError) -> CommandError {
    let hint = "the next `ralph clean` deletes what is left of it";
    CommandError::new("cannot remove a run")
        .source(error)
        .hint(hint)
}
