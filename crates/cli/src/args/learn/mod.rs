//! `learn`.

mod analyze;
mod cluster;
mod config;
mod feedback;

use clap::{Args, Subcommand};

use super::{
    ChangePromptArgs, CompareArgs, DecideArgs, DeferArgs, EditLessonArgs, LearnReviewArgs,
    LearnStatsArgs, PromptDiffArgs, PromptHistoryArgs,
};

pub(crate) use analyze::AnalyzeArgs;
pub(crate) use cluster::ClusterArgs;
pub(crate) use config::{CheckLearningArgs, LearnConfigCommand};
pub(crate) use feedback::{
    CollectArgs, LearnEntriesArgs, LearnListArgs, LearnPruneArgs, LearnShowArgs, Since,
};

/// What is learned from what went wrong; alone, the state and the next command.
#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Option<LearnCommand>,
}

/// What is done with feedback, lessons and prompts.
#[derive(Debug, Subcommand)]
pub(crate) enum LearnCommand {
    /// List the lessons with their state.
    List(LearnListArgs),
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
    /// List the feedback that was collected.
    Entries(LearnEntriesArgs),
    /// Show an entry or a lesson with all that it holds.
    Show(LearnShowArgs),
    /// Collect the feedback of runs and corrections that is not there yet.
    Collect(CollectArgs),
    /// Turn what comes again and again into proposed lessons.
    Analyze(AnalyzeArgs),
    /// List the versions of a prompt, and when and why each came into use.
    History(PromptHistoryArgs),
    /// Show what differs between two versions of a prompt.
    Diff(PromptDiffArgs),
    /// Put what is approved into a new version of a prompt.
    Apply(ChangePromptArgs),
    /// Go back to an earlier version of a prompt.
    Rollback(ChangePromptArgs),
    /// Show how agents do under the versions of their prompts.
    Stats(LearnStatsArgs),
    /// Hold two versions of an agent's prompt against each other.
    Compare(CompareArgs),
    /// Group feedback by what it is about.
    #[command(hide = true)]
    Cluster(ClusterArgs),
    /// Remove the entries that are too old or too many.
    #[command(hide = true)]
    Prune(LearnPruneArgs),
    /// Check the configuration of learning.
    #[command(subcommand, hide = true)]
    Config(LearnConfigCommand),
}
