//! Whether the sentence around a marker leaves something open.

use super::words::Mark;
use crate::words::WordList;

/// What surrounds a marker, on its line, up to a limit.
pub(super) struct Around<'a> {
    before: &'a str,
    after: &'a str,
}

/// The number of bytes on each side of a marker that are read.
const REACH: usize = 100;

impl<'a> Around<'a> {
    pub(super) fn of(source: &'a str, start: usize, end: usize) -> Self {
        let low = source.ceil_char_boundary(start.saturating_sub(REACH));
        let high = source.floor_char_boundary(end + REACH);
        let before = &source[low..start];
        let after = &source[end..high];
        Self {
            before: before.rsplit('\n').next().unwrap_or_default(),
            after: after.split('\n').next().unwrap_or_default().trim_end(),
        }
    }
}

const QUOTES: [char; 8] = ['"', '\'', '`', '“', '”', '‘', '’', '«'];

/// Whether a marker replaces an answer and is not itself the subject.
pub(super) fn is_left(around: &Around<'_>, mark: Mark) -> bool {
    let emphasis = ['*', '_', '~'];
    let before = around.before.trim_end_matches(emphasis);
    let after = around.after.trim_start_matches(emphasis);
    if before.ends_with(QUOTES) || after.starts_with(QUOTES) || is_explained(before) {
        return false;
    }
    let is_apart = |c: char| !c.is_alphanumeric();
    let stands_in = before.chars().next_back().is_none_or(is_apart)
        && match mark {
            Mark::Value => {
                opens(before) && (closes(after) || goes_on(before, after)) || is_measured(after)
            }
            Mark::Task => {
                opens(before) && (is_named(after) || (is_line_start(before) && is_order(after)))
            }
            Mark::Clarify => closes(after) && !WordList::About.has(last_words(before).1),
            Mark::Words => !is_need(before) && closes(after) && !after.starts_with('?'),
            Mark::Claim => {
                (opens(before) || is_yet(before)) && closes(after) && !after.starts_with([':', '?'])
            }
            Mark::Sentence => {
                return after.chars().next().is_none_or(is_apart)
                    && !after.starts_with('?')
                    && !has_word(before, WordList::Case);
            }
        };
    stands_in && !is_in_a_list_of_marks(before, after) && !has_word(before, WordList::Denial)
}

/// Whether a marker is in brackets after its own long form in quotes.
fn is_explained(before: &str) -> bool {
    let quoted = before.trim_end_matches(['(', ' ']);
    let words = quoted.trim_end_matches(['"', '”']);
    let last = words.rsplit(' ').next().unwrap_or_default();
    quoted.len() < before.len()
        && words.len() < quoted.len()
        && ["determined", "decided", "defined"].contains(&last.to_ascii_lowercase().as_str())
}

/// The last two words of a string.
fn last_words(text: &str) -> (&str, &str) {
    let mut words = text.split_whitespace().rev();
    let last = words.next().unwrap_or_default();
    (words.next().unwrap_or_default(), last)
}

/// Whether the sentence is like "the length has to be determined", which leaves nothing
/// open.
fn is_need(before: &str) -> bool {
    let (adverb, verb) = last_words(before);
    ["has", "have", "had", "need", "needs"].contains(&verb) && !["still", "yet"].contains(&adverb)
}

/// Whether the sentence is like "is yet to be defined" or "still needs to be".
fn is_yet(before: &str) -> bool {
    let (adverb, verb) = last_words(before);
    verb == "yet" || adverb == "still"
}

/// Whether the words before a marker ask for an answer.
fn opens(before: &str) -> bool {
    let words = before.trim_end();
    is_line_start(before)
        || words.ends_with([
            ':', '=', '(', '[', '|', '.', ';', '!', '?', ',', '—', '–', '>', '→',
        ])
        || follows_a_verb(before)
}

