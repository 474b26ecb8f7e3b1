//! The version of a client beside the one that it is tested with.

use std::cmp::Ordering;

use super::Client;

/// How the version of a client compares to the one that it is tested with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionAge {
    /// It is older.
    Older,
    /// It is the same.
    Tested,
    /// It is newer.
    Newer,
    /// The client does not name a version.
    Unknown,
}

impl Client {
    /// How old the version is that this client says it has.
    #[must_use]
    pub fn version_age(self, said: &str) -> VersionAge {
        let tested = numbers(self.tested_version()).unwrap_or_default();
        match numbers(said).map(|numbers| numbers.cmp(&tested)) {
            Some(Ordering::Less) => VersionAge::Older,
            Some(Ordering::Equal) => VersionAge::Tested,
            Some(Ordering::Greater) => VersionAge::Newer,
            None => VersionAge::Unknown,
        }
    }
}

/// The numbers of the first word that is a version: three of them, with dots in
/// between, and what may follow.
fn numbers(text: &str) -> Option<[u64; 3]> {
    text.split_ascii_whitespace().find_map(|word| {
        let word = word.strip_prefix('v').unwrap_or(word);
        let core = word.split(['-', '+']).next().unwrap_or(word);
        let mut parts = core.split('.').map(|part| part.parse().ok());
        let numbers = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then_some(numbers)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_compared_number_by_number() {
        for (client, said, age) in [
            (Client::Claude, "2.1.197 (Claude Code)", VersionAge::Tested),
            (Client::Claude, "2.1.99 (Claude Code)", VersionAge::Older),
            (Client::Claude, "2.2.0", VersionAge::Newer),
            (Client::Codex, "codex-cli 0.169.0", VersionAge::Tested),
            (Client::Codex, "codex-cli 1.0.0-alpha.3", VersionAge::Newer),
            (Client::Opencode, "v1.18.4+build", VersionAge::Older),
            (Client::Gemini, "0.61", VersionAge::Unknown),
            (Client::Gemini, "0.61.0.1", VersionAge::Unknown),
            (Client::Gemini, "", VersionAge::Unknown),
        ] {
            assert_eq!(client.version_age(said), age, "{said}");
        }
    }
}
