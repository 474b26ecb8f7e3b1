//! Commands that succeed regardless of the code under test.
//!
//! A program may succeed or fail, unless it is known to do only one of them. A script
//! with groups, conditions or loops may fail.

use super::program::Program;
use super::{Joint, Script, SimpleCommand, Word};
use crate::Span;

/// Maximum nesting of scripts that are passed to a shell within a script.
const MAX_SHELLS: usize = 8;

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
    #[must_use]
    pub const fn span(self) -> Span {
        match self {
            Self::Whole(span) | Self::Tail(span) | Self::Background(span) => span,
        }
    }

    const fn shifted(self, by: usize) -> Self {
        match self {
            Self::Whole(span) => Self::Whole(span.shifted(by)),
            Self::Tail(span) => Self::Tail(span.shifted(by)),
            Self::Background(span) => Self::Background(span.shifted(by)),
        }
    }
}

impl Script<'_> {
    /// Returns the part that certainly makes it succeed regardless of the code under test.
    #[must_use]
    pub fn vacuous(&self) -> Option<Vacuous> {
        within(self, 0, false)
    }
}

fn within(script: &Script<'_>, shells: usize, errexit: bool) -> Option<Vacuous> {
    let run = Run::of(script, shells, errexit)?;
    if run.may_fail() || !run.acts {
        return None;
    }
    if let (Joint::Background, span) = script.ending {
        return Some(Vacuous::Background(span));
    }
    let (first, last) = (script.commands.first()?, script.commands.last()?);
    if let Some(start) = run.tail {
        return Some(Vacuous::Tail(Span::new(start, last.span.end)));
    }
    let inner = in_last_shell(script, shells).filter(|inner| !matches!(inner, Vacuous::Whole(_)));
    Some(inner.unwrap_or(Vacuous::Whole(Span::new(first.span.start, last.span.end))))
}

/// Looks inside the script that a shell runs, if everything before only prepares.
fn in_last_shell(script: &Script<'_>, shells: usize) -> Option<Vacuous> {
    let (last, before) = script.commands.split_last()?;
    let prepares = |command: &SimpleCommand<'_>| command.program().is_none_or(is_setup);
    if !before.iter().all(prepares) || last.negated || matches!(last.joint, Joint::Or | Joint::Pipe)
    {
        return None;
    }
    let (text, errexit) = shell_text(last.program()?)?;
    let quotes = text.span.len().checked_sub(text.text.len())?;
    let start = matches!(quotes, 0 | 2).then_some(text.span.start + quotes / 2)?;
    let inner = within(&Script::parse(&text.text), shells + 1, errexit)?;
    Some(inner.shifted(start))
}

fn is_setup(program: Program<'_, '_>) -> bool {
    let setup = ["cd", "pushd", "popd", "set", "export", "unset"];
    setup.contains(&program.name)
}

/// The possible ends of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ends {
    success: bool,
    failure: bool,
    /// It may end the shell, with success or failure.
    exit: [bool; 2],
}

impl Ends {
    const SUCCESS: Self = Self::either(true, false);
    const FAILURE: Self = Self::either(false, true);
    const EITHER: Self = Self::either(true, true);

    const fn either(success: bool, failure: bool) -> Self {
        Self {
            success,
            failure,
            exit: [false; 2],
        }
    }

    /// Returns the same status as that of the shell, which ends.
    const fn as_exit(self) -> Self {
        let exit = [self.success || self.exit[0], self.failure || self.exit[1]];
        Self {
            exit,
            ..Self::either(false, false)
        }
    }

    /// Returns the ends as seen from outside of the shell.
    const fn of_child(self) -> Self {
        Self::either(self.success || self.exit[0], self.failure || self.exit[1])
    }
}

/// What a script did so far.
struct Run {
    now: Ends,
    errexit: bool,
    shells: usize,
    /// Whether anything but preparation was seen.
    acts: bool,
    /// The last place after which nothing can fail any more, and before which something
    /// could.
    tail: Option<usize>,
}

