//! The possible outcomes of a script.
//!
//! A program may succeed or fail, unless it is known to do only one of them.
//! In doubt both are possible.

use super::program::Program;
use super::tree::{Item, List, ScriptNode};
use super::{Joint, Script, SimpleCommand, Word};

/// Maximum nesting of scripts that are passed to a shell within a script.
const MAX_SHELLS: usize = 8;

/// The possible outcomes of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ends(u8);

impl Ends {
    const NONE: Self = Self(0);
    pub(super) const SUCCESS: Self = Self(1);
    const FAILURE: Self = Self(2);
    const EITHER: Self = Self(3);
    /// It ends the shell, with success.
    const EXIT_SUCCESS: Self = Self(4);
    /// It ends the shell, with failure.
    const EXIT_FAILURE: Self = Self(8);

    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn only(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    const fn may(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns whether a failure is possible.
    pub(super) const fn may_fail(self) -> bool {
        self.may(Self::FAILURE.and(Self::EXIT_FAILURE))
    }

    /// Returns those after which the shell continues.
    const fn status(self) -> Self {
        self.only(Self::EITHER)
    }

    /// Returns those that end the shell.
    const fn exits(self) -> Self {
        self.only(Self::EXIT_SUCCESS.and(Self::EXIT_FAILURE))
    }

    /// Returns the outcomes as seen from outside the shell.
    const fn of_child(self) -> Self {
        Self(self.status().0 | self.exits().0 >> 2)
    }

    /// Returns the same status as that of the shell.
    const fn as_exit(self) -> Self {
        Self(self.status().0 << 2 | self.exits().0)
    }

    const fn negated(self) -> Self {
        let status = self.status().0;
        Self((status & 1) << 1 | status >> 1 | self.exits().0)
    }
}

/// Follows a script through its commands.
pub(super) struct Evaluation<'a> {
    commands: &'a [SimpleCommand<'a>],
    errexit: bool,
    shells: usize,
    /// Whether anything but preparation was seen.
    pub(super) acts: bool,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(script: &'a Script<'a>, shells: usize, errexit: bool) -> Self {
        Self {
            commands: &script.commands,
            errexit,
            shells,
            acts: false,
        }
    }

    /// Returns the outcomes of a list. `cut` receives each place after which the list
    /// could be cut off, with the outcomes that it would then have.
    pub(super) fn list(
        &mut self,
        list: &List,
        before: Ends,
        cut: &mut dyn FnMut(&Item, Ends),
    ) -> Ends {
        let (mut exits, mut status) = (Ends::NONE, before);
        let mut items = list.items.as_slice();
        while let Some((first, rest)) = items.split_first() {
            if first.joint == Joint::Then {
                cut(first, status);
            }
            let chained = rest
                .iter()
                .take_while(|item| matches!(item.joint, Joint::And | Joint::Or));
            let length = 1 + chained.count();
            let (chain, rest) = items.split_at(length);
            items = rest;
            let next = rest.first().map(|item| item.joint);
            let ends = if next == Some(Joint::Background)
                || (rest.is_empty() && list.background.is_some())
            {
                self.chain(chain, status, &mut |_, _| {});
                Ends::SUCCESS
            } else {
                self.chain(chain, status, cut)
            };
            exits = exits.and(ends.exits());
            status = ends.status();
            if status == Ends::NONE {
                break;
            }
        }
        status.and(exits)
    }

    /// Pipelines joined by `&&` and `||`.
    fn chain(&mut self, items: &[Item], before: Ends, cut: &mut dyn FnMut(&Item, Ends)) -> Ends {
        let mut ends = before;
        for (index, item) in items.iter().enumerate() {
            let (wanted, skipped) = match item.joint {
                _ if index == 0 => (Ends::EITHER, Ends::NONE),
                Joint::Or => (Ends::FAILURE, Ends::SUCCESS),
                _ => (Ends::SUCCESS, Ends::FAILURE),
            };
            if index > 0 && item.joint == Joint::Or {
                cut(item, ends);
            }
            let kept = if index == 0 {
                Ends::NONE
            } else {
                ends.only(skipped).and(ends.exits())
            };
            let status = ends.only(wanted);
            ends = if status == Ends::NONE {
                kept
            } else {
                self.item(item, status).and(kept)
            };
        }
        if self.errexit && ends.may(Ends::FAILURE) {
            ends = ends.and(Ends::EXIT_FAILURE);
        }
        ends
    }

