//! `init`, `doctor`, `schema`, `config` and `completions`.

use clap::{Args, ValueEnum};
use clap_complete::Shell;
use review_agents::{Backend, Chain};

use super::PlainFormat;

/// Write a first spec and its task; nothing is overwritten.
#[derive(Debug, Args)]
#[command(after_help = INIT_EXAMPLES)]
pub(crate) struct InitArgs {
    /// Write the definition of the agents of a client, too: from then on they
    /// are the project's own, to be changed at will.
    #[arg(long, value_enum, value_name = "CLIENT")]
    pub(crate) agent: Option<DefinedAgents>,
    /// Write only hooks into the settings of a client for this project, by which
    /// corrections of its users are recorded.
    #[arg(long, value_enum, value_name = "CLIENT")]
    pub(crate) hooks: Option<HookedClient>,
    /// Change the settings without asking.
    #[arg(long, requires = "hooks")]
    pub(crate) yes: bool,
}

/// A client that has hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookedClient {
    /// Claude Code: .claude/settings.json.
    Claude,
}

/// A client whose agents a project can define.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DefinedAgents {
    /// The agents that opencode is asked to be.
    Opencode,
}

const INIT_EXAMPLES: &str = "\
Examples:
  ralph init && ralph run
  ralph init --agent opencode
  ralph init --hooks claude --yes";

/// Check that everything a run needs is here.
#[derive(Debug, Args)]
#[command(after_help = DOCTOR_EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Check this reviewer, or chain of reviewers, in place of the configured one.
    #[arg(long, value_name = "BACKEND")]
    pub(crate) reviewer: Option<Chain>,
    /// Check this applier in place of the configured one.
    #[arg(long, value_name = "BACKEND", value_parser = Backend::single)]
    pub(crate) applier: Option<Backend>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const DOCTOR_EXAMPLES: &str = "\
Examples:
  ralph doctor
  ralph doctor --reviewer claude
  ralph doctor --format json

Exit codes: 0 usable, 1 not.";

/// Print the JSON schema of a format, or list the formats.
#[derive(Debug, Args)]
#[command(after_help = SCHEMA_EXAMPLES)]
pub(crate) struct SchemaArgs {
    /// The format. Without it the formats are listed.
    pub(crate) name: Option<String>,
}

const SCHEMA_EXAMPLES: &str = "\
Examples:
  ralph schema
  ralph schema verdict > verdict.schema.json";

/// Show every key with its value and where the value comes from.
#[derive(Debug, Args)]
#[command(after_help = CONFIG_EXAMPLES)]
pub(crate) struct ConfigArgs {
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

const CONFIG_EXAMPLES: &str = "\
Examples:
  ralph config
  ralph config --set review.patience=4 --format json";

/// Print the completions of a shell.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: Shell,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  ralph completions bash > ~/.local/share/bash-completion/completions/ralph";