impl Run {
    /// Follows a script; `None` if its commands alone do not say what runs.
    fn of(script: &Script<'_>, shells: usize, errexit: bool) -> Option<Self> {
        let is_cut = |command: &SimpleCommand<'_>| {
            let is = |word: Option<&Word<'_>>, text| word.is_some_and(|word| word.text == text);
            is(command.words.first(), "[[") && !is(command.words.last(), "]]")
        };
        let is_open = matches!(script.ending.0, Joint::And | Joint::Or | Joint::Pipe);
        if script.compound || script.unfinished || is_open || script.commands.iter().any(is_cut) {
            return None;
        }
        let mut run = Self {
            now: Ends::SUCCESS,
            errexit,
            shells,
            acts: false,
            tail: None,
        };
        let is_chained = |_: &SimpleCommand<'_>, next: &SimpleCommand<'_>| {
            matches!(next.joint, Joint::And | Joint::Or | Joint::Pipe)
        };
        let mut chains = script.commands.chunk_by(is_chained).peekable();
        while let Some(chain) = chains.next() {
            if chain[0].joint == Joint::Then {
                run.cut(&chain[0]);
            }
            let next = chains.peek().map_or(script.ending.0, |next| next[0].joint);
            let tail = run.tail;
            run.chain(chain);
            if next == Joint::Background {
                (run.now, run.tail) = (
                    Ends {
                        exit: run.now.exit,
                        ..Ends::SUCCESS
                    },
                    tail,
                );
            }
            if !run.now.success && !run.now.failure {
                break;
            }
        }
        Some(run)
    }

    const fn may_fail(&self) -> bool {
        self.now.failure || self.now.exit[1]
    }

    fn cut(&mut self, after: &SimpleCommand<'_>) {
        if self.now.failure {
            self.tail = Some(after.joint_span.start);
        }
    }

    /// Pipelines joined by `&&` and `||`.
    fn chain(&mut self, commands: &[SimpleCommand<'_>]) {
        for (index, pipeline) in commands
            .chunk_by(|_, next| next.joint == Joint::Pipe)
            .enumerate()
        {
            let before = self.now;
            let (seen, skipped) = match pipeline[0].joint {
                _ if index == 0 => (before, Ends::default()),
                Joint::Or => {
                    self.cut(&pipeline[0]);
                    let skipped = Ends::either(before.success, false);
                    (Ends::either(false, before.failure), skipped)
                }
                _ => {
                    let skipped = Ends::either(false, before.failure);
                    (Ends::either(before.success, false), skipped)
                }
            };
            self.now = seen;
            let ends = match seen.success || seen.failure {
                true => self.pipeline(pipeline),
                false => Ends::default(),
            };
            self.now = Ends {
                success: ends.success || skipped.success,
                failure: ends.failure || skipped.failure,
                exit: [
                    ends.exit[0] || before.exit[0],
                    ends.exit[1] || before.exit[1],
                ],
            };
        }
        self.now.exit[1] |= self.errexit && self.now.failure;
    }

    /// Returns the ends of a pipeline; `pipefail` may be set.
    fn pipeline(&mut self, commands: &[SimpleCommand<'_>]) -> Ends {
        let mut all = self.command(&commands[0]);
        for command in &commands[1..] {
            let (one, other) = (all.of_child(), self.command(command).of_child());
            all = Ends::either(one.success && other.success, one.failure || other.failure);
        }
        if commands[0].negated {
            (all.success, all.failure) = (all.failure, all.success);
        }
        all
    }

    fn command(&mut self, command: &SimpleCommand<'_>) -> Ends {
        let Some(program) = command.program() else {
            let is_sure = command.assignments.iter().all(|word| !word.expands);
            self.acts |= !is_sure;
            let is_sure = is_sure && command.redirects.is_empty();
            return if is_sure { Ends::SUCCESS } else { Ends::EITHER };
        };
        self.acts |= !is_setup(program);
        let reads = command.redirects.iter().any(|redirect| !redirect.writes);
        if reads || !is_known(command, program) {
            return Ends::EITHER;
        }
        let ends = self.program(program);
        let is_last = command.words[0].text == "exec" && command.words.len() > 1;
        if is_last { ends.as_exit() } else { ends }
    }

    fn program(&mut self, program: Program<'_, '_>) -> Ends {
        match program.name {
            "true" | ":" | "echo" | "printf" | "sleep" | "cd" | "pushd" | "popd" | "export"
            | "unset" => Ends::SUCCESS,
            "wait" if program.args.is_empty() => Ends::SUCCESS,
            "false" => Ends::FAILURE,
            "exit" => exit(program.args, self.now).as_exit(),
            "trap" => Ends {
                exit: [false, true],
                ..Ends::SUCCESS
            },
            "set" => {
                self.errexit |= ShellOptions::read(program.args).errexit;
                Ends::SUCCESS
            }
            _ => match shell_text(program) {
                Some((text, errexit)) if self.shells < MAX_SHELLS => {
                    let inner = Script::parse(&text.text);
                    let inner = Self::of(&inner, self.shells + 1, errexit);
                    inner.map_or(Ends::EITHER, |run| run.now.of_child())
                }
                _ => Ends::EITHER,
            },
        }
    }
}

/// Returns the status with which `exit` ends the shell whose last status was `before`.
fn exit(args: &[Word<'_>], before: Ends) -> Ends {
    match args {
        [] => before,
        [word] if word.text == "$?" => before,
        [word] => match word.text.parse::<u64>() {
            Ok(status) if status % 256 == 0 => Ends::SUCCESS,
            Ok(_) => Ends::FAILURE,
            Err(_) => Ends::EITHER,
        },
        _ => Ends::EITHER,
    }
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
    if !matches!(program.name, "sh" | "bash" | "dash" | "zsh" | "ksh") {
        return None;
    }
    let options = ShellOptions::read(program.args);
    let text = options.rest.first().filter(|word| word.is_literal())?;
    options.command.then_some((text, options.errexit))
}

/// The options of a shell, or of `set`.
struct ShellOptions<'s, 'a> {
    errexit: bool,
    /// `-c`: the next argument is the script.
    command: bool,
    rest: &'s [Word<'a>],
}

impl<'s, 'a> ShellOptions<'s, 'a> {
    fn read(args: &'s [Word<'a>]) -> Self {
        let mut read = Self {
            errexit: false,
            command: false,
            rest: args,
        };
        while let Some((first, rest)) = read.rest.split_first() {
            let text = &*first.text;
            if !text.starts_with(['-', '+']) || text.len() < 2 {
                break;
            }
            read.rest = rest;
            if text == "--" {
                break;
            }
            if text.starts_with("--") {
                continue;
            }
            read.errexit |= text.starts_with('-') && text.contains('e');
            read.command |= text.contains('c');
            if text.contains('o')
                && let Some((name, rest)) = rest.split_first()
            {
                read.errexit |= name.text == "errexit";
                read.rest = rest;
            }
        }
        read
    }
}
