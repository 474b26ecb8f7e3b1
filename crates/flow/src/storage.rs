//! The storage of a run. The formats on disk are in the `store` crate.

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use review_types::Hash;

/// An append-only file of records.
pub trait Journal: Send {
    /// Returns all bytes so far. An incomplete last line is cut off by the caller, with
    /// [`Journal::truncate`].
    ///
    /// # Errors
    /// When the journal cannot be read.
    fn read(&mut self) -> io::Result<Vec<u8>>;

    /// Truncates the journal to its first `len` bytes.
    ///
    /// # Errors
    /// When the journal cannot be written.
    fn truncate(&mut self, len: u64) -> io::Result<()>;

    /// Appends whole lines with one write and makes them durable. After an
    /// error the last line of the journal may be incomplete.
    ///
    /// # Errors
    /// When the lines could not be written and synced.
    fn append(&mut self, lines: &[u8]) -> io::Result<()>;
}

/// Content by its hash.
pub trait Blobs: Send + Sync {
    /// Stores bytes under their hash and makes them durable. Storing the same
    /// bytes again has no effect.
    ///
    /// # Errors
    /// When the bytes could not be written and synced.
    fn put(&self, hash: &Hash, bytes: &[u8]) -> io::Result<()>;

    /// Returns the bytes with this hash; `None` when they were never stored.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn get(&self, hash: &Hash) -> io::Result<Option<Vec<u8>>>;
}

/// A journal in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryJournal {
    bytes: Vec<u8>,
}

impl MemoryJournal {
    /// Returns a journal that contains `bytes`.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// Returns all bytes so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl Journal for MemoryJournal {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.bytes.clone())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.bytes
            .truncate(usize::try_from(len).unwrap_or(usize::MAX));
        Ok(())
    }

    fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(lines);
        Ok(())
    }
}

/// Blobs in memory.
#[derive(Debug, Default)]
pub struct MemoryBlobs(Mutex<HashMap<Hash, Vec<u8>>>);

impl MemoryBlobs {
    fn lock(&self) -> MutexGuard<'_, HashMap<Hash, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Blobs for MemoryBlobs {
    fn put(&self, hash: &Hash, bytes: &[u8]) -> io::Result<()> {
        self.lock().insert(*hash, bytes.to_vec());
        Ok(())
    }

    fn get(&self, hash: &Hash) -> io::Result<Option<Vec<u8>>> {
        Ok(self.lock().get(hash).cloned())
    }
}
