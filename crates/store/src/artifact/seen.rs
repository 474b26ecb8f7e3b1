//! A file of an artifact, remembered from one snapshot to the next.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use review_flow::{ContentStore, hash_bytes};
use review_types::{FileEntry, Hash};

use crate::stamp::{Moment, Stamp};
use crate::{ConfineError, Reader, RootPath};

/// A file as it was read last.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) entry: FileEntry,
    /// Its hash without the status of a task.
    pub(super) masked: Hash,
    /// What it looked like, if any change since then would show.
    stamp: Option<Stamp>,
}

impl Seen {
    /// Reads a file; `None` if there is none. Front matter is parsed only when
    /// the bytes are others than `before`.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        path: &RootPath,
        before: Option<&Self>,
        texts: Option<&ContentStore>,
    ) -> Result<Option<Self>, ConfineError> {
        let now = Moment::now();
        let Some(content) = reader.content(path)? else {
            return Ok(None);
        };
        let bytes: Arc<[u8]> = content.bytes.into();
        let hash = match texts {
            Some(texts) => texts.put(Arc::clone(&bytes)),
            None => hash_bytes(&bytes),
        };
        let before = before.filter(|before| before.entry.hash == hash);
        let masked = before.map_or_else(|| without_status(&bytes, hash), |before| before.masked);
        Ok(Some(Self {
            entry: FileEntry {
                path: path.to_string(),
                hash,
                mode: content.mode,
            },
            masked,
            stamp: content.stamp.is_settled(now).then_some(content.stamp),
        }))
    }

    pub(super) fn path(&self) -> &str {
        &self.entry.path
    }

    /// Whether the file at this path is as it was, and `texts` holds its bytes.
    /// A link is not: what it leads to may have changed.
    pub(super) fn holds(&self, file: &Path, texts: Option<&ContentStore>) -> bool {
        let is_as_it_was = self.stamp.is_some_and(|stamp| {
            let found = file.symlink_metadata();
            found.is_ok_and(|found| found.is_file() && Stamp::of(&found) == stamp)
        });
        is_as_it_was && texts.is_none_or(|texts| texts.get(&self.entry.hash).is_ok())
    }
}

/// The hash of a file without the status of a task; `exact` is its own.
fn without_status(bytes: &[u8], exact: Hash) -> Hash {
    match review_document::masked(bytes) {
        Cow::Borrowed(_) => exact,
        Cow::Owned(bytes) => hash_bytes(&bytes),
    }
}

/// The hash of files that are ordered by path: the value of
/// [`review_document::artifact_hash`] without their bytes.
pub(super) fn of_files(files: &[Seen]) -> Hash {
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let path = file.path();
        hasher.update(&(path.len() as u64).to_le_bytes());
        hasher.update(path.as_bytes());
        hasher.update(file.masked.as_bytes());
    }
    Hash::from_bytes(*hasher.finalize().as_bytes())
}
