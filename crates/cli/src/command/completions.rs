//! `ralph completions`: the completions of a shell.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use review_types::ExitCode;

use crate::args::Cli;
use crate::context::Context;
use crate::error::CommandResult;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// Prints the completions of a shell.
pub(crate) fn run(context: &mut Context, args: &CompletionsArgs) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ralph", &mut script);
    context.streams.print_raw(&script)?;
    Ok(ExitCode::Passed)
}
