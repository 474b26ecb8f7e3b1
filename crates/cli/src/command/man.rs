//! `ralph man`: manual pages.

use clap::CommandFactory as _;
use review_types::ExitCode;

use crate::args::{Cli, ManArgs};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};

/// Prints the page of `ralph` or of one of its commands.
pub(crate) fn run(context: &mut Context, args: &ManArgs) -> Ended {
    let mut whole = Cli::command();
    whole.build();
    let mut command = whole;
    for name in &args.command {
        command = command.find_subcommand(name).cloned().ok_or_else(|| {
            CommandError::new(ErrorKind::Usage, format!("unknown command \"{name}\""))
                .hint("`ralph --help` lists the commands")
        })?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .source(concat!("ralph ", env!("CARGO_PKG_VERSION")))
        .render(&mut page)
        .map_err(|error| {
            CommandError::new(ErrorKind::Output, "cannot write the manual page").source(error)
        })?;
    context.streams.print_raw(&page)?;
    Ok(ExitCode::Passed)
}
