//! Commands that succeed regardless of the code under test.
//!
//! A program may fail, unless it is in a table of those that do not. A script with
//! groups, conditions or loops may fail.

use super::program::Program;
use super::{Joint, Script, SimpleCommand, Word};
use crate::Span;

/// Maximum nesting of scripts that are passed to a shell within a script.
const MAX_SHELLS: usize = 8;

/// Programs that prepare for others, and succeed.
const SETUP: [&str; 6] = ["cd", "pushd", "popd", "set", "export", "unset"];
/// Other programs that succeed.
const SUCCEEDING: [&str; 5] = ["true", ":", "echo", "printf", "sleep"];

/// The values of `-o` with which tests are run.
const SHELL_OPTIONS: [&str; 3] = [ERREXIT, "nounset", "pipefail"];
const ERREXIT: &str = "errexit";

/// Why a script cannot fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vacuous {
    /// None of its commands can fail.
    Whole(Span),
    /// It ends with something that replaces the previous status, from the
    /// operator on: `|| true`, `; exit 0`, `|| echo failed`.
    Tail(Span),
    /// Its last command runs in the background, from the `&` on.
    Background(Span),
}

impl Vacuous {
    /// Returns the responsible bytes of the script.
    pub const fn span(self) -> Span {
        match self {
            Self::Whole(span) | Self::Tail(span) | Self::Background(span) => span,
        }
    }
}

impl Script<'_> {
    /// Returns the part that certainly makes it succeed regardless of the code under test.
    pub fn vacuous(&self) -> Option<Vacuous> {
        let run = Run::of(self, 0, false).filter(|run| !run.may_fail && run.acts)?;
        let (first, last) = (self.commands.first()?, self.commands.last()?);
        Some(match (self.ending, run.tail) {
            ((Joint::Background, span), _) => Vacuous::Background(span),
            (_, Some(start)) => Vacuous::Tail(Span::new(start, last.span.end)),
            (_, None) => Vacuous::Whole(Span::new(first.span.start, last.span.end)),
        })
    }
}

/// What a script did so far.
struct Run {
    /// Whether its status may be a failure.
    may_fail: bool,
    /// Whether anything but preparation was seen.
    acts: bool,
    /// The last place after which nothing can fail any more, and before which something
    /// could.
    tail: Option<usize>,
    errexit: bool,
    shells: usize,
}

