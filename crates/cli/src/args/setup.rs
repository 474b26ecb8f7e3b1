//! `init` and `doctor`.

use clap::{Args, ValueEnum};
use review_agents::{Backend, Chain};

use super::PlainFormat;

/// Write a first spec and its task; nothing is overwritten.
#[derive(Debug, Args)]
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

/// Check that everything a run needs is here.
#[derive(Debug, Args)]
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
