//! The marks of open decisions, and the words around them.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

/// The kind of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Mark {
    /// `TBD`, in place of a value.
    Value,
    /// `TODO:`, `TODO(name):` or `FIXME:`, or one of the words alone.
    Task,
    /// `[NEEDS CLARIFICATION: which?]`.
    Clarify,
    /// "to be decided".
    Words,
    /// "to be defined", which is also said of names.
    Claim,
    /// "not decided yet".
    Sentence,
}

/// A list of words that tells an open decision from text about marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum List {
    Verb,
    Unit,
    Until,
    Name,
    About,
    Order,
    Denial,
    Case,
    State,
}

impl List {
    const ALL: [(Self, &str); 9] = [
        (Self::Verb, "verb"),
        (Self::Unit, "unit"),
        (Self::Until, "until"),
        (Self::Name, "name"),
        (Self::About, "about"),
        (Self::Order, "order"),
        (Self::Denial, "denial"),
        (Self::Case, "case"),
        (Self::State, "state"),
    ];

    pub(super) fn words(self) -> &'static [&'static str] {
        LISTS.get(&self).map_or(&[], Vec::as_slice)
    }

    /// Whether a word is in the list, in any case.
    pub(super) fn has(self, word: &str) -> bool {
        self.words()
            .iter()
            .any(|known| known.eq_ignore_ascii_case(word))
    }
}

impl Mark {
    const ALL: [(Self, &str); 6] = [
        (Self::Value, "value"),
        (Self::Task, "task"),
        (Self::Clarify, "clarify"),
        (Self::Words, "words"),
        (Self::Claim, "claim"),
        (Self::Sentence, "sentence"),
    ];

    /// The kind of a mark that was found.
    pub(super) fn of(found: &str) -> Self {
        let mut marks = MARKS.iter();
        let mark = marks.find(|(_, mark)| mark.eq_ignore_ascii_case(found));
        mark.map_or(Self::Value, |(kind, _)| *kind)
    }

    /// Whether a comment that begins so leaves a decision open.
    pub(super) fn opens_comment(text: &str) -> bool {
        MARKS.iter().any(|(kind, mark)| {
            let rest = text.strip_prefix(mark);
            rest.is_some_and(|rest| match kind {
                Self::Value | Self::Clarify => true,
                Self::Task => rest.starts_with([':', '(']),
                Self::Words | Self::Claim | Self::Sentence => false,
            })
        })
    }

    /// The marks that are names, as in a list of what a check looks for.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        let names = MARKS
            .iter()
            .filter(|(kind, _)| matches!(kind, Self::Value | Self::Task | Self::Clarify));
        names.map(|(_, mark)| *mark).chain(["XXX", "to be d"])
    }
}

/// The lines of the data file, by their names.
static LINES: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let lines = include_str!("../../../data/undecided.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    let lists = lines.filter_map(|line| line.split_once(": "));
    lists
        .map(|(name, words)| (name, words.split(", ").collect()))
        .collect()
});

static LISTS: LazyLock<HashMap<List, Vec<&str>>> = LazyLock::new(|| of_names(List::ALL).collect());

static MARKS: LazyLock<Vec<(Mark, &str)>> = LazyLock::new(|| {
    let marks = of_names(Mark::ALL);
    let marks = marks.flat_map(|(kind, marks)| marks.into_iter().map(move |mark| (kind, mark)));
    marks.collect()
});

fn of_names<K, const N: usize>(
    names: [(K, &str); N],
) -> impl Iterator<Item = (K, Vec<&'static str>)> {
    let names = names.into_iter();
    names.map(|(kind, name)| (kind, LINES.get(name).cloned().unwrap_or_default()))
}

/// All marks; absent only if the expression does not compile.
pub(super) static SEARCH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let patterns = MARKS.iter().map(|(kind, mark)| {
        let mark = regex::escape(mark);
        match kind {
            Mark::Value | Mark::Task | Mark::Clarify => mark,
            Mark::Words | Mark::Claim | Mark::Sentence => format!("(?i:{mark})"),
        }
    });
    Regex::new(&patterns.collect::<Vec<_>>().join("|")).ok()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_data_is_a_list_with_words() {
        let known = Mark::ALL.map(|(_, name)| name).into_iter();
        let known = known.chain(List::ALL.map(|(_, name)| name));
        let mut known: Vec<_> = known.collect();
        known.sort_unstable();
        let mut names: Vec<_> = LINES.keys().copied().collect();
        names.sort_unstable();
        assert_eq!(names, known);
        assert!(LINES.values().flatten().all(|word| !word.trim().is_empty()));
    }
}
