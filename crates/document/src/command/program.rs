//! Finds the program after wrappers such as `env`, `timeout` and `npx`.

use super::parse::is_assignment;
use super::words::WordList;
use super::{Script, SimpleCommand, Word};

/// The program that a command finally runs, with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program<'s, 'a> {
    /// Its name without the folder.
    pub name: &'s str,
    /// The word that names it.
    pub word: &'s Word<'a>,
    /// Its arguments.
    pub args: &'s [Word<'a>],
}

impl<'a> SimpleCommand<'a> {
    /// Returns the program that runs, without wrappers such as `env`, `timeout 60` and
    /// `poetry run`; `None` when the command only sets variables.
    pub fn program(&self) -> Option<Program<'_, 'a>> {
        let mut rest = self.words.as_slice();
        while let Some(inner) = unwrapped(rest) {
            rest = inner;
        }
        let (word, args) = rest.split_first()?;
        Some(Program {
            name: base_name(&word.text),
            word,
            args,
        })
    }
}

impl<'a> SimpleCommand<'a> {
    /// Returns the word for the program that the shell starts:
    /// [`SimpleCommand::program`], except after wrappers such as `npx` and
    /// `poetry run`, which bring programs of their own.
    pub fn launched(&self) -> Option<&Word<'a>> {
        let mut rest = self.words.as_slice();
        while let Some(inner) = unwrapped(rest).filter(|_| is_transparent(&rest[0])) {
            rest = inner;
        }
        rest.first()
    }
}

impl<'a> Script<'a> {
    /// Returns the words that name programs which the shell looks up in `PATH`; none if its
    /// grammar is not fully parsed, since functions of its own look the same.
    pub fn programs(&self) -> impl Iterator<Item = &Word<'a>> {
        let is_looked_up = |word: &&Word<'_>| {
            let name = &*word.text;
            word.is_literal()
                && !name.is_empty()
                && !name.contains('/')
                && !WordList::Shell.words().contains(&name)
        };
        let commands = self.commands.iter();
        commands
            .filter(|_| !self.unclear && !self.is_unfinished)
            .filter_map(SimpleCommand::launched)
            .filter(is_looked_up)
    }
}

/// Returns whether a wrapper starts the program that the shell would find by its name.
fn is_transparent(wrapper: &Word<'_>) -> bool {
    matches!(
        base_name(&wrapper.text),
        "time" | "nohup" | "exec" | "command" | "sudo" | "nice" | "env" | "timeout" | "gtimeout"
    )
}

/// The shells whose scripts are known.
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "ksh", "zsh"];

impl<'s, 'a> Program<'s, 'a> {
    /// Returns whether it is a shell.
    pub fn is_shell(&self) -> bool {
        is_shell(self.name)
    }

    /// Returns the file of the script that it runs: the program itself, if it is named by a
    /// path, or that which a shell is given.
    pub fn script_file(&self) -> Option<&'s Word<'a>> {
        if !self.is_shell() {
            return Some(self.word).filter(|word| word.text.contains('/'));
        }
        let at = self
            .args
            .iter()
            .position(|arg| !arg.text.starts_with('-'))?;
        let is_code = |arg: &Word<'_>| !arg.text.starts_with("--") && arg.text.contains('c');
        let is_inline = self.args[..at].iter().any(is_code);
        (!is_inline).then_some(&self.args[at])
    }
}

/// Returns whether a program is a shell, by its name.
pub fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

impl Program<'_, '_> {
    /// Returns whether any argument equals `text`.
    pub(super) fn has(&self, text: &str) -> bool {
        self.args.iter().any(|arg| arg.text == text)
    }
}

fn base_name(path: &str) -> &str {
    let name = path.bytes().rposition(|byte| byte == b'/');
    name.map_or(path, |slash| &path[slash + 1..])
}

/// Returns what a wrapper wraps; `None` for a program that is not a wrapper.
fn unwrapped<'s, 'a>(words: &'s [Word<'a>]) -> Option<&'s [Word<'a>]> {
    let (first, args) = words.split_first()?;
    let second = args.first().map_or("", |word| &*word.text);
    let (skip, values): (usize, &[&str]) = match base_name(&first.text) {
        "time" | "nohup" | "exec" | "builtin" => (0, &[]),
        "command" if second != "-v" && second != "-V" => (0, &[]),
        "sudo" => (0, &["-u", "-g"]),
        "nice" => (0, &["-n"]),
        "env" => (0, &["-u", "-C"]),
        "npx" | "bunx" | "pnpx" => (0, &["-p", "--package"]),
        "timeout" | "gtimeout" => return timed(args),
        "pnpm" | "yarn" | "npm" if matches!(second, "exec" | "dlx") => (1, &[]),
        "uv" | "poetry" | "pipenv" | "hatch" | "rye" | "pdm" if second == "run" => {
            (1, &["--with", "--extra", "--group", "--python", "-p"])
        }
        "bundle" if second == "exec" => (1, &[]),
        "coverage" if second == "run" => (1, &["--source", "--rcfile"]),
        name if second == "-m" && is_python(name) => (1, &[]),
        "yarn" | "pnpm" | "bun" if matches!(second, "jest" | "vitest" | "mocha") => (0, &[]),
        _ => return None,
    };
    nonempty(after_options(&args[skip..], values))
}

/// Returns whether a program is Python: `python`, `python3.12`, `py`.
fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python");
    name == "py" || version.is_some_and(|text| text.chars().all(|c| c == '.' || c.is_numeric()))
}

fn nonempty<'s, 'a>(words: &'s [Word<'a>]) -> Option<&'s [Word<'a>]> {
    (!words.is_empty()).then_some(words)
}

fn timed<'s, 'a>(args: &'s [Word<'a>]) -> Option<&'s [Word<'a>]> {
    let after = after_options(args, &["-k", "-s", "--kill-after", "--signal"]);
    nonempty(after.get(1..)?)
}

/// Skips options, the values of those in `values`, and assignments.
fn after_options<'s, 'a>(mut words: &'s [Word<'a>], values: &[&str]) -> &'s [Word<'a>] {
    while let Some((first, rest)) = words.split_first() {
        words = if first.text == "--" {
            return rest;
        } else if values.contains(&&*first.text) {
            rest.get(1..).unwrap_or_default()
        } else if first.text.starts_with('-') || is_assignment(&first.text) {
            rest
        } else {
            return words;
        };
    }
    words
}
