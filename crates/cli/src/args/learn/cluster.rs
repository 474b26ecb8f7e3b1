//! `learn cluster`.

use std::path::PathBuf;

use clap::Args;

use crate::args::Format;
use crate::args::values::whole;

/// Group feedback by what it is about.
#[derive(Debug, Args)]
#[command(after_help = CLUSTER_HELP)]
pub(crate) struct ClusterArgs {
    /// The feedback, one JSON object a line; - for standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) input: PathBuf,
    /// Smaller groups do not count as clusters.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole::<u32>)]
    pub(crate) min_cluster_size: u32,
    /// Words that mean the same, beside those that are embedded; one concept a
    /// line: NAME: WORD WORD [default: .aiwg/lexicon.txt of the root, if there].
    #[arg(long, value_name = "FILE")]
    pub(crate) lexicon: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

const CLUSTER_HELP: &str = "\
A line is a feedback entry with its id and in `details` error_message,
correction, expected and actual; or an object that has these members itself. An
issue may also be called issue, message or text. A line without an id is known by
its number. `--format jsonl` prints a line for each line that is read:
{\"id\", \"cluster\", \"issue\"}; clusters are numbered from 0, the largest first, and -1
stands for none. Entries of a cluster with the same issue number are about the same
issue.

Examples:
  ralph learn cluster --input feedback.jsonl
  ralph learn cluster --input feedback.jsonl --format jsonl

Exit codes: 0 grouped, 2 cannot be read, 4 no feedback.";
