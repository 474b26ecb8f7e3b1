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
    let (own, harness) = filters(words, read);
    read.opaque |= args(harness, WordList::Libtest.words()).any(|arg| {
        matches!(
            arg,
            Arg::Option {
                name: "--skip" | "--ignored",
                ..
            }
        )
    });
    if own.iter().any(|word| word.text == "--no-run") || harness.iter().any(|w| w.text == "--list")
    {
        return Runner::Build;
    }
    read.opaque |= read.filters.iter().any(|filter| filter.text.contains('$'));
    Runner::CargoTest
}

fn nextest<'a>(words: &[Word<'a>], read: &mut Invocation<'a>) {
    let (own, _) = filters(words, read);
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
}

/// Records the filters, which may be before `--` or after it; returns the words of both sides.
fn filters<'s, 'a>(
    words: &'s [Word<'a>],
    read: &mut Invocation<'a>,
) -> (&'s [Word<'a>], &'s [Word<'a>]) {
    let dashes = words.iter().position(|word| word.text == "--");
    let (own, harness) = words.split_at(dashes.unwrap_or(words.len()));
    let kind = match harness.iter().any(|word| word.text == "--exact") {
        true => FilterKind::PathIs,
        false => FilterKind::PathContains,
    };
    let mut plain = options(own, read);
    plain.extend(
        args(harness, WordList::Libtest.words()).filter_map(|arg| match arg {
            Arg::Plain(word) => Some(word),
            Arg::Option { .. } | Arg::Dashes => None,
        }),
    );
    let filters = plain.into_iter().map(|word| plain_filter(kind, word));
    read.filters.extend(filters);
    (own, harness)
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
