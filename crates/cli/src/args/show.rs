//! `report`, `diff`, `status` and `explain`.

use clap::Args;
use review_types::TaskNumber;

use super::findings::task_number;
use super::{PlainFormat, StatusFormat};

/// Show what a run did, or list the runs.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder. Without
    /// it the runs are listed.
    pub(crate) run: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

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

/// Show the tasks of specs with their records.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// The spec: a path, or a name in specs/ or specs/completed/; or a folder of roots
    /// [default: all specs].
    pub(crate) spec: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: StatusFormat,
}

/// Explain a rule, an exit code, a block code or another code of a report.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// What to explain: a code, a group such as block-codes, a group of rules such
    /// as B, or ALL for all rules [default: an overview].
    pub(crate) code: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}
