//! The marks of open decisions.

use std::sync::LazyLock;

use regex::Regex;

use crate::words::listed;

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
    /// "to be defined", which is also used of names.
    Claim,
    /// "not decided yet".
    Sentence,
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

    const fn is_name(self) -> bool {
        matches!(self, Self::Value | Self::Task | Self::Clarify)
    }

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
        let names = MARKS.iter().filter(|(kind, _)| kind.is_name());
        names.map(|(_, mark)| *mark).chain(["to be d"])
    }
}

static MARKS: LazyLock<Vec<(Mark, &str)>> = LazyLock::new(|| {
    let kinds = Mark::ALL.into_iter();
    let marks = kinds.flat_map(|(kind, name)| listed(name).iter().map(move |mark| (kind, *mark)));
    marks.collect()
});

/// All marks; absent only if the expression does not compile.
pub(super) static SEARCH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let patterns = MARKS.iter().map(|(kind, mark)| {
        let case = if kind.is_name() { "" } else { "?i:" };
        format!("({case}{})", regex::escape(mark))
    });
    Regex::new(&patterns.collect::<Vec<_>>().join("|")).ok()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_marks() {
        for (kind, name) in Mark::ALL {
            assert!(MARKS.iter().any(|(known, _)| *known == kind), "{name}");
        }
    }
}
