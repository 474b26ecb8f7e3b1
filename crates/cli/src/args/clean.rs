//! `clean`.

use std::time::Duration;

use clap::Args;
use review_document::parse_age;

use super::PlainFormat;

/// List the runs that can be removed, or remove runs.
#[derive(Debug, Args)]
#[command(after_help = CLEAN_EXAMPLES)]
pub(crate) struct CleanArgs {
    /// The runs to remove: ids, the beginnings of them, run folders, or latest.
    #[arg(value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// Remove the runs that were started longer ago than this, such as 30d or 12h.
    #[arg(long, value_name = "AGE", value_parser = age)]
    pub(crate) runs_older_than: Option<Duration>,
    /// Remove this run although it is blocked or interrupted and could be resumed, or
    /// what is left of one whose journal is lost; several times for several runs.
    #[arg(long, value_name = "RUN")]
    pub(crate) force: Vec<String>,
    /// Remove the private checkouts of the runs all of whose work has landed; the runs stay.
    #[arg(long, conflicts_with_all = ["runs", "runs_older_than", "force"])]
    pub(crate) landed: bool,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

fn age(text: &str) -> Result<Duration, String> {
    parse_age(text).ok_or_else(|| "must be a time such as 30d or 12h".to_owned())
}

const CLEAN_EXAMPLES: &str = "\
Examples:
  ralph clean                          list the runs; nothing is removed
  ralph clean 0192f0c1                 remove one run
  ralph clean --runs-older-than 30d    remove old runs
  ralph clean --force 0192f0c1         also one that could be resumed
  ralph clean --landed                 the checkouts of runs whose work has landed

Runs are kept until then. A run that is going on stays, and so do records: what
they prove to the gate, they prove without the run.

Exit codes: 0 listed or removed, 2 no such run, a run that is going on or could be
resumed, or a file cannot be used.";
