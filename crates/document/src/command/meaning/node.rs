//! `jest`, `vitest`, `mocha` and the scripts of a `package.json`.

use super::options::{Arg, OptionValue, args};
use super::{FilterKind, Folder, Invocation, Runner, Word};
use crate::command::words::WordList;

/// Interprets the arguments of a test runner.
pub(super) fn read<'a>(runner: Runner, words: &[Word<'a>], read: &mut Invocation<'a>) -> Runner {
    for arg in args(words, WordList::Node.words()) {
        match arg {
            Arg::Plain(word) if !is_subcommand(runner, &word.text) => {
                read.paths.push(word.clone());
            }
            Arg::Option {
                name,
                value: Some(value),
                word,
            } => {
                if let Some(kind) = filter_kind(runner, name) {
                    read.filters = vec![value.filter(kind, word)];
                    read.opaque |= value.word.expands;
                }
            }
            Arg::Option {
                name: "-i" | "--invert",
                ..
            } => read.opaque = true,
            Arg::Plain(_) | Arg::Option { .. } | Arg::Dashes => {}
        }
    }
    runner
}

fn is_subcommand(runner: Runner, word: &str) -> bool {
    runner == Runner::Vitest && matches!(word, "run" | "watch" | "dev" | "related" | "bench")
}

fn filter_kind(runner: Runner, name: &str) -> Option<FilterKind> {
    match name {
        "-t" | "--testNamePattern" if runner != Runner::Mocha => Some(FilterKind::TitleMatches),
        "-g" | "--grep" if runner == Runner::Mocha => Some(FilterKind::TitleMatches),
        "-f" | "--fgrep" if runner == Runner::Mocha => Some(FilterKind::TitleContains),
        _ => None,
    }
}

/// Interprets the arguments of a package manager.
///
/// A script that is named like a compiler or linter counts as one. The arguments
/// after `--` go to a runner that only `package.json` names, so a filter
/// there is interpreted as the one that jest and vitest share.
pub(super) fn package_script<'a>(
    manager: &str,
    words: &[Word<'a>],
    read: &mut Invocation<'a>,
) -> Runner {
    read.recipes = named_script(manager, words, &mut read.folder)
        .cloned()
        .into_iter()
        .collect();
    let plain: Vec<&str> = args(words, WordList::Node.words())
        .take_while(|arg| *arg != Arg::Dashes)
        .filter_map(|arg| match arg {
            Arg::Plain(word) => Some(&*word.text),
            Arg::Option { .. } | Arg::Dashes => None,
        })
        .collect();
    read.opaque = true;
    let script = match plain.as_slice() {
        ["run" | "run-script", script, ..] | [script, ..] => *script,
        [] => return Runner::Other,
    };
    let stem = script.split(':').next().unwrap_or(script);
    match stem {
        "install" | "ci" | "add" | "i" => Runner::Other,
        "build" | "typecheck" | "type-check" | "tsc" | "lint" | "format" | "fmt" | "compile" => {
            Runner::Build
        }
        _ => Runner::PackageScript,
    }
}

/// Returns the script that must be in the `package.json` of the folder. `bun` runs
/// programs and files with the same words, so its scripts are unknown.
fn named_script<'s, 'a>(
    manager: &str,
    words: &'s [Word<'a>],
    folder: &mut Folder,
) -> Option<&'s Word<'a>> {
    let mut plain = Vec::new();
    for arg in args(words, WordList::Node.words()).take_while(|arg| *arg != Arg::Dashes) {
        match arg {
            Arg::Plain(word) => plain.push(word),
            Arg::Option {
                name: "--prefix" | "-C" | "--dir",
                value,
                ..
            } => folder.enter(value.map(OptionValue::to_word).as_ref()),
            Arg::Option {
                name: "-s" | "--silent" | "-q" | "--quiet",
                ..
            } => {}
            Arg::Option { .. } | Arg::Dashes => return None,
        }
    }
    let script = match (manager, plain.as_slice()) {
        ("npm" | "pnpm", [run, script, ..]) if matches!(&*run.text, "run" | "run-script") => script,
        ("yarn", [run, script, ..])
            if run.text == "run" && !WordList::Installed.words().contains(&&*script.text) =>
        {
            script
        }
        ("npm" | "pnpm", [script, ..]) if script.text == "test" => script,
        _ => return None,
    };
    script.is_literal().then_some(script)
}
