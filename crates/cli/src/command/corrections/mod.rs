//! `ralph corrections`: what users corrected of the work of agents.

mod add;
mod capture;
mod import;
mod list;
mod patterns;
mod remove;
mod validate;

use std::path::{Path, PathBuf};

use review_learning::corrections::{Correction, Mode, Validation};
use review_store::LineFile;
use review_types::plural;

use super::input;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::target::open_root;
use add::AddCorrectionArgs;
use capture::CaptureArgs;
use clap::Subcommand;
use import::ImportArgs;
use list::ListCorrectionsArgs;
use remove::RemoveCorrectionArgs;
use review_report::shown;
use validate::ValidateCorrectionsArgs;

/// What users corrected of the work of agents.
#[derive(Debug, Subcommand)]
pub(crate) enum CorrectionsCommand {
    /// Check files of corrections; a bad line hides no other.
    Validate(ValidateCorrectionsArgs),
    /// Append a correction: from the options, or from JSON on standard input.
    Add(Box<AddCorrectionArgs>),
    /// List corrections with their impact, show one, or group them.
    List(ListCorrectionsArgs),
    /// Remove one correction that is wrong.
    Remove(RemoveCorrectionArgs),
    /// Gather the corrections, findings and learnings of a folder into
    /// patterns.json, trends.json and promotion-log.jsonl.
    Import(ImportArgs),
    /// Read what a client's hook reports, and append a correction if it is one.
    Capture(CaptureArgs),
}

/// Where corrections are kept, below the root.
const DEFAULT_FILE: &str = review_engine::learn::CORRECTIONS_FILE;

/// Carries out one of the commands.
pub(crate) fn run(context: &mut Context, command: CorrectionsCommand) -> CommandResult {
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
///
/// # Errors
/// When that of the root leads out of it, or is no regular file.
fn data_file(context: &Context, named: Option<&Path>) -> Result<PathBuf, CommandError> {
    match named {
        Some(path) => Ok(context.absolute(path)),
        None => own_file(&context.current_root(), DEFAULT_FILE),
    }
}

/// A file of a root, which need not exist.
///
/// # Errors
/// When it leads out of the root, or is no regular file.
pub(super) fn own_file(root: &Path, name: &str) -> Result<PathBuf, CommandError> {
    let opened = open_root(root)?.open_file(name);
    opened?;
    Ok(root.join(name))
}

/// Appends a line to a file of corrections.
///
/// # Errors
/// When it cannot be written.
pub(super) fn append(file: &Path, line: &str) -> Result<(), CommandError> {
    let appended = LineFile::open(file).and_then(|mut lines| lines.append(line.as_bytes()));
    appended.map_err(CommandError::from)
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
        _ => data_file(context, named)?,
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
        CommandError::new(message).source(error)
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
