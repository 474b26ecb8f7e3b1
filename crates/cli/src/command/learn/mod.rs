//! `ralph learn`: what is learned from what went wrong.

mod decide;
mod review;
mod rollback;
mod run;
mod show;
mod stats;
mod status;

pub(super) use run::{analyze, collect_corrections};

use crate::context::Context;
use crate::error::CommandResult;
use clap::{Args, Subcommand};
use decide::DecideArgs;
use review::LearnReviewArgs;
use rollback::RollbackArgs;
use run::LearnRunArgs;
use show::LearnShowArgs;
use stats::LearnStatsArgs;

#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    /// What to do.
    #[command(subcommand)]
    command: Option<LearnCommand>,
}

/// What is done with feedback, lessons and prompts.
#[derive(Debug, Subcommand)]
pub(crate) enum LearnCommand {
    /// Collect feedback, propose lessons, and put what is approved into prompts.
    Run(LearnRunArgs),
    /// Look at the lessons that are proposed, and decide on them.
    Review(LearnReviewArgs),
    /// Decide on a lesson.
    Decide(DecideArgs),
    /// Show the lessons, one lesson or entry of feedback, or an agent's prompt.
    Show(LearnShowArgs),
    /// Show how agents do under the versions of their prompts.
    Stats(LearnStatsArgs),
    /// Go back to an earlier version of a prompt.
    Rollback(RollbackArgs),
}

/// Carries out one of the commands.
pub(crate) fn run(context: &mut Context, args: LearnArgs) -> CommandResult {
    let Some(command) = args.command else {
        return status::run(context);
    };
    match command {
        LearnCommand::Run(args) => run::run(context, &args),
        LearnCommand::Review(args) => review::run(context, &args),
        LearnCommand::Decide(args) => decide::run(context, &args),
        LearnCommand::Show(args) => show::run(context, &args),
        LearnCommand::Stats(args) => stats::run(context, &args),
        LearnCommand::Rollback(args) => rollback::run(context, &args),
    }
}
