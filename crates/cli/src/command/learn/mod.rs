//! `ralph learn`: what is learned from what went wrong.

mod decide;
mod keys;
mod place;
mod review;
mod rollback;
mod run;
mod show;
mod stats;
mod status;

pub(super) use place::Place;
pub(super) use run::{analyze, collect_corrections};

use crate::args::{LearnArgs, LearnCommand};
use crate::context::Context;
use crate::error::Ended;

/// Carries out one of the commands.
pub(crate) fn run(context: &mut Context, args: LearnArgs) -> Ended {
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
