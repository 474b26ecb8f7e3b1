//! All that is printed goes through here: results to standard output,
//! everything else to standard error.

mod color;
mod diff;
mod github;
mod json;
mod log;
mod source;
mod stream;
pub(crate) mod style;
mod text;

pub(crate) use color::ColorChoice;
pub(crate) use diff::{coloured, unified};
pub(crate) use github::{Annotation, AnnotationLevel};
pub(crate) use json::{Version, to_json};
pub(crate) use log::show_log;
pub(crate) use source::{NoteLevel, SourceNote, line_of};
pub(crate) use stream::Streams;
pub(crate) use text::{duration, printable};

use review_types::ExitCode;

/// Prints what the argument parser has to say: help and the version on
/// standard output, usage errors on standard error.
pub(crate) fn print_usage(said: &clap::Error) -> ExitCode {
    // Where even this cannot be printed, the exit code is all that is left.
    let _ = said.print();
    match said.exit_code() {
        0 => ExitCode::Passed,
        _ => ExitCode::Error,
    }
}
