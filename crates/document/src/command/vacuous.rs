//! Commands that succeed whatever the code under test does.

use super::{Joint, Script, SimpleCommand};
use crate::Span;

/// Why a script cannot fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vacuous {
    /// It runs nothing but programs that always succeed.
    Whole(Span),
    /// It ends with something that replaces the status before it, from the
    /// operator on: `|| true`, `; exit 0`, `|| echo failed`.
    Tail(Span),
    /// Its last command runs in the background, from the `&` on.
    Background(Span),
}

impl Vacuous {
    /// The bytes of the script that make it so.
    #[must_use]
    pub const fn span(self) -> Span {
        match self {
            Self::Whole(span) | Self::Tail(span) | Self::Background(span) => span,
        }
    }
}

/// What makes the script vacuous, if anything certainly does.
pub(super) fn find(script: &Script) -> Option<Vacuous> {
    let commands = script.commands();
    let (first, last) = (commands.first()?, commands.last()?);
    if script.is_compound() || script.is_unfinished() {
        return None;
    }
    if let Some(span) = script.background {
        return Some(Vacuous::Background(span));
    }
    if commands.iter().all(|c| always_succeeds(c) || is_setup(c))
        && commands.iter().any(always_succeeds)
    {
        return Some(Vacuous::Whole(Span::new(first.span.start, last.span.end)));
    }
    let stops = commands.iter().any(sets_errexit);
    let tail = commands
        .iter()
        .rev()
        .take_while(|c| always_succeeds(c) && c.joint != Joint::Pipe)
        .filter(|c| c.joint == Joint::Or || (c.joint == Joint::Then && !stops))
        .last()?;
    Some(Vacuous::Tail(Span::new(
        tail.joint_span.start,
        last.span.end,
    )))
}

/// Whether the program of a command cannot fail.
fn always_succeeds(command: &SimpleCommand) -> bool {
    let Some(program) = command.program() else {
        return false;
    };
    let shell_text = || match program.args {
        [flag, text] if flag.text == "-c" && text.is_literal() => {
            let inner = Script::parse(&text.text);
            matches!(find(&inner), Some(Vacuous::Whole(_)))
        }
        _ => false,
    };
    !command.negated
        && match program.name {
            "true" | ":" | "echo" | "printf" | "sleep" => true,
            "exit" | "return" => program.args.is_empty() || program.arg_is(0, "0"),
            "sh" | "bash" => shell_text(),
            _ => false,
        }
}

/// Whether a command only prepares others.
fn is_setup(command: &SimpleCommand) -> bool {
    command
        .program()
        .is_none_or(|program| matches!(program.name, "cd" | "set" | "export" | "unset"))
}

/// Whether from this command on a failure ends the script.
fn sets_errexit(command: &SimpleCommand) -> bool {
    command.program().is_some_and(|program| {
        program.name == "set"
            && program.args.iter().any(|arg| {
                arg.text == "errexit"
                    || (arg.text.starts_with('-')
                        && !arg.text.starts_with("--")
                        && arg.text.contains('e'))
            })
    })
}
