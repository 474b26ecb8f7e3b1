//! `report`, `diff`, `status` and `explain`.

use clap::Args;
use review_types::TaskNumber;

use super::findings::task_number;
use super::{PlainFormat, StatusFormat};

/// Show what a run did, or list the runs.
#[derive(Debug, Args)]
#[command(after_help = REPORT_EXAMPLES)]
pub(crate) struct ReportArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder. Without
    /// it the runs are listed.
    pub(crate) run: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const REPORT_EXAMPLES: &str = "\
Examples:
  ralph report
  ralph report latest";

/// Show what a run changed.
#[derive(Debug, Args)]
#[command(after_help = DIFF_EXAMPLES)]
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

const DIFF_EXAMPLES: &str = "\
Examples:
  ralph diff latest              what the run changed in all
  ralph diff latest --round 2    what the applier changed after round 2
  ralph diff latest --task 3     the last attempt at task 3, landed or not";

/// Show the tasks of specs with their records.
#[derive(Debug, Args)]
#[command(after_help = STATUS_EXAMPLES)]
pub(crate) struct StatusArgs {
    /// The spec: a path, or a name in specs/ or specs/completed/; or a folder of roots
    /// [default: all specs].
    pub(crate) spec: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: StatusFormat,
}

const STATUS_EXAMPLES: &str = "\
Examples:
  ralph status
  ralph status SEARCH --format json
  ralph status SEARCH --format mermaid  which task waits for which";

/// Explain a rule, an exit code, a block code or another code of a report.
#[derive(Debug, Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// What to explain: a code, a group such as block-codes, a group of rules such
    /// as B, or ALL for all rules [default: an overview].
    pub(crate) code: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  ralph explain                        what there is
  ralph explain B3                     a rule by its code
  ralph explain filter-selects-nothing a rule by its name
  ralph explain 3                      an exit code
  ralph explain no_change              a block code
  ralph explain block-codes            a group";
