//! The prose around an object: whether the object stands alone, and whether a word of
//! its sentence puts it in doubt.
//!
//! A pass that is not alone proves nothing, in whatever language the prose is: a loop asks
//! for the object alone. The words serve readers that cannot ask.

use std::ops::Range;

use crate::outside::{Tag, fences, tags};
use crate::parse::is_invisible;

/// The words that put the object of their sentence in doubt, one a line.
const DOUBT_WORDS: &str = include_str!("../data/doubt-words.txt");

/// Maximum number of bytes that are read on each side of an object.
const MAX_SENTENCE: usize = 512;

/// Returns whether there is nothing around `span` but blanks, blocks of thinking before it,
/// and the fence of one code block.
pub(crate) fn is_alone(text: &str, span: &Range<usize>) -> bool {
    let before = text.get(..span.start).unwrap_or_default();
    let after = text.get(span.end..).unwrap_or_default();
    let before = skip_thinking(before);
    let opening = fences(before).last();
    match opening.filter(|fence| is_nothing(before.get(fence.line.end..).unwrap_or_default())) {
        None => is_nothing(before) && is_nothing(after),
        Some(fence) => {
            let info = before.get(fence.line.clone()).unwrap_or_default();
            let is_word = info.split_whitespace().count() == 1;
            let before = before.get(..fence.line.start).unwrap_or_default();
            let closing = fences(after).next().filter(|fence| !fence.opens);
            let (inside, after) = match closing {
                Some(fence) => (after.get(..fence.line.start), after.get(fence.line.end..)),
                None => (Some(after), Some("")),
            };
            let parts = [Some(before), inside, after];
            is_word
                && parts
                    .into_iter()
                    .all(|part| is_nothing(part.unwrap_or_default()))
        }
    }
}

/// Returns what follows the blocks of thinking that a string starts with.
fn skip_thinking(text: &str) -> &str {
    let mut rest = text;
    loop {
        let mut tags = tags(rest.as_bytes());
        let Some((opened, Tag::Open)) = tags.next() else {
            return rest;
        };
        let tag = rest.get(..opened).unwrap_or_default();
        let before = tag.rsplit_once('<').map_or("", |(before, _)| before);
        let Some((closed, Tag::Close)) = tags.next() else {
            return rest;
        };
        if !is_nothing(before) {
            return rest;
        }
        rest = rest.get(closed..).unwrap_or_default();
    }
}

fn is_nothing(text: &str) -> bool {
    text.chars().all(is_invisible)
}

/// What is beside an object, within the limit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Surroundings<'t> {
    pub(crate) before: &'t str,
    pub(crate) after: &'t str,
}

impl<'t> Surroundings<'t> {
    /// Returns what is beside the object at `span`, without what precedes `from`.
    pub(crate) fn of(text: &'t str, from: usize, span: &Range<usize>) -> Self {
        let from = text.ceil_char_boundary(from.max(span.start.saturating_sub(MAX_SENTENCE)));
        let end = text.floor_char_boundary(span.end.saturating_add(MAX_SENTENCE));
        Self {
            before: text.get(from..span.start).unwrap_or_default(),
            after: text.get(span.end..end).unwrap_or_default(),
        }
    }

    /// Returns the word by which the sentence of the object puts it in doubt.
    pub(crate) fn doubt(self) -> Option<String> {
        let before = words(sentence_before(self.before));
        let mut words = before.chain(words(sentence_after(self.after)));
        words.find(|word| DOUBT_WORDS.lines().any(|known| known == word))
    }
}

/// Returns the words of a string in lower case, with contractions in full.
fn words(text: &str) -> impl Iterator<Item = String> {
    let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    let words = text.split(move |c| !is_of_word(c));
    words.filter(|word| !word.is_empty()).map(|word| {
        let word = word.replace('’', "'").to_lowercase();
        if word.ends_with("n't") || word == "cannot" {
            "not".to_owned()
        } else if word.ends_with("'d") {
            "would".to_owned()
        } else {
            word
        }
    })
}

/// Returns the sentence that a string ends in; nothing if the last one has ended.
fn sentence_before(text: &str) -> &str {
    let text = match fences(text).last() {
        Some(fence) if is_nothing(text.get(fence.line.end..).unwrap_or_default()) => {
            text.get(..fence.line.start).unwrap_or_default()
        }
        _ => text,
    };
    let text = text.trim_end();
    let end = sentence_ends(text).last();
    text.get(end.unwrap_or(0)..).unwrap_or_default()
}

/// Returns the rest of a sentence with which a string begins.
fn sentence_after(text: &str) -> &str {
    let text = match fences(text).next() {
        Some(fence) if is_nothing(text.get(..fence.line.start).unwrap_or_default()) => {
            let behind = text.get(fence.line.end..).filter(|_| !fence.opens);
            behind.unwrap_or_default()
        }
        _ => text,
    };
    let text = text.trim_start();
    let goes_on = |c: char| c.is_lowercase() || !c.is_alphanumeric();
    if !text.starts_with(goes_on) {
        return "";
    }
    let end = sentence_ends(text).next().unwrap_or(text.len());
    let brace = text.find('{').unwrap_or(text.len());
    text.get(..end.min(brace)).unwrap_or_default()
}

/// Returns the offsets after the ends of sentences: a mark before white space or the
/// end, and a blank line.
fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    text.char_indices().filter_map(|(at, c)| {
        let rest = text.get(at + c.len_utf8()..)?;
        let ends = match c {
            '.' | '!' | '?' => rest.is_empty() || rest.starts_with(char::is_whitespace),
            '\n' => rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n'),
            _ => false,
        };
        ends.then_some(at + c.len_utf8())
    })
}
