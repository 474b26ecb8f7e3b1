//! `cargo test` and `cargo nextest run`.

use super::options::{Arg, args, plain_filter};
use super::{FilterKind, Invocation, Runner, Word};
use crate::command::words::WordList;

/// Interprets the arguments of `cargo`.
pub(super) fn read<'a>(words: &[Word<'a>], read: &mut Invocation<'a>) -> Runner {
    let toolchain = words.first().is_some_and(|word| word.text.starts_with('+'));
    let words = &words[usize::from(toolchain)..];
    let Some(at) = subcommand(words) else {
        return Runner::Other;
    };
    options(&words[..at], read);
    match (&*words[at].text, words.get(at + 1).map(|w| &*w.text)) {
        ("test" | "t", _) => test(&words[at + 1..], read),
        ("nextest", Some("run" | "r")) => {
            nextest(&words[at + 2..], read);
            Runner::CargoNextest
        }
        ("build" | "b" | "check" | "c" | "clippy" | "fmt" | "doc" | "d", _) => {
            options(own(&words[at + 1..]), read);
            Runner::Build
        }
        ("run" | "r" | "bench", _) => {
            options(own(&words[at + 1..]), read);
            Runner::Other
        }
        _ => Runner::Other,
    }
}

/// Returns the words before `--`.
fn own<'s, 'a>(words: &'s [Word<'a>]) -> &'s [Word<'a>] {
    let dashes = words.iter().position(|word| word.text == "--");
    &words[..dashes.unwrap_or(words.len())]
}

/// Returns the index of the first word that is not an option.
fn subcommand(words: &[Word<'_>]) -> Option<usize> {
    let mut plain = args(words, WordList::Cargo.words()).filter_map(|arg| match arg {
        Arg::Plain(word) => Some(word),
        Arg::Option { .. } | Arg::Dashes => None,
    });
    let first = plain.next()?;
    words.iter().position(|word| std::ptr::eq(word, first))
}

fn test<'a>(words: &[Word<'a>], read: &mut Invocation<'a>) -> Runner {
    let dashes = words.iter().position(|word| word.text == "--");
    let (own, harness) = words.split_at(dashes.unwrap_or(words.len()));
    let exact = harness.iter().any(|word| word.text == "--exact");
    let kind = if exact {
        FilterKind::PathIs
    } else {
        FilterKind::PathContains
    };
    for word in options(own, read) {
        read.filters.push(plain_filter(kind, word));
    }
    for arg in args(harness, WordList::Libtest.words()) {
        match arg {
            Arg::Plain(word) => read.filters.push(plain_filter(kind, word)),
            Arg::Option {
                name: "--skip" | "--ignored",
                ..
            } => read.opaque = true,
            Arg::Option { .. } | Arg::Dashes => {}
        }
    }
    if own.iter().any(|word| word.text == "--no-run") || harness.iter().any(|w| w.text == "--list")
    {
        return Runner::Build;
    }
    read.opaque |= read.filters.iter().any(|filter| filter.text.contains('$'));
    Runner::CargoTest
}

fn nextest<'a>(words: &[Word<'a>], read: &mut Invocation<'a>) {
    let dashes = words.iter().position(|word| word.text == "--");
    let (own, harness) = words.split_at(dashes.unwrap_or(words.len()));
    let expression = |arg: &Arg<'_, '_>| {
        matches!(
            arg,
            Arg::Option {
                name: "-E" | "--filterset" | "--filter-expr",
                ..
            }
        )
    };
    read.opaque |= args(own, WordList::Cargo.words()).any(|arg| expression(&arg));
    let exact = harness.iter().any(|word| word.text == "--exact");
    let kind = if exact {
        FilterKind::PathIs
    } else {
        FilterKind::PathContains
    };
    for word in options(own, read) {
        read.filters.push(plain_filter(kind, word));
    }
    for arg in args(harness, WordList::Libtest.words()) {
        if let Arg::Plain(word) = arg {
            read.filters.push(plain_filter(kind, word));
        }
    }
}

/// Records packages and manifest; returns the plain words.
fn options<'s, 'a>(words: &'s [Word<'a>], read: &mut Invocation<'a>) -> Vec<&'s Word<'a>> {
    let mut plain = Vec::new();
    for arg in args(words, WordList::Cargo.words()) {
        match arg {
            Arg::Plain(word) => plain.push(word),
            Arg::Option {
                name,
                value: Some(value),
                ..
            } => match name {
                "-p" | "--package" => read.packages.push(value.to_word()),
                "--manifest-path" => read.paths.push(value.to_word()),
                _ => {}
            },
            Arg::Option { .. } | Arg::Dashes => {}
        }
    }
    plain
}
