//! The scripts that the command of a task runs, made to end with a failure: a command that
//! passes with them cannot fail, whatever the code under test does. Only what certainly
//! gets to its end is made so.

use std::path::{Component, Path};

use review_document::command::{Script, is_shell};

/// The line that ends a script with a failure.
const FAILURE: &str = "exit 97";

/// A script that a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RunScript {
    /// Its path, relative to the root.
    pub(super) path: String,
    /// Whether the command names the shell, so that its first line need not.
    has_shell: bool,
}

/// Returns the scripts that commands run each on its own.
pub(super) fn scripts_of(commands: &[String]) -> Vec<RunScript> {
    commands.iter().filter_map(|step| script_of(step)).collect()
}

fn script_of(step: &str) -> Option<RunScript> {
    let script = Script::parse(step);
    let [command] = script.commands() else {
        return None;
    };
    if script.is_compound || script.is_unfinished || command.negated {
        return None;
    }
    let program = command.program()?;
    let file = program.script_file().filter(|file| file.is_literal())?;
    let path = file.text.strip_prefix("./").unwrap_or(&file.text);
    let is_inside = Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    is_inside.then(|| RunScript {
        path: path.to_owned(),
        has_shell: program.is_shell(),
    })
}

impl RunScript {
    /// Returns the content of the script with an end that fails; `None` where it may end
    /// earlier.
    pub(super) fn failing(&self, text: &str) -> Option<String> {
        if !self.has_shell && !names_shell(text) {
            return None;
        }
        let text = text.trim_end();
        let (before, last) = text.rsplit_once('\n').unwrap_or(("", text));
        let ends_itself = last == "exit" || last.starts_with("exit ");
        let (body, end) = match ends_itself {
            true => (before.trim_end(), last),
            false => (text, ""),
        };
        let goes_on = ["\\", "|", "&", "{", "(", "then", "else", "do"];
        if ends_itself && goes_on.iter().any(|sign| body.ends_with(sign)) {
            return None;
        }
        let certain = body.lines().all(is_no_good_end);
        certain.then(|| format!("{body}\n\n{FAILURE}\n{end}\n"))
    }
}

fn names_shell(text: &str) -> bool {
    let first = text.lines().next().and_then(|line| line.strip_prefix("#!"));
    let mut words = first.into_iter().flat_map(str::split_whitespace);
    words.any(|word| is_shell(word.rsplit('/').next().unwrap_or_default()))
}

/// Whether a line does not end the script well, nor replaces it by another program.
fn is_no_good_end(line: &str) -> bool {
    let is_between = |char: char| char.is_whitespace() || ";&|(){}\"'`".contains(char);
    let words: Vec<_> = line
        .split(is_between)
        .filter(|word| !word.is_empty())
        .collect();
    words.iter().enumerate().all(|(at, word)| match *word {
        "exec" => false,
        "exit" => {
            let status = words.get(at + 1).and_then(|word| word.parse::<u8>().ok());
            status.is_some_and(|status| status != 0)
        }
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_of_a_command_is_what_a_shell_is_given_or_a_file_that_names_one() {
        for (command, expected) in [
            ("sh tests/t.sh 1", Some(("tests/t.sh", true))),
            ("CI=1 /bin/bash -eu ./t.sh", Some(("t.sh", true))),
            ("./tests/t.sh", Some(("tests/t.sh", false))),
            ("cargo test", None),
            ("t.sh", None),
            ("sh -c 'exit 0'", None),
            ("! sh t.sh", None),
            ("sh t.sh || true", None),
            ("sh t.sh | tee log", None),
            ("if sh t.sh; then :; fi", None),
            ("sh $T", None),
            ("sh ../t.sh", None),
            ("sh /t.sh", None),
        ] {
            let found = script_of(command);
            let found = found.as_ref().map(|one| (&*one.path, one.has_shell));
            assert_eq!(found, expected, "{command}");
        }
    }

    #[test]
    fn a_script_that_gets_to_its_end_is_made_to_fail_there() {
        let script = RunScript {
            path: "t.sh".to_owned(),
            has_shell: true,
        };
        for (text, expected) in [
            (
                ". ./lib.sh\n[ -e a ] || exit 1\n",
                Some(". ./lib.sh\n[ -e a ] || exit 1\n\nexit 97\n\n"),
            ),
            (
                "bad=0\nexit $bad\n\n",
                Some("bad=0\n\nexit 97\nexit $bad\n"),
            ),
            ("test -e a && exit 0\nexit 1\n", None),
            ("trap 'exit 0' EXIT\n", None),
            ("exec python3 t.py\n", None),
            ("test -e a ||\nexit 1\n", None),
            ("done() { exit; }\ndone\n", None),
        ] {
            assert_eq!(script.failing(text).as_deref(), expected, "{text}");
        }
        let alone = RunScript {
            has_shell: false,
            ..script
        };
        assert_eq!(alone.failing("#!/usr/bin/env python3\nprint(1)\n"), None);
        let failing = alone.failing("#!/bin/sh -e\ntest -e a\n");
        assert_eq!(
            failing.as_deref(),
            Some("#!/bin/sh -e\ntest -e a\n\nexit 97\n\n")
        );
    }
}
