//! `ralph completions`: the completions of a shell.

use clap::CommandFactory as _;
use review_types::ExitCode;

use crate::args::{Cli, CompletionsArgs};
use crate::context::Context;
use crate::error::Ended;

/// Prints the completions of a shell.
pub(crate) fn run(context: &mut Context, args: &CompletionsArgs) -> Ended {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ralph", &mut script);
    context.streams.print_raw(&script)?;
    Ok(ExitCode::Passed)
}
