//! The content of a run, stored by hash.

use std::any::Any;
use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use review_types::Hash;
use serde::de::DeserializeOwned;

use crate::journal::ContentRecord;
use crate::seed::hash_bytes;
use crate::storage::Blobs;

/// UTF-8 content up to this many bytes is stored in a record; other content in blobs.
const INLINE_MAX: usize = 32 * 1024;

/// Maximum number of cached values.
const MAX_VALUES: usize = 64;

/// Maximum total size in bytes of the content of all cached values.
const MAX_VALUE_BYTES: usize = 1024 * 1024;

/// Content that a journal refers to and that is missing or damaged.
#[derive(Debug, thiserror::Error)]
pub enum MissingContent {
    /// The blob does not exist.
    #[error("content {} is no longer in the state folder", .0.short())]
    Gone(Hash),
    /// The blob cannot be read.
    #[error("content {} cannot be read: {source}", hash.short())]
    Unreadable {
        /// Its hash.
        hash: Hash,
        /// The error.
        source: io::Error,
    },
    /// The content is not what the record says.
    #[error("content {} is damaged: {message}", hash.short())]
    Damaged {
        /// Its hash.
        hash: Hash,
        /// The error message.
        message: String,
    },
}

/// The content of a run. What an executor stores is written with the result of
/// its step: small content inside the record, all other content as blobs before it.
pub struct ContentStore {
    blobs: Arc<dyn Blobs>,
    state: Mutex<State>,
    values: Mutex<ValueCache>,
}

#[derive(Default)]
struct State {
    inline: HashMap<Hash, Arc<[u8]>>,
    pending: HashMap<Hash, Arc<[u8]>>,
    /// The pending content in the order in which it was stored.
    order: Vec<Hash>,
    /// Content that no record holds.
    blobs_only: HashSet<Hash>,
}

