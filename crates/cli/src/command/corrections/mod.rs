//! `ralph corrections`: what users corrected of the work of agents.

mod add;
mod capture;
mod import;
mod list;
mod patterns;
mod remove;
mod validate;

use std::path::{Path, PathBuf};

use clap::Subcommand;
use review_engine::learn::CORRECTIONS_FILE;
use review_learning::corrections::{Correction, Mode, Validation};
use review_report::shown;
use review_store::{FileError, LineFile, Root};
use review_types::plural;

use crate::context::Context;
use crate::error::{CommandError, CommandResult, cannot};

/// What users corrected of the work of agents.
#[derive(Debug, Subcommand)]
pub(crate) enum CorrectionsCommand {
    /// Check files of corrections; a bad line hides no other.
    Validate(validate::ValidateCorrectionsArgs),
    /// Append a correction: from the options, or from JSON on standard input.
    Add(Box<add::AddCorrectionArgs>),
    /// List corrections with their impact, show one, or group them.
    List(list::ListCorrectionsArgs),
    /// Remove one correction that is wrong.
    Remove(remove::RemoveCorrectionArgs),
    /// Gather the corrections, findings and learnings of a folder into
    /// patterns.json, trends.json and promotion-log.jsonl.
    Import(import::ImportArgs),
    /// Record a correction from a client's hook on standard input.
    Capture(capture::CaptureArgs),
}

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

/// The file of the root.
///
/// # Errors
/// When it leads out of the root, or is not a regular file.
fn data_file(context: &Context) -> Result<PathBuf, CommandError> {
    own_file(&context.current_root(), CORRECTIONS_FILE)
}

/// A file of a root, which need not exist.
///
/// # Errors
/// When it leads out of the root, or is not a regular file.
pub(super) fn own_file(root: &Path, name: &str) -> Result<PathBuf, CommandError> {
    Root::open(root)?.open_file(name)?;
    Ok(root.join(name))
}

/// Appends a line to a file of corrections.
///
/// # Errors
/// When it cannot be written.
pub(super) fn append(file: &Path, line: &str) -> Result<(), FileError> {
    let mut lines = LineFile::open(file)?;
    lines.append(line.as_bytes())?;
    lines.sync()
}

/// Reads the corrections of the root one by one, as tolerantly as they can be read, and
/// warns of lines that are not valid.
fn each(context: &mut Context, take: impl FnMut(u64, Correction)) -> Result<(), CommandError> {
    let file = data_file(context)?;
    if !file.exists() {
        note_none(context);
        return Ok(());
    }
    let mut validation = Validation::new(Mode::Import);
    let input = context.input(&file)?.lines()?;
    let read = validation.each(input, take);
    read.map_err(cannot(format!("read {}", file.display())))?;
    warn_of_bad_lines(context, &file, validation.count() - validation.valid());
    Ok(())
}

/// Says how corrections are recorded, where none is.
fn note_none(context: &mut Context) {
    context.streams.note(
        "no corrections yet: `ralph corrections add` records one, and \
         `ralph init --hooks claude` has Claude Code record them",
    );
}

fn warn_of_bad_lines(context: &mut Context, file: &Path, bad: u64) {
    if bad > 0 {
        let bad = plural(usize::try_from(bad).unwrap_or(usize::MAX), "line", "lines");
        let file = shown(&context.environment.folder, file);
        context.streams.warn(&format!(
            "{bad} left out; `ralph corrections validate {file}` says why"
        ));
    }
}
