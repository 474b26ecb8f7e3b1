//! `learn analyze`.

use std::num::NonZeroU32;

use clap::Args;
use review_agents::Chain;
use review_config::Overrides;
use review_types::Usd;

use crate::args::values::{amount, count};
use crate::args::{PlainFormat, RecordingArgs};

/// Turn what comes again and again into proposed lessons.
#[derive(Debug, Args)]
#[command(
    after_help = HELP,
    mut_arg("record", |arg| arg.hide(true)),
    mut_arg("replay", |arg| arg.hide(true))
)]
pub(crate) struct AnalyzeArgs {
    /// The agent that is to learn [default: each of which there is feedback].
    #[arg(value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// The analysis is scheduled, which the events say.
    #[arg(long, hide = true)]
    pub(crate) scheduled: bool,
    /// Who puts lessons into words: a backend as `run` takes it; several with
    /// commas between them are asked in turn [default: the
    /// reviewer of ralph.toml].
    #[arg(long, value_name = "BACKEND[,BACKEND]")]
    pub(crate) reviewer: Option<Chain>,
    /// Calls of it [default: that of lesson_extraction.max_calls].
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) max_calls: Option<NonZeroU32>,
    /// Tokens that these calls read and write together [default: that of
    /// lesson_extraction.max_tokens].
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) max_tokens: Option<NonZeroU32>,
    /// US dollars that these calls cost together, by the prices in [models.NAME]
    /// of ralph.toml [default: that of lesson_extraction.max_cost].
    #[arg(long, value_name = "USD", value_parser = amount)]
    pub(crate) max_cost: Option<Usd>,
    /// Whether calls are kept or played.
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const HELP: &str = "\
The feedback of an agent is grouped by what it is about. What comes at least three
times, and more often than frequency_threshold, becomes a lesson of the status
proposed in .aiwg/.lessons/AGENT; a lesson that is there already is raised. Nothing
is applied.

Lessons are in the words of the reviewer, unless that is builtin or llm_driven is
false. It must cite the entries that a lesson follows from; an answer that cannot
be used is asked for once more, with what is wrong in it. Where it gives none, the
lesson is in the words of the feedback that stands for all, and that is said.

Examples:
  ralph learn analyze
  ralph learn analyze applier --format json
  ralph learn analyze --reviewer claude --max-calls 10

Exit codes: 0 analysed, 2 learning is not configured, a file cannot be read, or a
limit of cost cannot be kept since a price is unknown, 4 no feedback.";

impl AnalyzeArgs {
    /// What the options say in place of the configuration.
    pub(crate) fn overrides(&self) -> Overrides {
        Overrides {
            reviewer: self.reviewer.clone(),
            ..Overrides::default()
        }
    }
}
