//! Options that every command takes.

use std::path::PathBuf;

use clap::{ArgAction, Args};
use review_config::{ColorChoice, Setting};

use super::values::one_of;

/// Options that every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct CommonArgs {
    /// The one root of the project [default: nearest with ralph.toml, specs/ or
    /// .git, and those below it].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// The configuration file [default: ralph.toml of the root].
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Set a key of the configuration for this run; VALUE is TOML, else a string.
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<Setting>,
    /// The folder for journals, logs and records [default: .ralph-review].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) state_dir: Option<String>,
    /// When to use colours [default: auto].
    #[arg(long, global = true, value_name = "WHEN", value_parser = one_of::<ColorChoice>(ColorChoice::WORDS))]
    pub(crate) color: Option<ColorChoice>,
    /// Print the result alone: no progress, notes or warnings, and of a run only
    /// the line with its outcome.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Print more of what happens, the answers of agents as well; twice for all of it.
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub(crate) verbose: u8,
    /// Print help; `ralph help COMMAND` prints more.
    #[arg(short, long, global = true, action = ArgAction::HelpShort)]
    help: Option<bool>,
}
