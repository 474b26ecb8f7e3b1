//! Shell commands as data: what a backpressure command runs, where, with which
//! filter, and whether it can fail at all.
//!
//! This reads enough of the shell's grammar to list simple commands with their
//! byte spans. It expands nothing and runs nothing. What it does not
//! understand it says so about: a caller that needs certainty asks
//! [`Script::is_compound`], [`Word::is_literal`] and [`RunsTests`].

mod lex;
mod meaning;
mod naming;
mod normal;
mod outcome;
mod parse;
mod paths;
mod program;
mod tree;
mod vacuous;

pub use meaning::{Filter, FilterKind, Folder, Invocation, Runner, RunsTests};
pub use naming::{IsTest, Reporter};
pub use normal::NormalForm;
pub use paths::{PathKind, PathUse};
pub use program::Program;
pub use vacuous::Vacuous;

use std::borrow::Cow;

use crate::Span;

/// A command text, split into simple commands.
///
/// ```
/// use review_document::command::{Runner, Script};
///
/// let script = Script::parse("cd api && go test ./... -run Schema");
/// let runs = script.invocations();
/// assert_eq!(runs[1].runner, Runner::GoTest);
/// assert_eq!(runs[1].filters[0].text, "Schema");
/// assert_eq!(runs[1].folder.join("x.go").as_deref(), Some("api/x.go"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script<'a> {
    commands: Vec<SimpleCommand<'a>>,
    invocations: Vec<Invocation<'a>>,
    compound: bool,
    unfinished: bool,
    /// How the commands are nested; `None` where that cannot be told.
    tree: Option<tree::List>,
}

/// One simple command: a program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimpleCommand<'a> {
    /// How it is joined to the command before it.
    pub joint: Joint,
    /// The operator that joins it; empty for the first one.
    pub joint_span: Span,
    /// Whether `!` inverts its status.
    pub negated: bool,
    /// The assignments before the program, such as `CI=1`.
    pub assignments: Vec<Word<'a>>,
    /// The program and its arguments.
    pub words: Vec<Word<'a>>,
    /// The files that its redirections name.
    pub redirects: Vec<Redirect<'a>>,
    /// The whole command without the operators around it.
    pub span: Span,
}

/// How a command is joined to the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// It is the first one.
    Start,
    /// `&&`: runs after a success.
    And,
    /// `||`: runs after a failure.
    Or,
    /// `;` or a line break: runs in any case.
    Then,
    /// `|`: reads what the one before writes.
    Pipe,
    /// `&`: runs beside the one before.
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
    /// The text that the program sees, expansions left as written; borrowed
    /// where the script has it in one piece.
    pub text: Cow<'a, str>,
    /// The word as written, with its quotes.
    pub span: Span,
    /// Whether it holds a `$` or a backtick that the shell expands.
    pub expands: bool,
    /// Whether it holds an unquoted `*`, `?` or `[`.
    pub globs: bool,
}

impl Word<'_> {
    /// Whether the program sees exactly [`Word::text`].
    #[must_use]
    pub fn is_literal(&self) -> bool {
        !self.expands && !self.globs
    }
}

impl<'a> Script<'a> {
    /// Splits `text`. Never fails: what follows an open quote is one word.
    #[must_use]
    pub fn parse(text: &'a str) -> Self {
        parse::script(text)
    }

    /// The simple commands in the order in which they are written.
    #[must_use]
    pub fn commands(&self) -> &[SimpleCommand<'a>] {
        &self.commands
    }

    /// Whether it uses grouping, loops, conditions or functions, so that the
    /// order of its commands does not tell what runs.
    #[must_use]
    pub fn is_compound(&self) -> bool {
        self.compound
    }

    /// Whether a quote or a substitution is still open at its end.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        self.unfinished
    }

    /// Whether it holds a pipeline, whose status depends on `pipefail`.
    #[must_use]
    pub fn has_pipeline(&self) -> bool {
        self.commands.iter().any(|c| c.joint == Joint::Pipe)
    }

    /// What makes it succeed whatever the code under test does.
    #[must_use]
    pub fn vacuous(&self) -> Option<Vacuous> {
        vacuous::find(self)
    }

    /// What it does, whatever way it is written.
    #[must_use]
    pub fn normal_form(&self) -> NormalForm<'_> {
        normal::normal_form(self)
    }

    /// What each simple command means, in order.
    #[must_use]
    pub fn invocations(&self) -> &[Invocation<'a>] {
        &self.invocations
    }

    /// The words that name programs which the shell looks up in `PATH`; none
    /// where the script may define functions of its own.
    pub fn programs(&self) -> impl Iterator<Item = &Word<'a>> {
        program::on_path(self)
    }

    /// The paths that must exist before it runs; those that an earlier command
    /// of the script may have made are left out.
    #[must_use]
    pub fn paths(&self) -> Vec<PathUse> {
        paths::needed(self)
    }
}

#[cfg(test)]
mod tests;
