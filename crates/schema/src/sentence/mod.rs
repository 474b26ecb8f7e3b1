//! The sentence around an object: whether it qualifies or denies the object,
//! as in "the answer would be {…} if it were good, but it is not".
//!
//! Only English is supported. In doubt a word governs the object, since asking
//! again costs less than a wrong pass.

mod bounds;
mod grammar;
mod words;

use std::ops::Range;

use review_types::Verdict;

use crate::outside::fences;
use bounds::{is_closer, sentence_before, sentences_after};
use grammar::{Rule, gives, governs_from_after, governs_from_before, names_itself, takes_back};
use words::{Class, Word, split};

/// Maximum number of bytes that are read on each side of an object.
const MAX_SENTENCE: usize = 512;

/// The text around an object, within the limit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Surroundings<'t> {
    pub(crate) before: &'t str,
    pub(crate) after: &'t str,
}

impl<'t> Surroundings<'t> {
    /// Returns the text around `span` without what precedes `from` and without code blocks
    /// other than the one around the object.
    pub(crate) fn of(text: &'t str, from: usize, span: &Range<usize>, in_fence: bool) -> Self {
        let from = from.max(span.start.saturating_sub(MAX_SENTENCE));
        let from = text.ceil_char_boundary(from);
        let end = text.floor_char_boundary(span.end + MAX_SENTENCE);
        let after = text.get(span.end..end).unwrap_or_default();
        let mut fences = fences(after).skip(usize::from(in_fence));
        let code = fences.next().map_or(after.len(), |fence| fence.line.start);
        Self {
            before: text.get(from..span.start).unwrap_or_default(),
            after: after.get(..code).unwrap_or_default(),
        }
    }

    /// Returns the word by which the sentence qualifies or denies an object with the verdict
    /// `verdict`.
    pub(crate) fn governing_word(self, verdict: Verdict) -> Option<String> {
        let before = split(sentence_before(self.before).into_iter().rev());
        let (rest, next) = sentences_after(self.after);
        let (rest, next) = (split([rest]), split([next]));
        let parts: [(&[Word], Rule); 3] = [
            (&before, governs_from_before),
            (&rest, governs_from_after),
            (&next, takes_back),
        ];
        let governing = parts.into_iter().find_map(|(words, governs)| {
            // "It would pass if …" means a revision.
            let agrees = verdict == Verdict::NeedsRevision
                && words.iter().any(|word| word.is(Class::Passing));
            words.get(governs(words).filter(|_| !agrees)?)
        });
        let mentioning = || match verdict {
            Verdict::NeedsRevision => None,
            Verdict::Pass if self.is_asked() => Some("?"),
            Verdict::Pass => self.mentioned_by(&before, &rest).map(Word::text),
        };
        let word = governing.map(Word::text).or_else(mentioning);
        word.map(str::to_owned)
    }

    /// Returns the word next to an object that is a part of a sentence which does not
    /// introduce it as the answer: "I considered {…}", "{…} fits".
    fn mentioned_by<'w>(self, before: &'w [Word], rest: &'w [Word]) -> Option<&'w Word> {
        let [before_object, after_object] = [
            self.before.trim_end_matches(is_closer),
            self.after.trim_start_matches(is_closer),
        ];
        let last = before_object
            .rsplit(char::is_whitespace)
            .next()
            .unwrap_or_default();
        let is_word = last.chars().all(|c| c.is_ascii_alphabetic());
        let is_level = last.chars().all(char::is_uppercase);
        let is_english = before.iter().any(|word| word.is(Class::English));
        if is_word && !is_level && is_english && !gives(before) {
            return before.last();
        }
        let is_part = after_object.starts_with(char::is_lowercase);
        if is_part && !names_itself(rest) {
            return rest.first();
        }
        None
    }

    /// Returns whether the sentence of the object is a question that ends with it.
    fn is_asked(self) -> bool {
        self.after.trim_start_matches(is_closer).starts_with('?')
    }

    /// Returns whether the text before the object joins it to the previous answer, as "or"
    /// does.
    pub(crate) fn joins(self) -> bool {
        let words = split([self.before]);
        !words.is_empty() && words.iter().all(|word| word.is(Class::Joiner))
    }
}
