//! `ralph lint`: specs and tasks under the rules of the embedded reviewer.

mod diff;
mod printing;
mod stdin;

use review_engine::lint::{Checked, Fixes, fix};
use review_store::Overlay;

use crate::args::{LintArgs, LintFormat};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use printing::{Mode, exit_code, linting, note_alone, print, selections, up_to, warn_of_refused};

/// Checks what the arguments name and prints what was found.
pub(crate) fn run(context: &mut Context, args: &LintArgs) -> Ended {
    if args.diff && args.format != LintFormat::Human {
        let message = "--diff prints a unified diff, so it allows no --format";
        return Err(CommandError::new(ErrorKind::Usage, message));
    }
    if let Some(path) = &args.stdin_path {
        return stdin::run(context, args, path);
    }
    let nested = match args.paths.is_empty() {
        true => context.nested_roots()?,
        false => Vec::new(),
    };
    let selections = selections(context, args, &nested)?;
    let mut all = Checked::default();
    let mut fails = false;
    let mut files = Vec::new();
    for selection in &selections {
        let linting = linting(context, args, selection)?;
        let nothing = Overlay::default();
        let checked = linting.check(&nothing)?;
        let fixes = match Mode::of(args) {
            Mode::Check => Fixes::none(checked),
            Mode::Fix | Mode::Diff => fix(&linting, nothing, checked, up_to(args))?,
        };
        warn_of_refused(context, &fixes);
        if Mode::of(args) == Mode::Fix {
            for file in &fixes.files {
                file.write(&selection.root)?;
            }
        }
        fails |= linting.fails(&fixes.checked);
        let root = selection.root.path();
        files.extend(fixes.files.into_iter().map(|file| (root, file)));
        all.add(fixes.checked);
    }
    if Mode::of(args) == Mode::Diff {
        let files = files.iter().map(|(root, file)| (*root, file));
        return diff::print(context, files, all.fixed);
    }
    print(context, args.format, &all)?;
    note_alone(context, &selections);
    Ok(exit_code(&all, fails))
}
