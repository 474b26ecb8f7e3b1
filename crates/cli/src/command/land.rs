//! `ralph land`.

use clap::Args;
use review_engine::{Destination, ResumeRequest, land_again};

use crate::args::Format;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::runs::{FoundRun, run_of};
use crate::session::resume_run;

#[derive(Debug, Args)]
pub(crate) struct LandArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder.
    #[arg(default_value = "latest")]
    run: String,
    /// Land on this branch, which is checked out nowhere or does not exist, instead
    /// of the branch that the run is for.
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Carries out `land`.
pub(crate) fn run(context: &mut Context, args: LandArgs) -> CommandResult {
    context.refuse_to_agents()?;
    let run = run_of(context, &args.run)?;
    let destination = args.branch.map_or(Destination::Target, Destination::Branch);
    bring_landed(context, &run, &destination)?;
    let request = ResumeRequest {
        land: Some(destination),
        ..ResumeRequest::default()
    };
    resume_run(context, run, request, &[], args.format)
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
    let root = std::path::Path::new(&replay.input.root);
    let landed = context.in_project(root, state, async |project| {
        land_again(project, replay, landed, destination).await
    })?;
    match landed? {
        Ok(branch) => {
            context
                .streams
                .note(&format!("branch {branch} has what the run landed"));
            Ok(())
        }
        Err(not_landed) => {
            let message = format!("not landed ({}): {}", not_landed.code, not_landed.reason);
            Err(CommandError::refused(message))
        }
    }
}
