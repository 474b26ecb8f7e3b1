//! A cache of file hashes.

use std::fs::Metadata;
use std::io;
use std::iter::Peekable;
use std::path::Path;
use std::vec::IntoIter;

use review_types::Hash;
use serde::{Deserialize, Serialize};

use crate::disk::{self, Durability};
use crate::stamp::{FileTime, Stamp};

/// The cached hash of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    stamp: Stamp,
    hashed_at: FileTime,
    hash: Hash,
}

impl Entry {
    /// The hash, if the file is certainly unchanged.
    fn certainly(&self, found: &Metadata) -> Option<Hash> {
        let is_same = Stamp::of(found) == self.stamp && self.stamp.is_settled(self.hashed_at);
        is_same.then_some(self.hash)
    }
}

/// The files that were hashed last.
#[derive(Debug, Default)]
pub(super) struct Cache {
    entries: Entries,
    is_saved: bool,
}

/// Files with names that are UTF-8, sorted by path.
type Entries = Vec<(String, Entry)>;

/// A pass over files in the order of their paths, in which a cache is renewed.
pub(super) struct Renewal {
    before: Peekable<IntoIter<(String, Entry)>>,
    now: Entries,
    is_saved: bool,
}

impl Cache {
    /// Starts a pass.
    pub(super) fn renew(&mut self) -> Renewal {
        let before = std::mem::take(&mut self.entries);
        Renewal {
            now: Vec::with_capacity(before.len()),
            before: before.into_iter().peekable(),
            is_saved: self.is_saved,
        }
    }

    /// Loads a cache. A missing or damaged cache is empty, since it can be rebuilt.
    pub(super) fn load(path: &Path) -> Self {
        let entries = disk::read_state(path).ok().and_then(|bytes| decode(&bytes));
        Self {
            is_saved: entries.is_some(),
            entries: entries.unwrap_or_default(),
        }
    }

    pub(super) fn save(&mut self, path: &Path) -> io::Result<()> {
        if !self.is_saved {
            let bytes = self.encode()?;
            disk::replace_private(path, &bytes, Durability::Unsynced)?;
            self.is_saved = true;
        }
        Ok(())
    }

    /// The entries as JSON, after a line with its hash.
    fn encode(&self) -> serde_json::Result<Vec<u8>> {
        let json = serde_json::to_string(&self.entries)?;
        let hash = blake3::hash(json.as_bytes());
        Ok(format!("{hash}\n{json}").into_bytes())
    }
}

impl Renewal {
    /// The hash of the next file, if it is certainly unchanged.
    pub(super) fn keep(&mut self, path: &Path, found: &Metadata) -> Option<Hash> {
        let path = path.to_str()?;
        while self.before.next_if(|(known, _)| &**known < path).is_some() {
            self.is_saved = false;
        }
        let is_known =
            |(known, entry): &(String, Entry)| known == path && entry.certainly(found).is_some();
        let kept = self.before.next_if(is_known)?;
        let hash = kept.1.hash;
        self.now.push(kept);
        Some(hash)
    }

    /// Adds the next file, with the metadata `found`, hashed after `now`.
    pub(super) fn insert(&mut self, path: &Path, found: &Metadata, hash: Hash, now: FileTime) {
        let entry = Entry {
            stamp: Stamp::of(found),
            hashed_at: now,
            hash,
        };
        if let Some(path) = path.to_str() {
            self.now.push((path.to_owned(), entry));
            self.is_saved = false;
        }
    }

    /// Returns the renewed cache.
    pub(super) fn end(mut self) -> Cache {
        Cache {
            is_saved: self.is_saved && self.before.next().is_none(),
            entries: self.now,
        }
    }
}

/// The entries, if they are those that the hash before them is of.
fn decode(bytes: &[u8]) -> Option<Entries> {
    let (hash, json) = str::from_utf8(bytes).ok()?.split_once('\n')?;
    let is_whole = blake3::hash(json.as_bytes()).to_hex().as_str() == hash;
    is_whole.then(|| serde_json::from_str(json).ok()).flatten()
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "a test creates the folder of the cache"
)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file_time(seconds: i64, nanos: i64) -> FileTime {
        FileTime { seconds, nanos }
    }

    fn entry(content: u8) -> Entry {
        Entry {
            stamp: Stamp {
                size: 1,
                inode: u64::MAX,
                modified: file_time(-1, 5),
                changed: file_time(7, 0),
            },
            hashed_at: file_time(9, 1),
            hash: Hash::from_bytes([content; 32]),
        }
    }

    fn sample() -> Cache {
        let names = ["", "a", "b/\"c"].map(str::to_owned);
        Cache {
            entries: names.into_iter().zip([1, 2, 3].map(entry)).collect(),
            is_saved: false,
        }
    }

    #[test]
    fn a_cache_is_loaded_as_it_was_saved_and_empty_where_it_says_another_hash() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        let mut cache = sample();
        cache.save(&path).unwrap();
        let loaded = Cache::load(&path);
        assert_eq!(loaded.entries, cache.entries);
        assert!(loaded.is_saved);
        let saved = std::fs::read_to_string(&path).unwrap();
        let damaged = saved.replace(&"01".repeat(32), &"02".repeat(32));
        assert_ne!(damaged, saved);
        disk::replace_private(&path, damaged.as_bytes(), Durability::Unsynced).unwrap();
        let loaded = Cache::load(&path);
        assert_eq!(loaded.entries, []);
        assert!(!loaded.is_saved);
    }

    proptest! {
        #[test]
        fn a_damaged_cache_is_empty(at: prop::sample::Index, bit in 0u8..8, cut: prop::sample::Index) {
            let mut bytes = sample().encode().unwrap();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            prop_assert_eq!(decode(&bytes), None);
            bytes[at] ^= 1 << bit;
            bytes.truncate(cut.index(bytes.len()));
            prop_assert_eq!(decode(&bytes), None);
        }
    }
}
