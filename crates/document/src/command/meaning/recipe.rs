//! `just` and `make`.

use super::options::{Arg, OptionValue, args};
use super::{Invocation, Runner, Word};
use crate::command::words::WordList;

/// Interprets the arguments of `make`: every plain word is a target.
pub(super) fn make<'a>(words: &[Word<'a>], read: &mut Invocation<'a>) -> Runner {
    let mut elsewhere = false;
    let mut targets = Vec::new();
    for arg in args(words, WordList::Make.words()) {
        match arg {
            Arg::Plain(word) => targets.push(word),
            Arg::Option {
                name: "-C" | "--directory",
                value,
                ..
            } => read.folder.enter(value.map(OptionValue::to_word).as_ref()),
            Arg::Option {
                name: "-f" | "--file" | "--makefile",
                ..
            } => elsewhere = true,
            Arg::Option { .. } | Arg::Dashes => {}
        }
    }
    let is_target =
        |word: &&Word<'_>| word.is_literal() && !word.text.contains('=') && !is_count(&word.text);
    if !elsewhere {
        read.recipes = targets.into_iter().filter(is_target).cloned().collect();
    }
    Runner::Make
}

/// Returns whether `word` is a number, as in `-j 4`.
fn is_count(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Interprets the arguments of `just`: the first plain word is a recipe, and the
/// next ones may be its arguments. An option may mean anything.
pub(super) fn just<'a>(words: &[Word<'a>], read: &mut Invocation<'a>) -> Runner {
    let named = words.iter().find(|word| !word.text.contains('='));
    let has_options = words.iter().any(|word| word.text.starts_with('-'));
    let is_recipe = |word: &&Word<'_>| word.is_literal() && !word.text.contains(['/', ':']);
    if !has_options {
        read.recipes = named.filter(is_recipe).cloned().into_iter().collect();
    }
    Runner::Just
}
