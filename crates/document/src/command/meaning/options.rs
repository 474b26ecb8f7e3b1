//! Splits arguments into options with their values, and the rest.

use std::borrow::Cow;

use super::{Filter, FilterKind, Word};
use crate::Span;

/// One argument, as a program interprets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arg<'s, 'a> {
    /// An option, with the value after `=` or in the next word.
    Option {
        name: &'s str,
        value: Option<OptionValue<'s, 'a>>,
        word: &'s Word<'a>,
    },
    /// A word that belongs to no option.
    Plain(&'s Word<'a>),
    /// `--`.
    Dashes,
}

/// The value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OptionValue<'s, 'a> {
    pub(super) word: &'s Word<'a>,
    /// The length of the option and of `=` in the same word; 0 for a separate
    /// word.
    lead: usize,
}

impl<'a> OptionValue<'_, 'a> {
    fn text(self) -> Cow<'a, str> {
        match &self.word.text {
            Cow::Borrowed(text) => Cow::Borrowed(&text[self.lead..]),
            Cow::Owned(text) => Cow::Owned(text[self.lead..].to_owned()),
        }
    }

    /// Returns the value as a separate word.
    pub(super) fn to_word(self) -> Word<'a> {
        Word {
            text: self.text(),
            ..*self.word
        }
    }

    /// Returns this value as a filter that the option `word` gives.
    pub(super) fn filter(self, kind: FilterKind, word: &Word<'_>) -> Filter<'a> {
        let text = self.text();
        let span = Span::new(word.span.start, self.word.span.end);
        let value = if self.lead > 0 {
            let start = self.word.span.end.saturating_sub(text.len());
            Span::new(start.max(span.start), span.end)
        } else {
            self.word.span
        };
        Filter {
            kind,
            text,
            span,
            value,
        }
    }
}

/// Splits `words`; the options in `valued` take the next word when they have no
/// `=` themselves.
pub(super) fn args<'s, 'a>(
    words: &'s [Word<'a>],
    valued: &'s [&str],
) -> impl Iterator<Item = Arg<'s, 'a>> {
    let mut rest = words.iter();
    std::iter::from_fn(move || {
        let word = rest.next()?;
        let text = &*word.text;
        if text == "--" {
            return Some(Arg::Dashes);
        }
        if !text.starts_with('-') || text == "-" {
            return Some(Arg::Plain(word));
        }
        if let Some((name, _)) = text.split_once('=') {
            let lead = name.len() + 1;
            let value = Some(OptionValue { word, lead });
            return Some(Arg::Option { name, value, word });
        }
        let value = valued.contains(&text).then(|| rest.next()).flatten();
        Some(Arg::Option {
            name: text,
            value: value.map(|word| OptionValue { word, lead: 0 }),
            word,
        })
    })
}

/// Returns a plain word as a filter.
pub(super) fn plain_filter<'a>(kind: FilterKind, word: &Word<'a>) -> Filter<'a> {
    Filter {
        kind,
        text: word.text.clone(),
        span: word.span,
        value: word.span,
    }
}
