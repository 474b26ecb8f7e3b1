//! `agents`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use review_agents::RecordedBackend;

use super::PlainFormat;

/// Show the backends, or the result of a recorded call.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// Show each backend, what it can be and what it needs.
    #[command(after_help = LIST_EXAMPLES)]
    List {
        /// How to print.
        #[arg(long, value_enum, default_value_t)]
        format: PlainFormat,
    },
    /// Read the recording of a call and print its result.
    Replay(ReplayArgs),
}

const LIST_EXAMPLES: &str = "\
Examples:
  ralph agents list
  ralph agents list --format json";

/// Read the recording of a call and print its result, as one JSON object.
#[derive(Debug, Args)]
#[command(after_help = REPLAY_EXAMPLES)]
pub(crate) struct ReplayArgs {
    /// Who made the call: opencode, claude, codex, gemini or http:PROFILE, where
    /// any name of a profile will do.
    pub(crate) backend: RecordedBackend,
    /// The recording: the path of its files without .meta.json, .stdout,
    /// .stderr and .http.jsonl.
    pub(crate) case: PathBuf,
}

const REPLAY_EXAMPLES: &str = "\
Examples:
  ralph agents replay claude recordings/claude/success
  ralph agents replay http:local kept/001-review.review-1.1-1

Exit codes: 0 an answer, 3 any other outcome.";
