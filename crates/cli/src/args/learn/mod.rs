//! `learn`.

mod analyze;
mod cluster;
mod config;
mod feedback;

use clap::Subcommand;

use super::{
    ChangePromptArgs, CompareArgs, DecideArgs, DeferArgs, EditLessonArgs, LearnReviewArgs,
    LearnStatsArgs, PromptDiffArgs, PromptHistoryArgs,
};

pub(crate) use analyze::AnalyzeArgs;
pub(crate) use cluster::ClusterArgs;
pub(crate) use config::{CheckLearningArgs, LearnConfigCommand};
pub(crate) use feedback::{CollectArgs, LearnListArgs, LearnPruneArgs, LearnShowArgs, Since};

/// What is learned from what went wrong.
#[derive(Debug, Subcommand)]
pub(crate) enum LearnCommand {
    /// Group feedback by what it is about.
    Cluster(ClusterArgs),
    /// Turn what comes again and again into proposed lessons.
    Analyze(AnalyzeArgs),
    /// Hold two versions of an agent's prompt against each other.
    Compare(CompareArgs),
    /// Show how agents do under the versions of their prompts.
    Stats(LearnStatsArgs),
    /// Collect the feedback of runs and corrections that is not there yet.
    Collect(CollectArgs),
    /// List the feedback that was collected.
    List(LearnListArgs),
    /// Show an entry or a lesson with all that it holds.
    Show(LearnShowArgs),
    /// Remove the entries that are too old or too many.
    Prune(LearnPruneArgs),
    /// Look at the lessons that are proposed, and decide on them.
    Review(LearnReviewArgs),
    /// Word a lesson that waits for a decision.
    Edit(EditLessonArgs),
    /// Approve a lesson, which puts it into the prompt of its agent.
    Approve(DecideArgs),
    /// Reject a lesson for good.
    Reject(DecideArgs),
    /// Put a lesson off.
    Defer(DeferArgs),
    /// Put what is approved into a new version of a prompt.
    Apply(ChangePromptArgs),
    /// Go back to an earlier version of a prompt.
    Rollback(ChangePromptArgs),
    /// Show what differs between two versions of a prompt.
    Diff(PromptDiffArgs),
    /// List the versions of a prompt.
    History(PromptHistoryArgs),
    /// Check the configuration of learning.
    #[command(subcommand)]
    Config(LearnConfigCommand),
}