/// Whether only the syntax of a heading, an item or a cell precedes.
fn is_line_start(before: &str) -> bool {
    let item = before.trim_start_matches([' ', '\t', '>', '#', '-', '*', '+', '|']);
    let box_mark = ["[ ]", "[x]", "[X]"]
        .iter()
        .find_map(|mark| item.strip_prefix(mark));
    let item = box_mark.unwrap_or(item).trim();
    let number = item.trim_end_matches(['.', ')']);
    item.is_empty() || (number.len() < item.len() && number.bytes().all(|b| b.is_ascii_digit()))
}

fn follows_a_verb(before: &str) -> bool {
    let words = before.trim_end();
    let last = words.rsplit([' ', '\t']).next().unwrap_or_default();
    words.len() < before.len() && WordList::Verb.has(last)
}

/// Whether a marker replaces a value and the sentence continues: `TBD by Bob`, "holds
/// TBD entries".
fn goes_on(before: &str, after: &str) -> bool {
    let Some(rest) = after.strip_prefix(' ') else {
        return false;
    };
    let clause = rest.split(['.', ',', ';', '|', '(']).next();
    let mut words = clause.unwrap_or_default().split_whitespace();
    let word = words.next().unwrap_or_default();
    let is_last = words.next().is_none();
    let singular = word.strip_suffix('s').unwrap_or(word);
    let has_value = follows_a_verb(before) || before.trim_end().ends_with([':', '=', '→']);
    let counts = is_last
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && !WordList::Name.has(singular);
    (has_value && WordList::Until.has(word)) || (follows_a_verb(before) && counts)
}

/// Whether a unit follows a marker: `TBD seconds`.
fn is_measured(after: &str) -> bool {
    let word = after.strip_prefix(' ').map(|rest| {
        let ends = [' ', '.', ',', ';', ':', ')', ']', '|', '*', '_'];
        rest.split(ends).next().unwrap_or_default()
    });
    word.is_some_and(|word| WordList::Unit.has(word))
}

/// Whether a marker without a colon continues with a task.
fn is_order(after: &str) -> bool {
    let word = after
        .strip_prefix(' ')
        .and_then(|rest| rest.split(' ').next());
    word.is_some_and(|word| WordList::Order.words().contains(&word))
}

/// Whether only an aside or the end of the sentence follows a marker.
fn closes(after: &str) -> bool {
    let rest = after.trim_start();
    rest.is_empty()
        || after.starts_with(['.', ',', ';', ':', ')', ']', '!', '?'])
        || rest.starts_with(['|', '(', '—', '–', '<'])
        || rest.starts_with("- ")
}

/// Whether `:` or `(name):` follows a marker, and then a task.
fn is_named(after: &str) -> bool {
    let rest = match after.strip_prefix('(') {
        Some(name) => name.split_once(')').map_or("", |(_, rest)| rest),
        None => after,
    };
    rest.strip_prefix(':').is_some_and(|what| {
        let what = what.trim_matches([' ', '.', '|', '*', '_']);
        !["none", "nothing", "n/a", "-"]
            .iter()
            .any(|none| what.eq_ignore_ascii_case(none))
    })
}

/// Whether the sentence before a marker has a word of a list.
fn has_word(before: &str, list: WordList) -> bool {
    let sentence = before.rsplit(['.', ';', '|']).next().unwrap_or_default();
    let mut words = sentence.split(|c: char| !c.is_alphanumeric());
    words.any(|word| list.has(word))
}

/// Whether other markers are next to it, as in a list of search terms.
fn is_in_a_list_of_marks(before: &str, after: &str) -> bool {
    let between = [' ', ',', '/', '|', '(', '`', '"', '\'', '“', '”'];
    let next = after
        .trim_start_matches(between)
        .trim_start_matches("or ")
        .trim_start_matches(between);
    let last = before
        .trim_end_matches(between)
        .trim_end_matches(" or")
        .trim_end_matches(between);
    Mark::names().any(|mark| next.starts_with(mark) || last.ends_with(mark))
}
