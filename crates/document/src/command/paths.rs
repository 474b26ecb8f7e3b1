//! The paths that a script needs.

use super::meaning::{Folder, Invocation, Runner};
use super::{Joint, Program, Script, SimpleCommand, Word};
use crate::Span;

/// A path that must exist for a script to succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathUse {
    /// The path from the root, without `./` and `/...`.
    pub path: String,
    /// The kind of file that must be there.
    pub kind: PathKind,
    /// The word that names it.
    pub span: Span,
}

/// The kind of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A file or folder of any kind.
    Any,
    /// A folder with Go files, or with folders that contain some.
    GoPackage,
    /// A file or folder of Python tests.
    Python,
    /// Part of the path of a JavaScript or TypeScript test file.
    NodePattern,
}

impl Script<'_> {
    /// Returns the paths that must exist before it runs, in the order in which it names
    /// them, without those that an earlier command of the script may create.
    pub fn paths(&self) -> Vec<PathUse> {
        let mut found = Vec::new();
        let mut writes = self.is_compound;
        let commands = self.commands();
        for (invocation, command) in self.invocations.iter().zip(commands) {
            let next = commands.get(invocation.command + 1);
            let excused = command.negated || next.is_some_and(|next| next.joint == Joint::Or);
            if !excused {
                collect(command, invocation, writes, &mut found);
            }
            writes |= may_write(command, invocation.runner);
        }
        found
    }
}

fn may_write(command: &SimpleCommand<'_>, runner: Runner) -> bool {
    runner != Runner::Check || command.redirects.iter().any(|redirect| redirect.writes)
}

fn collect<'s>(
    command: &'s SimpleCommand<'_>,
    read: &'s Invocation<'_>,
    written: bool,
    found: &mut Vec<PathUse>,
) {
    let folder = &read.folder;
    match read.runner {
        Runner::GoTest | Runner::Build => {
            for word in &read.packages {
                found.extend(go_package(word, folder));
            }
        }
        Runner::Pytest => {
            for word in &read.paths {
                let file = word.text.split("::").next().unwrap_or_default();
                found.extend(path(file, word, folder, PathKind::Python));
            }
            return;
        }
        Runner::Jest | Runner::Vitest | Runner::Mocha => {
            for word in read.paths.iter().filter(|word| word.text.contains('/')) {
                found.extend(path(&word.text, word, folder, PathKind::NodePattern));
            }
            return;
        }
        _ => {}
    }
    if written {
        return;
    }
    let read_files = command.redirects.iter().filter(|redirect| !redirect.writes);
    let program = command.program();
    let named = program
        .map(|program| operands(program, read))
        .unwrap_or_default();
    for word in named
        .into_iter()
        .chain(read_files.map(|redirect| &redirect.target))
    {
        found.extend(path(&word.text, word, folder, PathKind::Any));
    }
}

/// Returns the files that a program reads.
fn operands<'s, 'a>(program: Program<'s, 'a>, read: &'s Invocation<'a>) -> Vec<&'s Word<'a>> {
    let args = program.args;
    let plain = || args.iter().filter(|arg| !arg.text.starts_with('-'));
    match program.name {
        "cargo" => read.paths.iter().collect(),
        "test" | "[" | "[[" => tested(args),
        "grep" | "egrep" | "fgrep" | "rg" => {
            if program.args.iter().any(takes_value) {
                Vec::new()
            } else {
                plain().skip(1).collect()
            }
        }
        "cat" | "wc" | "diff" | "cmp" => plain().collect(),
        "cd" | "pushd" | "." | "source" => plain().take(1).collect(),
        "sh" | "bash" | "zsh" | "node" | "python" | "python3" | "ruby" if !program.has("-c") => {
            args.first()
                .filter(|arg| !arg.text.starts_with('-'))
                .into_iter()
                .collect()
        }
        _ if program.word.text.contains('/') => vec![program.word],
        _ => Vec::new(),
    }
}

/// Returns the paths that `test` requires; none if it checks for alternatives or for
/// absence.
fn tested<'s, 'a>(args: &'s [Word<'a>]) -> Vec<&'s Word<'a>> {
    let text = |at: usize| args.get(at).map_or("", |word| &*word.text);
    if args.iter().any(|arg| matches!(&*arg.text, "-o" | "||")) {
        return Vec::new();
    }
    let wants = |at: &usize| {
        let is_denied = at.checked_sub(1).is_some_and(|before| text(before) == "!");
        matches!(text(*at), "-f" | "-d" | "-e" | "-s" | "-x" | "-r") && !is_denied
    };
    let options = (0..args.len()).filter(wants);
    options.filter_map(|at| args.get(at + 1)).collect()
}

/// Returns whether an option of `grep` takes the next word.
fn takes_value(word: &Word<'_>) -> bool {
    let text = &*word.text;
    let short = text.starts_with('-') && !text.starts_with("--");
    short && text.ends_with(['e', 'f', 'm', 'A', 'B', 'C', 't', 'g'])
}

fn go_package(word: &Word<'_>, folder: &Folder) -> Option<PathUse> {
    let text = &*word.text;
    if !text.starts_with('.') || text.ends_with(".go") {
        return None;
    }
    let package = text.strip_suffix("...").unwrap_or(text);
    if package.contains("...") {
        return None;
    }
    path(package, word, folder, PathKind::GoPackage)
}

fn path(text: &str, word: &Word<'_>, folder: &Folder, kind: PathKind) -> Option<PathUse> {
    if !word.is_literal() || text.is_empty() {
        return None;
    }
    let path = folder.join(text)?;
    (!path.is_empty()).then_some(PathUse {
        path,
        kind,
        span: word.span,
    })
}
