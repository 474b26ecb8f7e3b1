//! The meaning of simple commands: test runner, filter, packages and folder.

mod cargo;
mod go;
mod node;
mod options;
mod python;
mod recipe;

use std::borrow::Cow;

use super::{Program, SimpleCommand, Word};
use crate::Span;
use crate::path::joined;

/// The meaning of one simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation<'a> {
    /// The index of the command in [`Script::commands`](super::Script::commands).
    pub command: usize,
    /// The runner.
    pub runner: Runner,
    /// The folder in which it runs.
    pub folder: Folder,
    /// The filters by test name; several select the union.
    pub filters: Vec<Filter<'a>>,
    /// Whether there is a selection that is not in `filters`.
    pub opaque: bool,
    /// The packages in its arguments.
    pub packages: Vec<Word<'a>>,
    /// The files and folders in its arguments.
    pub paths: Vec<Word<'a>>,
    /// The recipes, targets or package scripts that it certainly names.
    pub recipes: Vec<Word<'a>>,
}

/// The kind of program that a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Runner {
    /// `cargo test`.
    CargoTest,
    /// `cargo nextest run`.
    CargoNextest,
    /// `go test`.
    GoTest,
    /// `pytest`.
    Pytest,
    /// `jest`.
    Jest,
    /// `vitest`.
    Vitest,
    /// `mocha`.
    Mocha,
    /// A script of a `package.json`.
    PackageScript,
    /// `make`.
    Make,
    /// `just`.
    Just,
    /// A script file, or a script passed to a shell.
    Script,
    /// A compiler, formatter or linter.
    Build,
    /// A check of files or text: `test`, `grep`, `diff` and similar.
    Check,
    /// Anything else.
    Other,
}

/// Whether a command runs tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunsTests {
    /// It is a test runner.
    Yes,
    /// It may run anything.
    Perhaps,
    /// It runs no tests.
    No,
}

impl Runner {
    /// Returns whether it runs tests.
    pub const fn runs_tests(self) -> RunsTests {
        match self {
            Self::CargoTest
            | Self::CargoNextest
            | Self::GoTest
            | Self::Pytest
            | Self::Jest
            | Self::Vitest
            | Self::Mocha => RunsTests::Yes,
            Self::PackageScript | Self::Make | Self::Just | Self::Script | Self::Other => {
                RunsTests::Perhaps
            }
            Self::Build | Self::Check => RunsTests::No,
        }
    }
}

/// A filter by test name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter<'a> {
    /// How it selects.
    pub kind: FilterKind,
    /// The value that it looks for.
    pub text: Cow<'a, str>,
    /// The filter as written in the script, with its option.
    pub span: Span,
    /// The value alone, with its quotes.
    pub value: Span,
}

/// How a filter selects tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterKind {
    /// `go test -run`: unanchored regular expressions, one for each level
    /// between slashes.
    GoRun,
    /// The test's path contains the value.
    PathContains,
    /// The test's path equals the value.
    PathIs,
    /// `pytest -k`: words joined by `and`, `or` and `not`.
    PytestExpression,
    /// An unanchored regular expression over the full title.
    TitleMatches,
    /// The full title contains the value.
    TitleContains,
}

/// Maximum length of a folder; each command has its own copy.
const MAX_FOLDER: usize = 256;

/// The folder in which a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folder {
    /// A folder below the root; empty for the root itself.
    Below(String),
    /// It is unknown, or outside the root.
    Unknown,
}

impl Folder {
    /// Returns the path of `path` relative to the root; `None` when that is unknown, as
    /// after `~`, which the shell expands.
    pub fn join(&self, path: &str) -> Option<String> {
        match self {
            Self::Below(folder) if !path.starts_with('~') => joined(folder, path),
            Self::Below(_) | Self::Unknown => None,
        }
    }

    fn enter(&mut self, path: Option<&Word<'_>>) {
        *self = path
            .filter(|word| word.is_literal() && word.text != "-")
            .and_then(|word| self.join(&word.text))
            .filter(|path| path.len() <= MAX_FOLDER)
            .map_or(Self::Unknown, Self::Below);
    }
}

/// Returns the meaning of each command of a script.
pub(super) fn invocations<'a>(
    commands: &[SimpleCommand<'a>],
    is_compound: bool,
) -> Vec<Invocation<'a>> {
    let mut folder = Folder::Below(String::new());
    let mut found = Vec::with_capacity(commands.len());
    for (index, command) in commands.iter().enumerate() {
        let invocation = invocation(index, command, folder.clone());
        found.push(invocation);
        let changes = command
            .program()
            .filter(|p| matches!(p.name, "cd" | "pushd" | "popd"));
        if let Some(program) = changes {
            if is_compound {
                folder = Folder::Unknown;
            } else {
                folder.enter(program.args.first());
            }
        }
    }
    found
}

fn invocation<'a>(index: usize, command: &SimpleCommand<'a>, folder: Folder) -> Invocation<'a> {
    let mut read = Invocation {
        command: index,
        runner: Runner::Other,
        folder,
        filters: Vec::new(),
        opaque: false,
        packages: Vec::new(),
        paths: Vec::new(),
        recipes: Vec::new(),
    };
    if let Some(program) = command.program() {
        read.runner = runner(program, &mut read);
    }
    read
}

fn runner<'a>(program: Program<'_, 'a>, read: &mut Invocation<'a>) -> Runner {
    match program.name {
        "cargo" => cargo::read(program.args, read),
        "go" => go::read(program.args, read),
        "gotestsum" => go::read_gotestsum(program.args, read),
        "pytest" | "py.test" => python::read(program.args, read),
        "jest" => node::read(Runner::Jest, program.args, read),
        "vitest" => node::read(Runner::Vitest, program.args, read),
        "mocha" => node::read(Runner::Mocha, program.args, read),
        "npm" | "pnpm" | "yarn" | "bun" => node::package_script(program.name, program.args, read),
        "make" | "gmake" => recipe::make(program.args, read),
        "just" => recipe::just(program.args, read),
        "sh" | "bash" | "zsh" | "node" | "python" | "python3" | "ruby" | "deno" | "tsx" => {
            Runner::Script
        }
        "tsc" | "eslint" | "prettier" | "ruff" | "mypy" | "pyright" | "gofmt" | "rustfmt"
        | "golangci-lint" | "gcc" | "clang" | "shellcheck" | "black" | "flake8" => Runner::Build,
        "test" | "[" | "[[" | "grep" | "egrep" | "fgrep" | "rg" | "ls" | "cat" | "head"
        | "tail" | "wc" | "diff" | "cmp" | "cd" | "pushd" | "popd" | "set" | "export" | "true"
        | "false" | ":" | "echo" | "printf" | "sleep" | "exit" | "stat" | "jq" => Runner::Check,
        name if program.word.text.contains('/') || name.ends_with(".sh") => Runner::Script,
        _ => Runner::Other,
    }
}
