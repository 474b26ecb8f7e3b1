//! Words that every text has.

use std::collections::HashSet;
use std::sync::LazyLock;

static STOP_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    include_str!("../data/stop-words.txt")
        .split_whitespace()
        .collect()
});

/// Whether a word in lower case is one that every English text has.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}
