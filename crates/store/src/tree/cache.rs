//! A cache of file hashes.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io;
use std::iter::Peekable;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::vec::IntoIter;

use review_types::Hash;

use crate::disk::{self, Durability, Mode};
use crate::stamp::{FileTime, Stamp};

/// The first bytes of the file, with its format version.
const MAGIC: &[u8] = b"ralph tree cache 1\n";
/// The cached hash of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// Files, sorted by path.
type Entries = Vec<(OsString, Entry)>;

/// A pass over files in the order of their paths, in which a cache is renewed.
pub(super) struct Renewal {
    before: Peekable<IntoIter<(OsString, Entry)>>,
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
            let mode = Mode::Exactly(disk::PRIVATE_FILE);
            disk::replace(path, &self.encode(), mode, Durability::Unsynced)?;
            self.is_saved = true;
        }
        Ok(())
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for (path, entry) in &self.entries {
            let path = path.as_bytes();
            bytes.extend((path.len() as u64).to_le_bytes());
            bytes.extend(path);
            bytes.extend(entry.stamp.size.to_le_bytes());
            bytes.extend(entry.stamp.inode.to_le_bytes());
            for file_time in [entry.stamp.modified, entry.stamp.changed, entry.hashed_at] {
                bytes.extend(file_time.seconds.to_le_bytes());
                bytes.extend(file_time.nanos.to_le_bytes());
            }
            bytes.extend(entry.hash.as_bytes());
        }
        let sum = *blake3::hash(&bytes).as_bytes();
        bytes.extend(sum);
        bytes
    }
}

impl Renewal {
    /// The hash of the next file, if it is certainly unchanged.
    pub(super) fn keep(&mut self, path: &Path, found: &Metadata) -> Option<Hash> {
        let path = path.as_os_str();
        while self
            .before
            .next_if(|(known, _)| known.as_os_str() < path)
            .is_some()
        {
            self.is_saved = false;
        }
        let is_known =
            |(known, entry): &(OsString, Entry)| known == path && entry.certainly(found).is_some();
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
        self.now.push((path.as_os_str().to_owned(), entry));
        self.is_saved = false;
    }

    /// Returns the renewed cache.
    pub(super) fn end(mut self) -> Cache {
        Cache {
            is_saved: self.is_saved && self.before.next().is_none(),
            entries: self.now,
        }
    }
}

fn decode(bytes: &[u8]) -> Option<Entries> {
    let (content, sum) = bytes.split_last_chunk::<32>()?;
    if blake3::hash(content).as_bytes() != sum {
        return None;
    }
    let mut rest = content.strip_prefix(MAGIC)?;
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let length = usize::try_from(u64::from_le_bytes(take(&mut rest)?)).ok()?;
        let (path, after) = rest.split_at_checked(length)?;
        rest = after;
        let stamp = Stamp {
            size: u64::from_le_bytes(take(&mut rest)?),
            inode: u64::from_le_bytes(take(&mut rest)?),
            modified: file_time(&mut rest)?,
            changed: file_time(&mut rest)?,
        };
        let entry = Entry {
            stamp,
            hashed_at: file_time(&mut rest)?,
            hash: Hash::from_bytes(take(&mut rest)?),
        };
        entries.push((OsStr::from_bytes(path).to_owned(), entry));
    }
    entries.sort_unstable_by(|(one, _): &(OsString, _), (other, _)| one.cmp(other));
    Some(entries)
}

fn file_time(rest: &mut &[u8]) -> Option<FileTime> {
    let seconds = i64::from_le_bytes(take(rest)?);
    let nanos = i64::from_le_bytes(take(rest)?);
    Some(FileTime { seconds, nanos })
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, after) = rest.split_first_chunk::<N>()?;
    *rest = after;
    Some(*taken)
}

#[cfg(test)]
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
        let paths = ["", "a", "b/c"].map(OsString::from);
        Cache {
            entries: paths.into_iter().zip([1, 2, 3].map(entry)).collect(),
            is_saved: false,
        }
    }

    #[test]
    fn a_cache_round_trips() {
        let cache = sample();
        assert_eq!(decode(&cache.encode()), Some(cache.entries));
    }

    proptest! {
        #[test]
        fn a_damaged_cache_is_empty(at: prop::sample::Index, bit in 0u8..8, cut: prop::sample::Index) {
            let mut bytes = sample().encode();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            prop_assert_eq!(decode(&bytes), None);
            bytes[at] ^= 1 << bit;
            bytes.truncate(cut.index(bytes.len()));
            prop_assert_eq!(decode(&bytes), None);
        }
    }
}
