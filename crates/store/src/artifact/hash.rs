//! The hash of an artifact from the hashes of its files: the value of
//! [`review_document::artifact_hash`] without the files' bytes.

use std::borrow::Cow;

use review::hash_bytes;
use review_types::Hash;

use super::Seen;

/// The hash of a file without the status of a task; `exact` is its own.
pub(super) fn masked(bytes: &[u8], exact: Hash) -> Hash {
    match review_document::masked(bytes) {
        Cow::Borrowed(_) => exact,
        Cow::Owned(bytes) => hash_bytes(&bytes),
    }
}

/// The hash of files that are ordered by path.
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
