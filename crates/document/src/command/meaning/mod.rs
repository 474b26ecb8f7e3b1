//! What simple commands mean: which test runner, filter, packages and folder.

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

/// What one simple command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation<'a> {
    /// The index of the command in [`Script::commands`](super::Script::commands).
    pub command: usize,
    /// What runs.
    pub runner: Runner,
    /// Where it runs.
    pub folder: Folder,
    /// The filters by test name; several select what any of them selects.
    pub filters: Vec<Filter<'a>>,
    /// Whether there is a selection that is not in `filters`.
    pub opaque: bool,
    /// The packages that it is told to look at.
    pub packages: Vec<Word<'a>>,
    /// The files and folders that it is told to look at.
    pub paths: Vec<Word<'a>>,
    /// The recipes, targets or package scripts that it surely names.
    pub recipes: Vec<Word<'a>>,
}

/// What a command runs.
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
    /// A script file, or a text given to a shell.
    Script,
    /// A compiler, formatter or linter.
    Build,
    /// A question about files or text: `test`, `grep`, `diff` and their like.
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
    /// It runs none.
    No,
}

impl Runner {
    /// Whether it runs tests.
    #[must_use]
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
    /// What it looks for.
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
    /// The test's path contains the text.
    PathContains,
    /// The test's path is the text.
    PathIs,
    /// `pytest -k`: words joined by `and`, `or` and `not`.
    PytestExpression,
    /// An unanchored regular expression over the full title.
    TitleMatches,
    /// The full title contains the text.
    TitleContains,
}

/// Longer folders are taken for unknown: each command has its own copy.
const MAX_FOLDER: usize = 256;

/// The folder in which a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folder {
    /// A folder below the root; empty for the root itself.
    Below(String),
    /// It cannot be told, or lies outside of the root.
    Unknown,
}

impl Folder {
    /// The path of `path`, seen from the root; `None` when that is unknown, as
    /// behind `~`, which the shell expands.
    #[must_use]
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

/// What each command of a script means.
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
