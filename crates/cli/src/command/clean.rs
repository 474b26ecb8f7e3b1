//! `ralph clean`.

use std::collections::BTreeMap;
use std::ffi::OsString;

use review_engine::{LostRun, RunUse, StoredRun};
use review_report::clean::{CleanReport, CleanState, CleanedRun, brief, human};
use review_store::{FileError, Removal, RunDir, StateDir, Trash};
use review_types::{ExitCode, Outcome, RunId};

use crate::args::{CleanArgs, PlainFormat};
use crate::clock::now;
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::roots::RootState;
use crate::runs::{is_named, lost_runs};
use crate::world::wait_for;

/// Carries out `clean`.
pub(crate) fn run(context: &mut Context, args: &CleanArgs) -> Ended {
    let removes = !args.runs.is_empty() || !args.force.is_empty() || args.runs_older_than.is_some();
    let roots = context.states()?;
    let mut lost = lost_runs(context)?;
    // One that is there is listed as such.
    lost.retain(|(_, lost)| !lost.has_folder);
    let is_lost = |name: &&String| lost.iter().any(|(_, lost)| is_named(lost, name));
    if let Some(name) = args.runs.iter().find(is_lost) {
        let message = format!("the journal of run {name} is lost, with what is not landed of it");
        let hint = format!(
            "`ralph land {name}` brings finished work to a branch, `ralph clean --force {name}` \
             removes it"
        );
        return Err(CommandError::new(ErrorKind::Usage, message).hint(hint));
    }
    let (forced_lost, forced): (Vec<_>, Vec<_>) =
        args.force.iter().cloned().partition(|name| is_lost(&name));
    let forced = named(context, &roots, &forced)?;
    let mut named = named(context, &roots, &args.runs)?;
    named.extend(forced.iter().cloned());
    let now = now();
    let is_old = |run: &StoredRun| match (args.runs_older_than, run.at) {
        (Some(age), Some(at)) => now.since(at) > age,
        _ => false,
    };
    let mut work = Vec::new();
    for root in roots {
        let mut runs = stored(&root.state, context.environment.variables())?;
        for run in runs.iter().filter(|run| named.contains(run.dir.id())) {
            may_go(run, &forced)?;
        }
        runs.retain(|run| !removes || named.contains(run.dir.id()) || is_old(run));
        work.push((root, runs));
    }
    let (mut cleaned, mut leftovers) = (Vec::new(), 0);
    for (root, runs) in work {
        if args.landed {
            let name = context.root_name(&root.root);
            for run in runs {
                cleaned.extend(clean_checkouts(run, &name)?);
            }
            continue;
        }
        let trash = trash(context, &root, removes)?;
        if let Some(trash) = &trash {
            leftovers += trash.empty().map_err(unremoved)?;
        }
        let name = context.root_name(&root.root);
        let trash = trash.filter(|_| removes);
        for run in runs {
            cleaned.push(clean(run, &name, trash.as_ref(), &forced)?);
        }
    }
    if !args.landed {
        let goes = |lost: &LostRun| forced_lost.iter().any(|name| is_named(lost, name));
        let shown = lost.into_iter().filter(|(_, lost)| !removes || goes(lost));
        for (root, lost) in shown {
            let goes = goes(&lost);
            cleaned.push(clean_lost(lost, root, goes)?);
        }
    }
    cleaned.sort_by(|a, b| b.run.cmp(&a.run));
    let report = CleanReport::new(cleaned, leftovers);
    match args.format {
        PlainFormat::Json => context.streams.print_json(&report)?,
        PlainFormat::Human if context.is_quiet() => context.streams.print(&brief(&report, now))?,
        PlainFormat::Human => context.streams.print(&human(&report, now))?,
    }
    Ok(ExitCode::Passed)
}

/// The trash of a root, where something is removed or left in it.
fn trash(
    context: &mut Context,
    root: &RootState,
    removes: bool,
) -> Result<Option<Trash>, CommandError> {
    if !(removes || root.state.has_trash()) || !root.state.path().is_dir() {
        return Ok(None);
    }
    let state = context.state(&root.settings, &root.root, true)?;
    state.open_trash().map(Some).map_err(unremoved)
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
        let message = match roots {
            [only] => format!(
                "{} is not a run of the state folder {}",
                dir.path().display(),
                only.state.path().display()
            ),
            _ => format!("{} is not a run of these roots", dir.path().display()),
        };
        let hint = "select its state folder with --state-dir";
        Err(CommandError::new(ErrorKind::Usage, message).hint(hint))
    });
    runs.collect()
}

