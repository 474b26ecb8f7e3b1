//! The folders of agents.

use std::borrow::Cow;

use review::hash_bytes;

/// Longer names are shortened to their hash.
const MAX_NAME: usize = 128;

/// The name of the folder in which something of an agent is kept: its own name
/// where that is a plain one, else the hash of it.
pub(crate) fn agent_folder(agent: &str) -> Cow<'_, str> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-');
    let fits = !agent.is_empty() && agent.len() <= MAX_NAME;
    if fits && !agent.starts_with('.') && agent.chars().all(is_plain) {
        Cow::Borrowed(agent)
    } else {
        Cow::Owned(hash_bytes(agent.as_bytes()).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_is_the_name_of_the_folder() {
        let longest = "a".repeat(MAX_NAME);
        for agent in ["reviewer", "Code-Writer_2.1", longest.as_str()] {
            assert_eq!(agent_folder(agent), agent);
        }
    }

    #[test]
    fn any_other_name_is_hashed() {
        let long = "a".repeat(MAX_NAME + 1);
        for agent in [
            "",
            ".",
            "..",
            ".hidden",
            "a/b",
            "../a",
            "a b",
            "ä",
            long.as_str(),
        ] {
            let folder = agent_folder(agent);
            let is_hash = folder.len() == 64 && folder.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_hash, "{agent:?}: {folder}");
        }
        assert_ne!(agent_folder("a/b"), agent_folder("a/c"));
    }
}
