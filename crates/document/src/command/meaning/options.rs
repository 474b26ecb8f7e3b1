//! Arguments split into options with their values, and the rest.

use super::{Filter, FilterKind, Word};
use crate::Span;

/// One argument, as a program reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arg<'a> {
    /// An option, with the value behind `=` or in the next word.
    Option {
        name: &'a str,
        value: Option<Value<'a>>,
        word: &'a Word,
    },
    /// A word that belongs to no option.
    Plain(&'a Word),
    /// `--`.
    Dashes,
}

/// The value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value<'a> {
    pub(super) text: &'a str,
    pub(super) word: &'a Word,
    joined: bool,
}

impl Value<'_> {
    /// The value as a word of its own.
    pub(super) fn to_word(self) -> Word {
        Word {
            text: self.text.to_owned(),
            ..self.word.clone()
        }
    }

    /// The filter that this value is, given by the option `word`.
    pub(super) fn filter(self, kind: FilterKind, word: &Word) -> Filter {
        let span = Span::new(word.span.start, self.word.span.end);
        let value = if self.joined {
            let start = self.word.span.end.saturating_sub(self.text.len());
            Span::new(start.max(span.start), span.end)
        } else {
            self.word.span
        };
        Filter {
            kind,
            text: self.text.to_owned(),
            span,
            value,
        }
    }
}

/// Reads `words`; the options in `valued` take the next word when they hold no
/// `=` themselves.
pub(super) fn args<'a>(words: &'a [Word], valued: &'a [&'a str]) -> impl Iterator<Item = Arg<'a>> {
    let mut rest = words.iter();
    std::iter::from_fn(move || {
        let word = rest.next()?;
        let text = word.text.as_str();
        if text == "--" {
            return Some(Arg::Dashes);
        }
        if !text.starts_with('-') || text == "-" {
            return Some(Arg::Plain(word));
        }
        if let Some((name, value)) = text.split_once('=') {
            let value = Some(Value {
                text: value,
                word,
                joined: true,
            });
            return Some(Arg::Option { name, value, word });
        }
        let value = valued.contains(&text).then(|| rest.next()).flatten();
        Some(Arg::Option {
            name: text,
            value: value.map(|word| Value {
                text: &word.text,
                word,
                joined: false,
            }),
            word,
        })
    })
}

/// A plain word as a filter.
pub(super) fn plain_filter(kind: FilterKind, word: &Word) -> Filter {
    Filter {
        kind,
        text: word.text.clone(),
        span: word.span,
        value: word.span,
    }
}
