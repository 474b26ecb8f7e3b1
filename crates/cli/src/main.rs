//! The binary `ralph`: arguments in, reports and exit codes out.
//!
//! Everything that is decided is decided in the library crates; this one reads
//! the command line, the environment and the configuration, prints, and exits.

mod args;
mod clock;
mod command;
mod context;
mod environment;
mod error;
mod gone;
mod learning;
mod live;
mod output;
mod roots;
mod runs;
mod runtime;
mod session;
mod state;
mod target;

use std::process::ExitCode;

use review_process::{LAUNCH, LaunchError, Redactor, launch, signals};

use crate::args::Cli;
use crate::context::Context;
use crate::environment::Environment;
use crate::error::CommandError;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    // Before anything else, since it is done for each program of a run.
    if arguments.next().is_some_and(|first| first == LAUNCH) {
        return started(launch(arguments));
    }
    let arguments: Vec<_> = std::env::args_os().collect();
    let code = match Cli::read(&arguments) {
        Ok(cli) => run(cli),
        Err(usage) => output::print_usage(usage),
    };
    ExitCode::from(code.get())
}

/// The end of a launcher: one that became another program does not come back.
fn started(ended: Result<(), LaunchError>) -> ExitCode {
    let code = match ended {
        Ok(()) => return ExitCode::SUCCESS,
        Err(error) => CommandError::new(error.to_string()),
    };
    let ended = output::Streams::plain().finish(Err(code), Redactor::default);
    ExitCode::from(ended.get())
}

fn run(cli: Cli) -> review_types::ExitCode {
    let environment = match Environment::capture() {
        Ok(environment) => environment,
        Err(error) => return output::Streams::plain().finish(Err(error), Redactor::default),
    };
    let mut context = Context::new(environment, cli.common);
    if let Err(error) = signals::report_file_size_limit() {
        let error = CommandError::new("cannot handle signals").source(error);
        return context.finish(Err(error));
    }
    let ended = command::dispatch(&mut context, cli.command);
    let ended = ended.map_err(|error| error.after(context.interrupt()));
    context.finish(ended)
}
