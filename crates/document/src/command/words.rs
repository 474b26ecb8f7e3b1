//! Words of commands, in a data file.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A list of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum WordList {
    Cargo,
    Libtest,
    Go,
    Node,
    Pytest,
    Make,
    Installed,
    Shell,
}

static LISTS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut lists: HashMap<_, Vec<_>> = HashMap::new();
    for line in include_str!("../../data/commands.txt").lines() {
        if let Some((name, words)) = line.split_once(": ") {
            lists.entry(name).or_default().extend(words.split(' '));
        }
    }
    lists
});

impl WordList {
    pub(super) fn words(self) -> &'static [&'static str] {
        let name = match self {
            Self::Cargo => "cargo",
            Self::Libtest => "libtest",
            Self::Go => "go",
            Self::Node => "node",
            Self::Pytest => "pytest",
            Self::Make => "make",
            Self::Installed => "installed",
            Self::Shell => "shell",
        };
        LISTS.get(name).map_or(&[], Vec::as_slice)
    }
}
