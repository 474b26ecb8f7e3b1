//! Checks again whenever files change, until a signal ends it.

mod events;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use review_engine::lint::{Batch, Change, Concern, Linted, Linting, Selection};
use review_store::{Overlay, Surroundings};
use review_types::{ExitCode, plural};

use super::printing::{linting, print, selections};
use crate::args::LintArgs;
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::world::World;
use events::{Folders, Touched};

/// Clears a terminal and what was scrolled out of it.
const CLEAR: &[u8] = b"\x1b[2J\x1b[3J\x1b[H";
/// Folders in which nothing is watched.
const SKIPPED: [&str; 2] = ["node_modules", "target"];

/// Checks what the arguments name now and whenever it changes. What is wrong
/// at the beginning ends the command; what is wrong later may be fixed by the
/// next change.
pub(super) fn run(context: &mut Context, args: &LintArgs) -> Ended {
    let world = World::new(context)?;
    let mut folders = Folders::new()?;
    let mut started = false;
    loop {
        match round(context, args, &world, &mut folders, &mut started) {
            Ok(Next::Anew) => {}
            Ok(Next::End(code)) => return Ok(code),
            Err(error) if !started => return Err(error),
            Err(error) => {
                context.streams.say(&error.render());
                if world.wait(folders.next()).is_none() {
                    return Ok(world.interrupted());
                }
            }
        }
    }
}

/// Checks a selection for as long as it stays the same.
fn round(
    context: &mut Context,
    args: &LintArgs,
    world: &World,
    folders: &mut Folders,
    started: &mut bool,
) -> Result<Next, CommandError> {
    let selections = selections(context, args, &[])?;
    let mut watch = Watch::start(context, args, &selections, folders)?;
    *started = true;
    watch.run(context, args, world, folders)
}

/// What follows a change that is not about single batches.
enum Next {
    /// Everything is selected and checked again.
    Anew,
    /// The command ends.
    End(ExitCode),
}

/// What is watched, and what was found in it.
struct Watch<'a> {
    linting: Linting<'a>,
    tracked: Vec<String>,
    around: Surroundings,
    linted: Vec<Arc<Linted>>,
}

impl<'a> Watch<'a> {
    /// Watches and checks a selection.
    fn start(
        context: &mut Context,
        args: &LintArgs,
        selections: &'a [Selection],
        folders: &mut Folders,
    ) -> Result<Self, CommandError> {
        let [selection] = selections else {
            let message = "--watch checks the files of one root";
            return Err(CommandError::new(ErrorKind::Usage, message));
        };
        let linting = linting(context, args, selection)?;
        let tracked = selection.files();
        let around = gather(&linting, &tracked, folders)?;
        let mut watch = Self {
            linting,
            tracked,
            around,
            linted: Vec::new(),
        };
        for batch in &selection.batches {
            let linted = watch.lint(batch)?;
            watch.linted.push(linted);
        }
        watch.print(context, args)?;
        Ok(watch)
    }

    /// Waits for changes and checks what they concern.
    fn run(
        &mut self,
        context: &mut Context,
        args: &LintArgs,
        world: &World,
        folders: &mut Folders,
    ) -> Result<Next, CommandError> {
        let selection = self.linting.selection;
        loop {
            let Some(touched) = world.wait(folders.next()) else {
                return Ok(Next::End(world.interrupted()));
            };
            let change = self.change(context, args, &touched, folders)?;
            let files: Vec<_> = selection.batches.iter().map(Batch::files).collect();
            match change.concern(&files) {
                Concern::Anew => return Ok(Next::Anew),
                Concern::Batches(batches) if batches.is_empty() => {}
                Concern::Batches(batches) => {
                    for index in batches {
                        self.linted[index] = self.lint(&selection.batches[index])?;
                    }
                    self.print(context, args)?;
                }
            }
            if context.streams.out.is_gone() {
                return Ok(Next::End(ExitCode::Passed));
            }
        }
    }

