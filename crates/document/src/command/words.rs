//! Words of commands, in a data file.

use std::collections::HashMap;
use std::sync::LazyLock;

use review_types::closed_list;

closed_list!(
    /// A list of words.
    WordList {
        /// The options of `cargo` that take the next word.
        Cargo => "cargo",
        /// Those of a test binary of Rust.
        Libtest => "libtest",
        /// Those of `go`.
        Go => "go",
        /// Those of package managers and test runners of Node.
        Node => "node",
        /// Those of `pytest`.
        Pytest => "pytest",
        /// Those of `make`.
        Make => "make",
        /// Programs that packages of Node bring.
        Installed => "installed",
        /// Words that the shell itself knows.
        Shell => "shell",
    }
);

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
        LISTS.get(self.as_str()).map_or(&[], Vec::as_slice)
    }
}
