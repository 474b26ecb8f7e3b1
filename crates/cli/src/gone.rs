//! Names of earlier versions, and how they are answered.

use std::sync::LazyLock;

use review_config::GoneKey;

static KEYS: LazyLock<Vec<GoneKey>> = LazyLock::new(|| {
    let keys = rows().filter(|(was, _)| !is_typed(was));
    keys.map(|(name, now)| GoneKey { name, now }).collect()
});

/// The answer to `ralph status RUN`, which no parser can tell from `ralph status SPEC`.
pub(crate) const STATUS_OF_RUN: &str = "`ralph status RUN` is `ralph report RUN`";

/// The rows of `gone.txt`: what was, and what it is now.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = include_str!("gone.txt").lines();
    let rows = rows.filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| line.split_once(" | "))
}

/// Whether what was is a command or an option, and no key.
fn is_typed(was: &str) -> bool {
    was.starts_with("ralph ") || was.starts_with("--")
}

/// The keys of earlier versions.
pub(crate) fn keys() -> &'static [GoneKey] {
    &KEYS
}

/// The answer to a command line that clap refused, where it names what is gone.
pub(crate) fn answer(arguments: &[String]) -> Option<String> {
    let given = arguments.iter().skip(1).flat_map(|word| word.split('='));
    let is_meant = |was: &str| {
        let is_literal = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        let words = was.split(' ').skip_while(|word| *word == "ralph");
        let mut words = words.filter(is_literal).peekable();
        let mut named = given.clone().filter(|word| !word.starts_with('-'));
        while let Some(word) = words.next_if(|word| !word.starts_with('-')) {
            if named.next() != Some(word) {
                return false;
            }
        }
        let mut given = given.clone();
        words.all(|word| given.any(|given| given == word))
    };
    let row = rows().find(|(was, _)| is_typed(was) && is_meant(was));
    row.map(|(was, now)| format!("`{was}` is {now}"))
}
