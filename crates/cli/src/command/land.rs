//! `ralph land`.

use review::NoSink;
use review_config::Overrides;
use review_engine::{Destination, Raised, Rescued, land_again};
use review_types::ExitCode;

use crate::args::LandArgs;
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::runs::{FoundRun, is_named, lost_runs, run_of};
use crate::session::go_on;
use crate::world::World;

/// Carries out `land`.
pub(crate) fn run(context: &mut Context, args: LandArgs) -> Ended {
    let run = match run_of(context, &args.run) {
        Ok(run) => run,
        Err(error) => return land_lost(context, &args, error),
    };
    let destination = args.branch.map_or(Destination::Target, Destination::Branch);
    bring_landed(context, &run, &destination)?;
    let raised = Raised {
        land: Some(destination),
        ..Raised::default()
    };
    go_on(context, run, raised, args.format)
}

/// Brings the finished work of a run whose journal is lost to a branch of its own: which
/// commands it has to pass is not known any more.
fn land_lost(context: &mut Context, args: &LandArgs, unknown: CommandError) -> Ended {
    let mut lost = lost_runs(context)?.into_iter().map(|(_, lost)| lost);
    let Some(lost) = lost.find(|lost| is_named(lost, &args.run)) else {
        return Err(unknown);
    };
    let root = lost.root.clone();
    let settings = context.settings(&root, Overrides::default())?;
    let state = context.state(&settings, &root, true)?;
    let world = World::new(context)?;
    let rescued = world.block_on(
        &context.environment,
        &root,
        state,
        &NoSink,
        async |project| lost.rescue(project, args.branch.as_deref()).await,
    )?;
    let run = &lost.run;
    let git = lost.lane.entry("lane.git");
    let note = match rescued? {
        Some(Ok(Rescued { branch, .. })) => format!(
            "the journal of run {run} is lost; what its agents finished is on branch {branch} \
             now. No command was run again: look at it before you merge it"
        ),
        None => format!("the journal of run {run} is lost, and its agents finished nothing"),
        Some(Err(not_landed)) => {
            let message = format!("not landed ({}): {}", not_landed.code, not_landed.reason);
            return Err(CommandError::new(ErrorKind::Refused, message));
        }
    };
    context.streams.note(&note);
    context.streams.note(&format!(
        "attempts that were not accepted are in {}, below refs/ralph/task",
        git.display()
    ));
    Ok(ExitCode::Passed)
}

/// Brings what has landed already to the branch, and says where it is.
fn bring_landed(
    context: &mut Context,
    run: &FoundRun,
    destination: &Destination,
) -> Result<(), CommandError> {
    let replay = &run.replay;
    let Some(landed) = replay.landed() else {
        return Ok(());
    };
    let state = context.open_state(run.dir.state().path())?;
    let world = World::new(context)?;
    let root = std::path::Path::new(&replay.input.root);
    let landed = world.block_on(
        &context.environment,
        root,
        state,
        &NoSink,
        async |project| land_again(project, replay, landed, destination).await,
    )?;
    match landed? {
        Ok(Some(branch)) => {
            context
                .streams
                .note(&format!("branch {branch} has what the run landed"));
            Ok(())
        }
        Ok(None) => Ok(()),
        Err(not_landed) => {
            let message = format!("not landed ({}): {}", not_landed.code, not_landed.reason);
            Err(CommandError::new(ErrorKind::Refused, message))
        }
    }
}
