//! `learn config`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::args::PlainFormat;

/// What is done with the configuration of learning.
#[derive(Debug, Subcommand)]
pub(crate) enum LearnConfigCommand {
    /// Check the configuration, and say which file is used.
    Check(CheckLearningArgs),
}

/// Check the configuration, and say which file is used.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckLearningArgs {
    /// The files, YAML or TOML with a table `[learning]` [default: ralph.toml and
    /// .aiwg/agent-learning.yaml of the root].
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  ralph learn config check
  ralph learn config check other/agent-learning.yaml --format json

Where both files are there, the table [learning] of ralph.toml is used, and the
other file is not read.

Exit codes: 0 valid, or nothing to check, 1 not valid, 2 a file cannot be read.";