impl ContentStore {
    /// Returns the store of a run whose large content is in `blobs`.
    #[must_use]
    pub fn new(blobs: Arc<dyn Blobs>) -> Self {
        Self {
            blobs,
            state: Mutex::default(),
            values: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores content for the record of the current step and returns its hash.
    pub fn put(&self, bytes: impl Into<Arc<[u8]>>) -> Hash {
        let bytes = bytes.into();
        let hash = hash_bytes(&bytes);
        let mut state = self.state();
        if !state.inline.contains_key(&hash) && state.pending.insert(hash, bytes).is_none() {
            state.order.push(hash);
        }
        hash
    }

    /// Like [`ContentStore::put`], for content of the user's files: it is never part of a
    /// record, since a journal must not hold the secrets that it may have.
    pub fn put_file(&self, bytes: impl Into<Arc<[u8]>>) -> Hash {
        let hash = self.put(bytes);
        self.state().blobs_only.insert(hash);
        hash
    }

    /// Returns the content with a hash.
    ///
    /// # Errors
    /// [`MissingContent`] when it is not stored.
    pub fn get(&self, hash: &Hash) -> Result<Arc<[u8]>, MissingContent> {
        let held = {
            let state = self.state();
            let known = state.inline.get(hash);
            known.or_else(|| state.pending.get(hash)).cloned()
        };
        if let Some(bytes) = held {
            return Ok(bytes);
        }
        match self.blobs.get(hash) {
            Ok(Some(bytes)) => Ok(bytes.into()),
            Ok(None) => Err(MissingContent::Gone(*hash)),
            Err(source) => Err(MissingContent::Unreadable {
                hash: *hash,
                source,
            }),
        }
    }

    /// Makes content durable at once, as a blob, whatever the outcome of the current
    /// step is.
    ///
    /// # Errors
    /// When the content is not stored or cannot be written.
    pub fn persist(&self, hash: &Hash) -> io::Result<()> {
        let text = self.get(hash).map_err(io::Error::other)?;
        self.blobs.put(hash, &text)
    }

    /// Returns the value of JSON content. A machine reads the same few repeatedly, so
    /// the most recent values are cached.
    ///
    /// # Errors
    /// [`MissingContent`] when it is not stored, or does not have this type.
    pub fn value<T>(&self, hash: &Hash) -> Result<Arc<T>, MissingContent>
    where
        T: DeserializeOwned + Send + Sync + 'static,
    {
        if let Some(value) = self.values().get(hash) {
            return Ok(value);
        }
        let text = self.get(hash)?;
        let value = serde_json::from_slice(&text).map_err(|error| MissingContent::Damaged {
            hash: *hash,
            message: error.to_string(),
        })?;
        let value = Arc::new(value);
        self.values().keep(*hash, text.len(), &value);
        Ok(value)
    }

    fn values(&self) -> MutexGuard<'_, ValueCache> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes pending content durable: blobs are written, small content is returned
    /// for the record that refers to it.
    pub(crate) fn flush(&self) -> io::Result<Vec<ContentRecord>> {
        let (mut pending, order, blobs_only) = {
            let mut state = self.state();
            (
                std::mem::take(&mut state.pending),
                std::mem::take(&mut state.order),
                std::mem::take(&mut state.blobs_only),
            )
        };
        let mut records = Vec::new();
        for (hash, bytes) in order
            .into_iter()
            .filter_map(|hash| pending.remove_entry(&hash))
        {
            match std::str::from_utf8(&bytes) {
                Ok(text) if bytes.len() <= INLINE_MAX && !blobs_only.contains(&hash) => {
                    records.push(ContentRecord {
                        hash,
                        text: text.to_owned(),
                    });
                    self.state().inline.insert(hash, bytes);
                }
                _ => self.blobs.put(&hash, &bytes)?,
            }
        }
        Ok(records)
    }

    /// Makes pending content durable as blobs, where no journal records the step, and
    /// returns its hashes in the order in which it was stored.
    ///
    /// # Errors
    /// When a blob cannot be written.
    pub fn flush_to_blobs(&self) -> io::Result<Vec<Hash>> {
        let order = self.state().order.clone();
        for hash in &order {
            self.persist(hash)?;
        }
        *self.state() = State::default();
        Ok(order)
    }

    /// Adds the content of a record that is replayed.
    pub(crate) fn load(&self, records: &[ContentRecord]) {
        let mut state = self.state();
        for record in records {
            state
                .inline
                .insert(record.hash, Arc::from(record.text.as_bytes()));
        }
    }
}

/// The most recent values, the oldest first.
#[derive(Default)]
struct ValueCache {
    kept: VecDeque<CachedValue>,
    bytes: usize,
}

/// A parsed value.
struct CachedValue {
    hash: Hash,
    bytes: usize,
    value: Arc<dyn Any + Send + Sync>,
}

impl ValueCache {
    fn get<T: Send + Sync + 'static>(&self, hash: &Hash) -> Option<Arc<T>> {
        let of_text = self.kept.iter().filter(|kept| kept.hash == *hash);
        let mut values = of_text.map(|kept| Arc::clone(&kept.value).downcast());
        values.find_map(Result::ok)
    }

    /// Caches the value of content of this size, in place of the oldest
    /// ones.
    fn keep<T: Send + Sync + 'static>(&mut self, hash: Hash, bytes: usize, value: &Arc<T>) {
        let value = Arc::<T>::clone(value);
        self.bytes += bytes;
        self.kept.push_back(CachedValue { hash, bytes, value });
        while self.kept.len() > MAX_VALUES || self.bytes > MAX_VALUE_BYTES {
            let Some(oldest) = self.kept.pop_front() else {
                return;
            };
            self.bytes -= oldest.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::MemoryBlobs;

    fn texts() -> ContentStore {
        ContentStore::new(Arc::new(MemoryBlobs::default()))
    }

    #[test]
    fn content_is_written_once_and_in_the_order_in_which_it_was_stored() {
        let texts = texts();
        let stored = [*b"b", *b"a", *b"b", *b"c"].map(|text| texts.put(text));
        let written: Vec<_> = texts.flush().unwrap();
        let written: Vec<_> = written.iter().map(|record| record.text.as_str()).collect();
        assert_eq!(written, ["b", "a", "c"]);
        assert_eq!(*texts.get(&stored[2]).unwrap(), *b"b");
        texts.put(*b"a");
        assert_eq!(texts.flush().unwrap().len(), 0);
    }

    #[test]
    fn content_of_files_is_a_blob_and_never_in_a_record() {
        let blobs = Arc::new(MemoryBlobs::default());
        let texts = ContentStore::new(blobs.clone());
        let file = texts.put_file(*b"a secret");
        texts.put(*b"a report");
        texts.put(*b"a secret");
        let written = texts.flush().unwrap();
        let written: Vec<_> = written.iter().map(|record| record.text.as_str()).collect();
        assert_eq!(written, ["a report"]);
        assert_eq!(blobs.get(&file).unwrap().unwrap(), b"a secret");
        assert_eq!(*texts.get(&file).unwrap(), *b"a secret");
    }

    #[test]
    fn content_of_a_step_that_no_journal_records_is_in_blobs_alone() {
        let blobs = Arc::new(MemoryBlobs::default());
        let texts = ContentStore::new(blobs.clone());
        let stored = [*b"b", *b"a", *b"b"].map(|text| texts.put(text));
        assert_eq!(texts.flush_to_blobs().unwrap(), stored[..2]);
        assert_eq!(blobs.get(&stored[1]).unwrap().unwrap(), b"a");
        assert_eq!(*texts.get(&stored[0]).unwrap(), *b"b");
        assert_eq!(texts.flush_to_blobs().unwrap(), []);
    }

    #[test]
    fn a_value_is_parsed_once_however_often_it_is_read() {
        let texts = texts();
        let hash = texts.put(*b"[1,2]");
        let first: Arc<Vec<u8>> = texts.value(&hash).unwrap();
        assert_eq!(*first, [1, 2]);
        assert!(Arc::ptr_eq(&first, &texts.value(&hash).unwrap()));
        let other: Arc<[i64; 2]> = texts.value(&hash).unwrap();
        assert_eq!(*other, [1, 2], "the same content as another type");
        assert!(Arc::ptr_eq(&first, &texts.value(&hash).unwrap()));
    }

    #[test]
    fn content_of_another_type_is_damaged_each_time() {
        let texts = texts();
        let hash = texts.put(*b"[1,");
        for _ in 0..2 {
            let read = texts.value::<Vec<u8>>(&hash);
            assert!(matches!(read, Err(MissingContent::Damaged { .. })));
        }
        let gone = hash_bytes(b"gone");
        let read = texts.value::<u8>(&gone);
        assert!(matches!(read, Err(MissingContent::Gone(hash)) if hash == gone));
    }

    #[test]
    fn the_cached_values_are_limited_in_number_and_in_bytes() {
        let number = |n: usize| hash_bytes(n.to_string().as_bytes());
        let mut values = ValueCache::default();
        for n in 0..=MAX_VALUES {
            values.keep(number(n), 1, &Arc::new(n));
        }
        assert_eq!(values.get::<usize>(&number(0)), None);
        assert_eq!(values.get(&number(1)), Some(Arc::new(1_usize)));
        assert_eq!(values.bytes, MAX_VALUES);
        let most = number(99);
        values.keep(most, MAX_VALUE_BYTES, &Arc::new(7_u8));
        assert_eq!((values.kept.len(), values.bytes), (1, MAX_VALUE_BYTES));
        assert_eq!(values.get(&most), Some(Arc::new(7_u8)));
        values.keep(number(100), MAX_VALUE_BYTES + 1, &Arc::new(8_u8));
        assert_eq!((values.kept.len(), values.bytes), (0, 0));
    }
}