impl Run {
    /// Follows a script; `None` if its commands alone do not say what runs.
    fn of(script: &Script<'_>, shells: usize, errexit: bool) -> Option<Self> {
        let is_cut = |command: &SimpleCommand<'_>| {
            let is = |word: Option<&Word<'_>>, text| word.is_some_and(|word| word.text == text);
            is(command.words.first(), "[[") && !is(command.words.last(), "]]")
        };
        let is_open = matches!(script.ending.0, Joint::And | Joint::Or | Joint::Pipe);
        if script.is_compound
            || script.is_unfinished
            || is_open
            || script.commands.iter().any(is_cut)
        {
            return None;
        }
        let mut run = Self {
            may_fail: false,
            acts: false,
            tail: None,
            errexit,
            shells,
        };
        // Whether a command before the last may have ended the script with a failure.
        let mut may_end_early = false;
        let pipelines = script
            .commands
            .chunk_by(|_, next| next.joint == Joint::Pipe);
        for pipeline in pipelines {
            let first = &pipeline[0];
            if matches!(first.joint, Joint::Or | Joint::Then) && run.may_fail {
                run.tail = Some(first.joint_span.start);
            }
            match first.joint {
                Joint::Then => may_end_early |= run.errexit && run.may_fail,
                Joint::Background => run.may_fail = false,
                // It never runs.
                Joint::Or if !run.may_fail => continue,
                Joint::Start | Joint::And | Joint::Or | Joint::Pipe => {}
            }
            let (may_fail, exits) = match pipeline {
                [command] => (run.may_command_fail(command), ends_shell(command)),
                commands => {
                    let mut failing = false;
                    for command in commands {
                        failing |= run.may_command_fail(command);
                    }
                    (failing, false)
                }
            };
            let is_chained = first.joint == Joint::And;
            run.may_fail = may_fail || first.negated || is_chained && run.may_fail;
            if exits {
                may_end_early |= may_fail;
                if matches!(first.joint, Joint::Start | Joint::Then | Joint::Background) {
                    break;
                }
            }
        }
        run.may_fail &= script.ending.0 != Joint::Background;
        run.may_fail |= may_end_early;
        Some(run)
    }

    fn may_command_fail(&mut self, command: &SimpleCommand<'_>) -> bool {
        let Some(program) = command.program() else {
            let is_sure = command.assignments.iter().all(|word| !word.expands);
            self.acts |= !is_sure;
            return !is_sure || !command.redirects.is_empty();
        };
        self.acts |= !SETUP.contains(&program.name);
        let reads = command.redirects.iter().any(|redirect| !redirect.writes);
        if reads || !is_known(command, program) {
            return true;
        }
        self.errexit |= program.name == "set" && sets_errexit(program.args);
        match program.name {
            name if SETUP.contains(&name) || SUCCEEDING.contains(&name) => false,
            "wait" => !program.args.is_empty(),
            "exit" => match program.args {
                [] => self.may_fail,
                [word] if word.text == "$?" => self.may_fail,
                [word] => !word
                    .text
                    .parse::<u64>()
                    .is_ok_and(|status| status % 256 == 0),
                _ => true,
            },
            _ => shell_text(program).is_none_or(|(text, errexit)| {
                let inner = Script::parse(&text.text);
                self.shells == MAX_SHELLS
                    || Self::of(&inner, self.shells + 1, errexit).is_none_or(|run| run.may_fail)
            }),
        }
    }
}

/// Whether a command ends the shell, or may have a later one end it.
fn ends_shell(command: &SimpleCommand<'_>) -> bool {
    let first = command.words.first();
    first.is_some_and(|word| match &*word.text {
        "exit" | "trap" => true,
        "exec" => command.words.len() > 1,
        _ => false,
    })
}

/// Returns whether the program is certainly the one of that name: not in a folder of
/// the project, and not after a wrapper that may itself fail.
fn is_known(command: &SimpleCommand<'_>, program: Program<'_, '_>) -> bool {
    let text = &*program.word.text;
    let is_system = ["/bin/", "/usr/bin/"]
        .iter()
        .any(|folder| text.strip_prefix(folder) == Some(program.name));
    program.word.is_literal()
        && (text == program.name || is_system)
        && command.launched().is_some_and(|word| word == program.word)
}

/// Returns the script that `sh -c` or similar runs, and whether a failure ends it.
fn shell_text<'s, 'a>(program: Program<'s, 'a>) -> Option<(&'s Word<'a>, bool)> {
    let args = program.is_shell().then_some(program.args)?;
    let is_command = |word: &Word<'_>| is_short(word) && word.text.contains('c');
    let is_option = |word: &Word<'_>| {
        word.text != "--" && word.text.starts_with(['-', '+'])
            || SHELL_OPTIONS.contains(&&*word.text)
    };
    let at = args
        .iter()
        .position(|word| is_command(word) || !is_option(word))?;
    let text = args.get(at + 1).filter(|word| word.is_literal())?;
    is_command(&args[at]).then(|| (text, sets_errexit(&args[..=at])))
}

fn sets_errexit(args: &[Word<'_>]) -> bool {
    let sets = |word: &Word<'_>| is_short(word) && word.text.contains('e') || word.text == ERREXIT;
    args.iter().any(sets)
}

fn is_short(word: &Word<'_>) -> bool {
    word.text.starts_with('-') && !word.text.starts_with("--")
}
