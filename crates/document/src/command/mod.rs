//! Shell commands as data: the program of a backpressure command, its folder and
//! filter, and whether it can fail at all.
//!
//! This parses enough of the shell's grammar to list simple commands with their
//! byte spans. It expands nothing and runs nothing. Unsupported syntax is
//! reported: a caller that needs certainty checks
//! [`Script::is_compound`], [`Word::is_literal`] and [`RunsTests`].

mod lex;
mod meaning;
mod naming;
mod normal;
mod package_scripts;
mod parse;
mod paths;
mod program;
mod vacuous;
mod words;

pub use meaning::{Filter, FilterKind, Folder, Invocation, Runner, RunsTests};
pub use naming::NameForm;
pub use normal::NormalForm;
pub use package_scripts::package_scripts;
pub use paths::{PathKind, PathUse};
pub use program::{Program, is_shell};
pub use vacuous::Vacuous;

use std::borrow::Cow;

use crate::Span;

/// A shell script, split into simple commands.
///
/// ```
/// use review_document::command::{Runner, Script};
///
/// let script = Script::parse("cd api && go test ./... -run Schema");
/// let runs = &script.invocations;
/// assert_eq!(runs[1].runner, Runner::GoTest);
/// assert_eq!(runs[1].filters[0].text, "Schema");
/// assert_eq!(runs[1].folder.join("x.go").as_deref(), Some("api/x.go"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script<'a> {
    commands: Vec<SimpleCommand<'a>>,
    /// The meaning of each simple command, in order.
    pub invocations: Vec<Invocation<'a>>,
    /// Whether it uses grouping, loops, conditions or functions, so that the order of its
    /// commands does not determine what runs.
    pub is_compound: bool,
    /// Whether words where a program is expected may be something else.
    unclear: bool,
    /// Whether a quote or a substitution is still open at its end.
    pub is_unfinished: bool,
    /// The operator after its last command; [`Joint::Start`] without one.
    ending: (Joint, Span),
}

/// One simple command: a program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimpleCommand<'a> {
    /// How it is joined to the previous command.
    pub joint: Joint,
    /// The operator that joins it; empty for the first command.
    pub joint_span: Span,
    /// Whether `!` inverts its status.
    pub negated: bool,
    /// The assignments before the program, such as `CI=1`.
    pub assignments: Vec<Word<'a>>,
    /// The program and its arguments.
    pub words: Vec<Word<'a>>,
    /// The files of its redirections.
    pub redirects: Vec<Redirect<'a>>,
    /// The whole command without the operators around it.
    pub span: Span,
}

/// How a command is joined to the previous one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Joint {
    /// It is the first one.
    #[default]
    Start,
    /// `&&`: runs after a success.
    And,
    /// `||`: runs after a failure.
    Or,
    /// `;` or a line break: runs in any case.
    Then,
    /// `|`: reads the output of the previous command.
    Pipe,
    /// `&`: runs concurrently with the previous command.
    Background,
}

/// A redirection to or from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect<'a> {
    /// Whether it writes.
    pub writes: bool,
    /// The file.
    pub target: Word<'a>,
}

/// A word of a command, with quotes and escapes resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The value that the program receives, with expansions as written; borrowed
    /// if the script has it in one piece.
    pub text: Cow<'a, str>,
    /// The word as written, with its quotes.
    pub span: Span,
    /// Whether it contains a `$` or a backtick that the shell expands.
    pub expands: bool,
    /// Whether it contains an unquoted `*`, `?` or `[`.
    pub globs: bool,
}

impl Word<'_> {
    /// Returns whether the program receives exactly [`Word::text`].
    pub fn is_literal(&self) -> bool {
        !self.expands && !self.globs
    }
}

impl<'a> Script<'a> {
    /// Splits `text`. Never fails: an unclosed quote extends to the end.
    pub fn parse(text: &'a str) -> Self {
        parse::script(text)
    }

    /// Returns the simple commands in the order in which they are written.
    pub fn commands(&self) -> &[SimpleCommand<'a>] {
        &self.commands
    }

    /// Returns whether it contains a pipeline, whose status depends on `pipefail`.
    pub fn has_pipeline(&self) -> bool {
        self.commands.iter().any(|c| c.joint == Joint::Pipe)
    }
}

#[cfg(test)]
mod tests;
