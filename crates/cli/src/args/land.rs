//! Arguments of `land`.

use clap::Args;

use super::Format;

/// Bring finished work of agents to your branch.
#[derive(Debug, Args)]
#[command(after_help = LAND_EXAMPLES)]
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

const LAND_EXAMPLES: &str = "\
Examples:
  ralph land latest
  ralph land 0192f0c1 --branch review-me

The commands of the tasks run on the very commit that is to land, and the branch
moves only if all pass. Tasks that are not finished stay as they are.

Exit codes: 0 landed and all tasks passed, 1 not landed or a task is not finished,
2 no such run.";
