//! `ralph learn`: what is learned from what went wrong.

mod analyze;
mod change;
mod cluster;
mod collect;
mod compare;
mod config_check;
mod decide;
mod entry;
mod history;
mod lesson;
mod list;
mod measured;
mod prune;
mod review;
mod scene;
mod show;
mod stats;

use std::path::PathBuf;

pub(super) use scene::Scene;

use review_learning::config::LearningConfig;

use review_config::{Config, Overrides};

use super::Ended;
use crate::args::{LearnCommand, LearnConfigCommand};
use crate::clock::now;
use crate::context::Context;
use crate::environment::Environment;
use crate::error::CommandError;
use crate::learning::{Collector, needed_config};

/// Carries out one of the commands.
pub(crate) fn run(context: &mut Context, command: LearnCommand) -> Ended {
    match command {
        LearnCommand::Cluster(args) => cluster::run(context, &args),
        LearnCommand::Analyze(args) => analyze::run(context, &args),
        LearnCommand::Compare(args) => compare::run(context, &args),
        LearnCommand::Stats(args) => stats::run(context, &args),
        LearnCommand::Collect(args) => collect::run(context, &args),
        LearnCommand::List(args) => list::run(context, &args),
        LearnCommand::Show(args) => show::run(context, &args),
        LearnCommand::Prune(args) => prune::run(context, &args),
        LearnCommand::Review(args) => review::run(context, &args),
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

/// What is learned in the current root.
struct Place {
    root: PathBuf,
    settings: Config,
    config: LearningConfig,
}

impl Place {
    /// What feedback is collected by, now.
    fn collector<'a>(&'a self, environment: &'a Environment) -> Collector<'a> {
        Collector {
            root: &self.root,
            config: &self.config,
            environment,
            now: now(),
        }
    }
}

/// What is learned in the current root.
///
/// # Errors
/// When nothing is, or the configuration cannot be used.
fn place(context: &mut Context) -> Result<Place, CommandError> {
    place_with(context, Overrides::default())
}

/// The same, where options say something in place of the configuration.
///
/// # Errors
/// As [`place`].
fn place_with(context: &mut Context, overrides: Overrides) -> Result<Place, CommandError> {
    let root = context.current_root();
    let settings = context.settings(&root, overrides)?;
    let config = needed_config(&root, &settings)?;
    Ok(Place {
        root,
        settings,
        config,
    })
}
