//! `go test` and its relatives.

use super::options::{Arg, args};
use super::{FilterKind, Invocation, Runner, Word};
use crate::command::words::WordList;

/// Interprets the arguments of `go`.
pub(super) fn read<'a>(words: &[Word<'a>], read: &mut Invocation<'a>) -> Runner {
    let Some((subcommand, rest)) = words.split_first() else {
        return Runner::Other;
    };
    match &*subcommand.text {
        "test" => test(rest, read),
        "build" | "vet" | "fmt" | "install" | "generate" => {
            packages(rest, read);
            Runner::Build
        }
        _ => Runner::Other,
    }
}

/// Interprets the arguments of `gotestsum`; those for `go test` come after `--`.
pub(super) fn read_gotestsum<'a>(words: &[Word<'a>], read: &mut Invocation<'a>) -> Runner {
    let dashes = words.iter().position(|word| word.text == "--");
    test(dashes.map_or(&[], |at| &words[at + 1..]), read)
}

fn test<'a>(words: &[Word<'a>], read: &mut Invocation<'a>) -> Runner {
    let end = words.iter().position(|word| word.text == "-args");
    let words = &words[..end.unwrap_or(words.len())];
    let mut runs = Runner::GoTest;
    for arg in args(words, WordList::Go.words()) {
        let Arg::Option { name, value, word } = arg else {
            continue;
        };
        match (name, value) {
            ("-run" | "--run" | "-test.run", Some(value)) => {
                read.filters = vec![value.filter(FilterKind::GoRun, word)];
                read.opaque |= word.expands || value.word.expands;
            }
            ("-skip" | "-bench" | "-fuzz", _) => read.opaque = true,
            ("-c" | "-list", _) => runs = Runner::Build,
            _ => {}
        }
    }
    packages(words, read);
    runs
}

fn packages<'a>(words: &[Word<'a>], read: &mut Invocation<'a>) {
    for arg in args(words, WordList::Go.words()) {
        match arg {
            Arg::Plain(word) => read.packages.push(word.clone()),
            Arg::Option {
                name: "-C", value, ..
            } => {
                read.folder.enter(value.map(|value| value.word));
            }
            Arg::Option { .. } | Arg::Dashes => {}
        }
    }
}
