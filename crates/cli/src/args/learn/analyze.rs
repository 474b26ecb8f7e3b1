//! `learn analyze`.

use clap::Args;

use crate::args::PlainFormat;

/// Turn what comes again and again into proposed lessons.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct AnalyzeArgs {
    /// The agent that is to learn [default: each of which there is feedback].
    #[arg(value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// It is time for it, and nobody asked: said in the events.
    #[arg(long)]
    pub(crate) scheduled: bool,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const HELP: &str = "\
The feedback of an agent is grouped by what it is about. What comes at least three
times, and more often than frequency_threshold, becomes a lesson of the status
proposed in .aiwg/.lessons/AGENT, in the words of the feedback that stands for all;
a lesson that is there already is raised. Nothing is applied.

Examples:
  ralph learn analyze
  ralph learn analyze applier --format json

Exit codes: 0 analysed, 2 learning is not configured or a file cannot be read,
4 no feedback.";
