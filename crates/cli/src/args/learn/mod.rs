//! `learn`.

mod cluster;
mod config;
mod feedback;

use clap::Subcommand;

use super::{CompareArgs, LearnStatsArgs};

pub(crate) use cluster::ClusterArgs;
pub(crate) use config::{CheckLearningArgs, LearnConfigCommand};
pub(crate) use feedback::{CollectArgs, LearnListArgs, LearnPruneArgs, LearnShowArgs};

/// What is learned from what went wrong.
#[derive(Debug, Subcommand)]
pub(crate) enum LearnCommand {
    /// Group feedback by what it is about.
    Cluster(ClusterArgs),
    /// Hold two versions of an agent's prompt against each other.
    Compare(CompareArgs),
    /// Show how agents do under the versions of their prompts.
    Stats(LearnStatsArgs),
    /// Collect the feedback of runs and corrections that is not there yet.
    Collect(CollectArgs),
    /// List the feedback that was collected.
    List(LearnListArgs),
    /// Show an entry with all that it holds.
    Show(LearnShowArgs),
    /// Remove the entries that are too old or too many.
    Prune(LearnPruneArgs),
    /// Check the configuration of learning.
    #[command(subcommand)]
    Config(LearnConfigCommand),
}
