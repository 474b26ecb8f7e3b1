//! `ralph corrections`: what users corrected of the work of agents.

mod add;
mod capture;
mod import;
mod list;
mod patterns;
mod remove;
mod show;
mod stats;
mod validate;

use std::path::{Path, PathBuf};

use review_learning::corrections::{Correction, Mode, Validation};
use review_types::plural;

use super::input;
use crate::args::CorrectionsCommand;
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use review_report::shown;

/// Where corrections are kept, below the root.
const DEFAULT_FILE: &str = review_engine::learn::CORRECTIONS_FILE;

/// Carries out one of the commands.
pub(crate) fn run(context: &mut Context, command: CorrectionsCommand) -> Ended {
    match command {
        CorrectionsCommand::Validate(args) => validate::run(context, &args),
        CorrectionsCommand::Add(args) => add::run(context, &args),
        CorrectionsCommand::List(args) => list::run(context, &args),
        CorrectionsCommand::Remove(args) => remove::run(context, &args),
        CorrectionsCommand::Import(args) => import::run(context, &args),
        CorrectionsCommand::Capture(args) => capture::run(context, &args),
    }
}

/// The file that is meant: the one that was named, else that of the root.
fn data_file(context: &Context, named: Option<&Path>) -> PathBuf {
    match named {
        Some(path) => context.absolute(path),
        None => context.current_root().join(DEFAULT_FILE),
    }
}

/// Reads the corrections of a file one by one, as tolerantly as they can be
/// read, and warns of lines that are not valid.
fn each(
    context: &mut Context,
    named: Option<&Path>,
    take: impl FnMut(u64, Correction),
) -> Result<(), CommandError> {
    let is_stdin = named == Some(Path::new(input::STDIN));
    let file = match named {
        Some(path) if is_stdin => path.to_owned(),
        _ => data_file(context, named),
    };
    let input = match named {
        None if !file.exists() => {
            note_none(context);
            return Ok(());
        }
        _ => input::open(context, &file)?,
    };
    let mut validation = Validation::new(Mode::Import);
    validation.each(input, take).map_err(|error| {
        let message = format!("cannot read {}", file.display());
        CommandError::new(ErrorKind::Input, message).source(error)
    })?;
    warn_of_bad_lines(context, &file, validation.count() - validation.valid());
    Ok(())
}

/// Says how corrections come to be where there are none.
fn note_none(context: &mut Context) {
    context.streams.note(
        "no corrections yet: `ralph corrections add` records one, and \
         `ralph init --hooks claude` has Claude Code record them",
    );
}

fn warn_of_bad_lines(context: &mut Context, file: &Path, bad: u64) {
    if bad > 0 {
        let bad = plural(usize::try_from(bad).unwrap_or(usize::MAX), "line", "lines");
        let file = shown(context.environment.folder(), file);
        context.streams.warn(&format!(
            "{bad} left out; `ralph corrections validate {file}` says why"
        ));
    }
}