    /// What is different since the last check.
    fn change(
        &mut self,
        context: &Context,
        args: &LintArgs,
        touched: &Touched,
        folders: &mut Folders,
    ) -> Result<Change, CommandError> {
        let root = self.linting.selection.root.path();
        for path in touched.paths.iter().filter(|path| is_watched(root, path)) {
            folders.watch(path)?;
        }
        let around = gather(&self.linting, &self.tracked, folders)?;
        let selections = selections(context, args, &[])?;
        let is_same = |new: &Selection| new.batches == self.linting.selection.batches;
        let below = |path: &PathBuf| Some(path.strip_prefix(root).ok()?.to_str()?.to_owned());
        let change = Change {
            written: touched.paths.iter().filter_map(below).collect(),
            selection: touched.more || !selections.first().is_some_and(is_same),
            around: around != self.around,
        };
        self.around = around;
        Ok(change)
    }

    fn lint(&self, batch: &Batch) -> Result<Arc<Linted>, CommandError> {
        let overlay = Overlay::default();
        let lookup = self.linting.lookup(&self.tracked, &overlay);
        let linted = self.linting.lint(batch, &self.around, lookup)?;
        Ok(Arc::new(linted))
    }

    fn print(&self, context: &mut Context, args: &LintArgs) -> Result<(), CommandError> {
        let checked = self.linting.checked(self.linted.iter().cloned());
        if context.streams.out.is_terminal() {
            context.streams.print_raw(CLEAR)?;
        }
        print(context, args.format, &checked)?;
        context.streams.print_now("")?;
        if context.shows_progress() {
            let files = plural(self.tracked.len(), "file", "files");
            context
                .streams
                .note(&format!("watching {files}; Ctrl-C ends it"));
        }
        Ok(())
    }
}

/// What is around the files that are checked, once all its folders are watched.
fn gather(
    linting: &Linting<'_>,
    tracked: &[String],
    folders: &mut Folders,
) -> Result<Surroundings, CommandError> {
    let root = &linting.selection.root;
    let overlay = Overlay::default();
    loop {
        let around = Surroundings::gather(root, linting.lookup(tracked, &overlay));
        let paths = around.paths();
        let files = paths.files().iter().chain(tracked);
        let mut new = folders.watch(root.path())?;
        for folder in above(files) {
            new |= folders.watch(&root.path().join(folder))?;
        }
        // A file that came before its folder was watched is seen now.
        if !new {
            return Ok(around);
        }
    }
}

/// The folders that files are in, and those above.
fn above<'f>(files: impl Iterator<Item = &'f String>) -> BTreeSet<&'f str> {
    let mut folders = BTreeSet::new();
    for file in files {
        let mut rest = file.as_str();
        while let Some((folder, _)) = rest.rsplit_once('/') {
            if !folders.insert(folder) {
                break;
            }
            rest = folder;
        }
    }
    folders
}

/// Whether something that has come may be a folder with files of the project.
fn is_watched(root: &Path, path: &Path) -> bool {
    let Ok(below) = path.strip_prefix(root) else {
        return false;
    };
    let is_skipped = |name: &str| name.starts_with('.') || SKIPPED.contains(&name);
    let mut names = below.iter();
    !names.any(|name| name.to_str().is_none_or(is_skipped))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_folders_above_files_are_watched() {
        let files = ["a/b/c.md", "a/d.md", "e.md", "a/b/f/g/h.md"].map(str::to_owned);
        let folders: Vec<_> = above(files.iter()).into_iter().collect();
        assert_eq!(folders, ["a", "a/b", "a/b/f", "a/b/f/g"]);
    }

    #[test]
    fn new_folders_are_watched_unless_they_hold_no_sources() {
        for (path, expected) in [
            ("/r/specs/new", true),
            ("/r", true),
            ("/r/target/debug", false),
            ("/r/a/node_modules", false),
            ("/r/.git/objects", false),
            ("/other/specs", false),
        ] {
            assert_eq!(
                is_watched(Path::new("/r"), Path::new(path)),
                expected,
                "{path}"
            );
        }
    }
}
