//! `pytest`.

use super::options::{Arg, args};
use super::{FilterKind, Invocation, Runner, Word};
use crate::command::words::WordList;

/// Interprets the arguments of `pytest`.
pub(super) fn read<'a>(words: &[Word<'a>], read: &mut Invocation<'a>) -> Runner {
    let mut runs = Runner::Pytest;
    for arg in args(words, WordList::Pytest.words()) {
        match arg {
            Arg::Plain(word) => {
                read.opaque |= word.text.contains("::");
                read.paths.push(word.clone());
            }
            Arg::Option {
                name: "-k",
                value: Some(value),
                word,
            } => {
                read.filters = vec![value.filter(FilterKind::PytestExpression, word)];
                read.opaque |= value.word.expands;
            }
            Arg::Option {
                name: "-m" | "--deselect" | "--ignore",
                ..
            } => read.opaque = true,
            Arg::Option {
                name: "--collect-only" | "--co",
                ..
            } => runs = Runner::Build,
            Arg::Option { .. } | Arg::Dashes => {}
        }
    }
    runs
}
