//! All that is printed goes through here: results to standard output,
//! everything else to standard error.

pub(crate) mod color;
mod commands;
mod json;
mod log;
mod stream;

pub(crate) use json::to_json;
pub(crate) use log::show_log;
pub(crate) use stream::{Streams, error_width};

pub(crate) use review_report::{Versioned, coloured, printable, style, unified};

use review_process::Redactor;
use review_types::ExitCode;

use crate::environment::Environment;
use crate::error::CommandError;
use crate::gone;

/// Prints what the argument parser has to say: help and the version on
/// standard output, usage errors on standard error.
pub(crate) fn print_usage(said: clap::Error) -> ExitCode {
    let mut streams = Streams::plain();
    // Without its folder a process has help all the same, in plain text.
    if let Ok(environment) = Environment::capture() {
        streams.break_commands(environment.is_ci());
        streams.set_colors(color::of_variable(&environment), &environment);
        if said.use_stderr()
            && let Some(answer) = gone::answer(&said, &environment.arguments)
        {
            return streams.finish(Err(CommandError::new(answer)), Redactor::default);
        }
    }
    let text = said.render().ansi().to_string();
    let ended = match said.use_stderr() {
        true => {
            streams.say(&text);
            Ok(ExitCode::Error)
        }
        false => streams.print(&text).map(|()| ExitCode::Passed),
    };
    streams.finish(ended, Redactor::default)
}
