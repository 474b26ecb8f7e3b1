//! `ralph learn`: what follows from what went wrong.

mod cluster;
mod compare;
mod lexicon;
mod measured;
mod stats;

use super::Ended;
use crate::args::LearnCommand;
use crate::context::Context;

/// Carries out one of the commands.
pub(crate) fn run(context: &mut Context, command: LearnCommand) -> Ended {
    match command {
        LearnCommand::Cluster(args) => cluster::run(context, &args),
        LearnCommand::Compare(args) => compare::run(context, &args),
        LearnCommand::Stats(args) => stats::run(context, &args),
    }
}
