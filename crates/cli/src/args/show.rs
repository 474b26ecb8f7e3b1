//! `diff`.

use clap::Args;
use review_types::TaskNumber;

use super::{PlainFormat, task_number};

/// Show what a run changed.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder.
    pub(crate) run: String,
    /// Show what the applier changed after the review of this round.
    #[arg(long, value_name = "N", conflicts_with = "task")]
    pub(crate) round: Option<u32>,
    /// Show the last attempt at this task.
    #[arg(long, value_name = "ID", value_parser = task_number)]
    pub(crate) task: Option<TaskNumber>,
    /// Count the lines of each file.
    #[arg(long)]
    pub(crate) stat: bool,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}