fn stored(
    state: &StateDir,
    env: &BTreeMap<OsString, OsString>,
) -> Result<Vec<StoredRun>, CommandError> {
    let runs = state.runs();
    let runs = runs.map_err(|error| CommandError::new(ErrorKind::Input, error.to_string()))?;
    wait_for(async {
        let mut stored = Vec::new();
        for dir in runs {
            stored.push(StoredRun::of(dir, env).await);
        }
        stored
    })
}

/// Refuses to remove a run that a user names and that is still good for something.
fn may_go(run: &StoredRun, forced: &[RunId]) -> Result<(), CommandError> {
    let id = run.dir.id();
    match run.good_for {
        RunUse::Past => Ok(()),
        RunUse::Live => Err(live(&run.dir)),
        RunUse::Resumable if forced.contains(id) => Ok(()),
        RunUse::Resumable => {
            let message = format!("run {id} ended as {} and can be resumed", run.outcome);
            let hint = format!("`ralph clean --force {id}` removes it anyway");
            Err(CommandError::new(ErrorKind::Usage, message).hint(hint))
        }
    }
}

fn live(dir: &RunDir) -> CommandError {
    let message = format!("run {} is still going on", dir.id());
    CommandError::new(ErrorKind::Usage, message).hint("end it first, or wait until it ends")
}

/// Removes a run, where there is a trash for it and it may go.
fn clean(
    run: StoredRun,
    root: &str,
    trash: Option<&Trash>,
    forced: &[RunId],
) -> Result<CleanedRun, CommandError> {
    let bytes = run.dir.size();
    let bytes = bytes.map_err(|error| CommandError::new(ErrorKind::Input, error.to_string()))?;
    let is_forced = forced.contains(run.dir.id());
    let state = match (run.good_for, trash) {
        (RunUse::Live, _) => CleanState::Live,
        (RunUse::Resumable, _) if !is_forced => CleanState::Resumable,
        (RunUse::Past | RunUse::Resumable, None) => CleanState::Removable,
        (RunUse::Past | RunUse::Resumable, Some(trash)) => {
            match trash.remove(&run.dir).map_err(unremoved)? {
                Removal::Removed => {
                    if let Some(lane) = &run.lane {
                        lane.delete().map_err(unremoved)?;
                    }
                    CleanState::Removed
                }
                Removal::Live => CleanState::Live,
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
        state,
    })
}

/// Removes the checkouts of a run, if there are any and all of its work has landed.
fn clean_checkouts(run: StoredRun, root: &str) -> Result<Option<CleanedRun>, CommandError> {
    let Some(lane) = run.landed_lane() else {
        return Ok(None);
    };
    let Some(bytes) = lane.size().map_err(unremoved)? else {
        return Ok(None);
    };
    lane.delete().map_err(unremoved)?;
    Ok(Some(CleanedRun {
        run: run.dir.id().clone(),
        root: root.to_owned(),
        at: run.at,
        spec: run.spec,
        outcome: Some(run.outcome),
        bytes,
        state: CleanState::CheckoutsRemoved,
    }))
}

/// Removes what the agents of a run made whose journal is lost, if it is to go.
fn clean_lost(lost: LostRun, root: String, goes: bool) -> Result<CleanedRun, CommandError> {
    let bytes = lost.lane.size().map_err(unremoved)?.unwrap_or(0);
    if goes {
        lost.lane.delete().map_err(unremoved)?;
    }
    Ok(CleanedRun {
        run: lost.run,
        root,
        at: lost.at,
        spec: String::new(),
        outcome: Some(Outcome::Error),
        bytes,
        state: match goes {
            true => CleanState::Removed,
            false => CleanState::Lost,
        },
    })
}

fn unremoved(error: FileError) -> CommandError {
    let hint = "the next `ralph clean` deletes what is left of it";
    CommandError::new(ErrorKind::Output, "cannot remove a run")
        .source(error)
        .hint(hint)
}
