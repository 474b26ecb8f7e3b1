//! Lists of words, in data files.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A list of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordList {
    /// Languages of a block that holds commands.
    Shell,
    /// Words that, with a number or a letter, name a part of a document.
    Part,
    /// Folders of generated files.
    Generated,
    /// File names that many folders have.
    Shared,
    /// Phrases that select the intended cases.
    Selection,
    /// Heads of the column in which a table states requirements.
    Statement,
    /// Phrases of an item that deny a dependency.
    Otherwise,
    /// Words after "must be done" that cancel the order.
    Apart,
    /// Prefixes of the heads of columns with dependencies, in lower case.
    DependencyHead,
    /// Prefixes of the heads of columns with commands, in lower case.
    CheckHead,
    /// File names without an extension.
    FileName,
    /// Prefixes of requirement ids.
    Requirement,
    /// Prefixes of other ids.
    OtherId,
    // Around the marks of open decisions.
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

static LISTS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let files = [
        include_str!("../../data/words.txt"),
        include_str!("../../data/undecided.txt"),
    ];
    let lines = files.into_iter().flat_map(str::lines);
    let lines = lines.filter(|line| !line.starts_with('#'));
    let lists = lines.filter_map(|line| line.split_once(": "));
    lists
        .map(|(name, words)| (name, words.split(", ").collect()))
        .collect()
});

/// Returns the words of the list with a name; none if the list does not exist.
pub(crate) fn listed(name: &str) -> &'static [&'static str] {
    LISTS.get(name).map_or(&[], Vec::as_slice)
}

impl WordList {
    pub(crate) fn words(self) -> &'static [&'static str] {
        listed(match self {
            Self::Shell => "shell",
            Self::Part => "part",
            Self::Generated => "generated",
            Self::Shared => "shared",
            Self::Selection => "selection",
            Self::Statement => "statement",
            Self::Otherwise => "otherwise",
            Self::Apart => "apart",
            Self::DependencyHead => "dependency-head",
            Self::CheckHead => "check-head",
            Self::FileName => "file-name",
            Self::Requirement => "requirement",
            Self::OtherId => "other-id",
            Self::Verb => "verb",
            Self::Unit => "unit",
            Self::Until => "until",
            Self::Name => "name",
            Self::About => "about",
            Self::Order => "order",
            Self::Denial => "denial",
            Self::Case => "case",
            Self::State => "state",
        })
    }

    /// Whether a word is in the list, in any case.
    pub(crate) fn has(self, word: &str) -> bool {
        let mut words = self.words().iter();
        words.any(|known| known.eq_ignore_ascii_case(word))
    }
}