    /// Returns the outcomes of a pipeline; `pipefail` may be set.
    fn item(&mut self, item: &Item, before: Ends) -> Ends {
        let mut all = self.node(&item.first, before);
        if !item.piped.is_empty() {
            all = all.of_child();
        }
        for node in &item.piped {
            let ends = self.node(node, before).of_child();
            let failure = all.and(ends).only(Ends::FAILURE);
            all = all.only(ends).only(Ends::SUCCESS).and(failure);
        }
        if item.negated { all.negated() } else { all }
    }

    fn node(&mut self, node: &ScriptNode, before: Ends) -> Ends {
        let ignore = &mut |_: &Item, _| {};
        match node {
            ScriptNode::Command(index) => self.command(&self.commands[*index], before),
            ScriptNode::Group(body) => self.list(body, before, ignore),
            ScriptNode::Subshell(body) => self.list(body, before, ignore).of_child(),
            ScriptNode::For(body) => self.list(body, before, ignore).and(Ends::SUCCESS),
            ScriptNode::If(branches, otherwise) => {
                let (mut ends, mut untaken) = (Ends::NONE, before);
                for (condition, body) in branches {
                    let tested = self.list(condition, untaken, ignore);
                    ends = ends.and(tested.exits());
                    if tested.may(Ends::SUCCESS) {
                        ends = ends.and(self.list(body, Ends::SUCCESS, ignore));
                    }
                    untaken = tested.only(Ends::FAILURE);
                    if untaken == Ends::NONE {
                        return ends;
                    }
                }
                let last = match otherwise {
                    Some(body) => self.list(body, untaken, ignore),
                    None => Ends::SUCCESS,
                };
                ends.and(last)
            }
        }
    }

    fn command(&mut self, command: &SimpleCommand<'_>, before: Ends) -> Ends {
        let reads = command.redirects.iter().any(|redirect| !redirect.writes);
        let Some(program) = command.program() else {
            let is_sure = command.assignments.iter().all(|word| !word.expands);
            self.acts |= !is_sure;
            return if is_sure && command.redirects.is_empty() {
                Ends::SUCCESS
            } else {
                Ends::EITHER
            };
        };
        let is_setup = matches!(
            program.name,
            "cd" | "pushd" | "popd" | "set" | "export" | "unset"
        );
        self.acts |= !is_setup;
        if reads || !is_known(command, program) {
            return Ends::EITHER;
        }
        let ends = self.program(program, before);
        if command.words[0].text == "exec" && command.words.len() > 1 {
            ends.as_exit()
        } else {
            ends
        }
    }

    fn program(&mut self, program: Program<'_, '_>, before: Ends) -> Ends {
        match program.name {
            "true" | ":" | "echo" | "printf" | "sleep" | "cd" | "pushd" | "popd" | "export"
            | "unset" => Ends::SUCCESS,
            "wait" if program.args.is_empty() => Ends::SUCCESS,
            "false" => Ends::FAILURE,
            "exit" => exit(program.args, before),
            "trap" => Ends::SUCCESS.and(Ends::EXIT_FAILURE),
            "set" => {
                self.errexit |= ShellOptions::read(program.args).errexit;
                Ends::SUCCESS
            }
            _ => match shell_text(program) {
                Some((text, errexit)) if self.shells < MAX_SHELLS => {
                    let inner = Script::parse(&text.text);
                    inner.ends(self.shells + 1, errexit)
                }
                _ => Ends::EITHER,
            },
        }
    }
}

impl Script<'_> {
    /// Returns the outcomes when it is passed to a separate shell.
    fn ends(&self, shells: usize, errexit: bool) -> Ends {
        self.tree.as_ref().map_or(Ends::EITHER, |tree| {
            Evaluation::new(self, shells, errexit)
                .list(tree, Ends::SUCCESS, &mut |_, _| {})
                .of_child()
        })
    }
}

/// Returns how `exit` ends the shell whose last status was `before`.
fn exit(args: &[Word<'_>], before: Ends) -> Ends {
    let status = match args {
        [] => before,
        [word] if word.text == "$?" => before,
        [word] => match word.text.parse::<u64>() {
            Ok(status) if status % 256 == 0 => Ends::SUCCESS,
            Ok(_) => Ends::FAILURE,
            Err(_) => Ends::EITHER,
        },
        _ => Ends::EITHER,
    };
    status.as_exit()
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
pub(super) fn shell_text<'s, 'a>(program: Program<'s, 'a>) -> Option<(&'s Word<'a>, bool)> {
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
