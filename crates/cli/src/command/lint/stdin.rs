//! Checks standard input as if it were a file.

use std::io::Read as _;
use std::path::Path;

use review_engine::lint::{Fixes, Selection, fix};
use review_report::{Styling, lint};
use review_store::{Overlay, Root};

use super::printing::{Mode, exit_code, linting, print, up_to, warn_of_refused};
use super::{LintArgs, LintFormat, diff};
use crate::context::Context;
use crate::error::{CommandError, CommandResult};

/// The largest text that is read; a larger file would not be either.
const MAX_TEXT: u64 = 64 << 20;

/// Checks standard input in the place of `path`, with all other files as they
/// are on disk. With `--fix` the text is printed as fixes leave it, and what
/// is found in it then goes to standard error.
pub(super) fn run(context: &mut Context, args: &LintArgs, path: &Path) -> CommandResult {
    let mode = Mode::of(args);
    if mode == Mode::Fix && args.format != LintFormat::Human {
        let message = "--stdin-path with --fix prints the fixed text, so it allows no --format";
        return Err(CommandError::new(message));
    }
    let path = context.absolute(path);
    let root = context.root_of(&path);
    let opened = Root::open(&root)?;
    let file = opened.relative(&path);
    let file = file?;
    let text = read()?;
    let mut overlay = Overlay::default();
    overlay.insert(file.clone(), text.as_slice());
    let selection = Selection::of_text(&root, path, &overlay)?;
    let mut linting = linting(context, args, &selection)?;
    linting.only = Some(file.to_string());
    let checked = linting.check(&overlay)?;
    let fixes = match mode {
        Mode::Check => Fixes::none(checked),
        Mode::Fix | Mode::Diff => fix(&linting, overlay, checked, up_to(args))?,
    };
    warn_of_refused(context, &fixes);
    let Fixes { checked, files, .. } = fixes;
    let fails = linting.fails(&checked);
    match mode {
        Mode::Check => print(context, args.format, &checked)?,
        Mode::Diff => {
            let files = files.iter().map(|file| (selection.root.path(), file));
            return diff::print(context, files, checked.fixed);
        }
        Mode::Fix => {
            let fixed = files.first().map(|file| file.after.as_bytes());
            context.streams.print_raw(fixed.unwrap_or(&text))?;
            let folder = context.environment.folder();
            let report = lint::human(&checked.report(folder), folder, Styling::Ansi);
            context.streams.tell(&report);
        }
    }
    Ok(exit_code(&checked, fails))
}

fn read() -> Result<Vec<u8>, CommandError> {
    let mut text = Vec::new();
    let read = std::io::stdin().take(MAX_TEXT + 1).read_to_end(&mut text);
    let cannot = || CommandError::new("cannot read standard input");
    read.map_err(|error| cannot().source(error))?;
    if text.len() as u64 > MAX_TEXT {
        let message = format!("standard input is larger than {} MiB", MAX_TEXT >> 20);
        return Err(CommandError::new(message));
    }
    Ok(text)
}
