//! Arguments of `land`.

use clap::Args;

use super::Format;

/// Bring finished work of agents to your branch.
#[derive(Debug, Args)]
pub(crate) struct LandArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder.
    pub(crate) run: String,
    /// Land on this branch, which is checked out nowhere or does not exist, instead
    /// of the branch that the run is for.
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}
