//! `ralph learn`: what is learned from what went wrong.

mod analyze;
mod change;
mod cluster;
mod collect;
mod compare;
mod config_check;
mod decide;
mod entries;
mod history;
mod keys;
mod list;
mod place;
mod prune;
mod review;
mod show;
mod stats;

pub(super) use analyze::analyze;
pub(super) use collect::collect_corrections;
pub(super) use place::Place;

use crate::args::{LearnArgs, LearnCommand, LearnConfigCommand};
use crate::context::Context;
use crate::error::Ended;

/// Carries out one of the commands.
pub(crate) fn run(context: &mut Context, args: LearnArgs) -> Ended {
    let Some(command) = args.command else {
        return list::status(context);
    };
    match command {
        LearnCommand::Cluster(args) => cluster::run(context, &args),
        LearnCommand::Analyze(args) => analyze::run(context, &args),
        LearnCommand::Compare(args) => compare::run(context, &args),
        LearnCommand::Stats(args) => stats::run(context, &args),
        LearnCommand::Collect(args) => collect::run(context, &args),
        LearnCommand::Entries(args) => entries::run(context, &args),
        LearnCommand::List(args) => list::run(context, &args),
        LearnCommand::Show(args) => show::run(context, &args),
        LearnCommand::Prune(args) => prune::run(context, &args),
        LearnCommand::Review(args) => review::run(context, &args),
        LearnCommand::Edit(args) => decide::edit(context, &args),
        LearnCommand::Approve(args) => decide::approve(context, &args),
        LearnCommand::Reject(args) => decide::reject(context, &args),
        LearnCommand::Defer(args) => decide::defer(context, &args),
        LearnCommand::Apply(args) => change::apply(context, &args),
        LearnCommand::Rollback(args) => change::rollback(context, &args),
        LearnCommand::Diff(args) => history::diff(context, &args),
        LearnCommand::History(args) => history::history(context, &args),
        LearnCommand::Config(LearnConfigCommand::Check(args)) => config_check::run(context, &args),
    }
}
