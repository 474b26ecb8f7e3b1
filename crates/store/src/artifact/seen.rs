//! A file of an artifact, cached between snapshots.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use review_flow::{ContentStore, hash_bytes};
use review_types::{FileEntry, Hash};

use crate::stamp::{FileTime, Stamp};
use crate::{ConfineError, Reader, RootPath};

/// A file as of the last read.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) entry: FileEntry,
    /// Its hash without the status of a task.
    pub(super) masked: Hash,
    /// Its stamp, if any later change would be visible in it.
    stamp: Option<Stamp>,
}

impl Seen {
    /// Reads a file; `None` if it does not exist. Front matter is parsed only if the
    /// bytes differ from `before`.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        path: &RootPath,
        before: Option<&Self>,
        texts: Option<&ContentStore>,
    ) -> Result<Option<Self>, ConfineError> {
        let now = FileTime::now();
        let Some(content) = reader.content(path)? else {
            return Ok(None);
        };
        let bytes: Arc<[u8]> = content.bytes.into();
        let hash = match texts {
            Some(texts) => texts.put_file(Arc::clone(&bytes)),
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

    /// Whether the file at this path is unchanged and `texts` has its bytes. Always
    /// false for a link, whose target may have changed.
    pub(super) fn holds(&self, file: &Path, texts: Option<&ContentStore>) -> bool {
        let is_as_it_was = self.stamp.is_some_and(|stamp| {
            let found = file.symlink_metadata();
            found.is_ok_and(|found| found.is_file() && Stamp::of(&found) == stamp)
        });
        is_as_it_was && texts.is_none_or(|texts| texts.get(&self.entry.hash).is_ok())
    }
}

/// The hash of a file without the status of a task; `exact` is its full hash.
fn without_status(bytes: &[u8], exact: Hash) -> Hash {
    match review_document::masked(bytes) {
        Cow::Borrowed(_) => exact,
        Cow::Owned(bytes) => hash_bytes(&bytes),
    }
}

/// The hash of files sorted by path, equal to [`review_document::artifact_hash`]
/// without their bytes.
pub(super) fn of_files(files: &[Arc<Seen>]) -> Hash {
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let path = file.path();
        hasher.update(&(path.len() as u64).to_le_bytes());
        hasher.update(path.as_bytes());
        hasher.update(file.masked.as_bytes());
    }
    Hash::from_bytes(*hasher.finalize().as_bytes())
}
