//! The texts of a run, by their hash.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use review_types::Hash;
use serde::de::DeserializeOwned;

use crate::journal::TextRecord;
use crate::seed::hash_bytes;
use crate::storage::Blobs;

/// UTF-8 texts up to this many bytes travel inside a record; all others are blobs.
const INLINE_MAX: usize = 32 * 1024;

/// So many values are kept as they were read.
const MAX_VALUES: usize = 64;

/// The texts of all values that are kept have at most this many bytes.
const MAX_VALUE_BYTES: usize = 1024 * 1024;

/// A text that a journal names and nobody holds.
#[derive(Debug, thiserror::Error)]
pub enum MissingText {
    /// The blob is not there.
    #[error("text {} is not in the state folder any more", .0.short())]
    Gone(Hash),
    /// The blob cannot be read.
    #[error("text {} cannot be read: {source}", hash.short())]
    Unreadable {
        /// Its hash.
        hash: Hash,
        /// Why.
        source: io::Error,
    },
    /// The text is not what the record says.
    #[error("text {} is damaged: {message}", hash.short())]
    Damaged {
        /// Its hash.
        hash: Hash,
        /// What is wrong with it.
        message: String,
    },
}

/// The texts of a run. What an executor puts in is written with the result of
/// its step: small texts inside the record, all others as blobs before it.
pub struct ContentStore {
    blobs: Arc<dyn Blobs>,
    state: Mutex<State>,
    values: Mutex<Values>,
}

#[derive(Default)]
struct State {
    inline: HashMap<Hash, Arc<[u8]>>,
    pending: Vec<(Hash, Arc<[u8]>)>,
}

impl ContentStore {
    /// The texts of a run whose large ones are in `blobs`.
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

    /// Keeps a text for the record of the present step and returns its hash.
    pub fn put(&self, bytes: impl Into<Arc<[u8]>>) -> Hash {
        let bytes = bytes.into();
        let hash = hash_bytes(&bytes);
        let mut state = self.state();
        let known = state.inline.contains_key(&hash)
            || state.pending.iter().any(|(pending, _)| *pending == hash);
        if !known {
            state.pending.push((hash, bytes));
        }
        hash
    }

    /// The text of a hash.
    ///
    /// # Errors
    /// [`MissingText`] when nobody holds it.
    pub fn get(&self, hash: &Hash) -> Result<Arc<[u8]>, MissingText> {
        let held = {
            let state = self.state();
            state.inline.get(hash).cloned().or_else(|| {
                let mut pending = state.pending.iter();
                pending
                    .find(|(pending, _)| pending == hash)
                    .map(|(_, bytes)| Arc::clone(bytes))
            })
        };
        if let Some(bytes) = held {
            return Ok(bytes);
        }
        match self.blobs.get(hash) {
            Ok(Some(bytes)) => Ok(bytes.into()),
            Ok(None) => Err(MissingText::Gone(*hash)),
            Err(source) => Err(MissingText::Unreadable {
                hash: *hash,
                source,
            }),
        }
    }

    /// Makes a text durable at once, as a blob, whatever the outcome of the
    /// present step is.
    ///
    /// # Errors
    /// When nobody holds the text or it cannot be written.
    pub fn persist(&self, hash: &Hash) -> io::Result<()> {
        let text = self.get(hash).map_err(io::Error::other)?;
        self.blobs.put(hash, &text)
    }

    /// The value of a JSON text. The machine asks for the same few again and
    /// again, so the values that were read last are kept.
    ///
    /// # Errors
    /// [`MissingText`] when nobody holds the text, or it is no such value.
    pub fn value<T>(&self, hash: &Hash) -> Result<Arc<T>, MissingText>
    where
        T: DeserializeOwned + Send + Sync + 'static,
    {
        if let Some(value) = self.values().get(hash) {
            return Ok(value);
        }
        let text = self.get(hash)?;
        let value = serde_json::from_slice(&text).map_err(|error| MissingText::Damaged {
            hash: *hash,
            message: error.to_string(),
        })?;
        let value = Arc::new(value);
        self.values().keep(*hash, text.len(), &value);
        Ok(value)
    }

    fn values(&self) -> MutexGuard<'_, Values> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes pending texts durable: blobs are written, small texts returned
    /// for the record that names them.
    pub(crate) fn flush(&self) -> io::Result<Vec<TextRecord>> {
        let pending = std::mem::take(&mut self.state().pending);
        let mut records = Vec::new();
        for (hash, bytes) in pending {
            match std::str::from_utf8(&bytes) {
                Ok(text) if bytes.len() <= INLINE_MAX => {
                    records.push(TextRecord {
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

    /// Takes in the texts of a record that is replayed.
    pub(crate) fn load(&self, records: &[TextRecord]) {
        let mut state = self.state();
        for record in records {
            state
                .inline
                .insert(record.hash, Arc::from(record.text.as_bytes()));
        }
    }
}

/// The values that were read last, the oldest first.
#[derive(Default)]
struct Values {
    kept: VecDeque<Kept>,
    bytes: usize,
}

/// What a text was read as.
struct Kept {
    hash: Hash,
    bytes: usize,
    value: Arc<dyn Any + Send + Sync>,
}

impl Values {
    fn get<T: Send + Sync + 'static>(&self, hash: &Hash) -> Option<Arc<T>> {
        let of_text = self.kept.iter().filter(|kept| kept.hash == *hash);
        let mut values = of_text.map(|kept| Arc::clone(&kept.value).downcast());
        values.find_map(Result::ok)
    }

    /// Keeps the value of a text that has so many bytes, in place of the oldest
    /// ones.
    fn keep<T: Send + Sync + 'static>(&mut self, hash: Hash, bytes: usize, value: &Arc<T>) {
        let value = Arc::<T>::clone(value);
        self.bytes += bytes;
        self.kept.push_back(Kept { hash, bytes, value });
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
    fn a_value_is_read_once_however_often_it_is_asked_for() {
        let texts = texts();
        let hash = texts.put(*b"[1,2]");
        let first: Arc<Vec<u8>> = texts.value(&hash).unwrap();
        assert_eq!(*first, [1, 2]);
        assert!(Arc::ptr_eq(&first, &texts.value(&hash).unwrap()));
        let other: Arc<[i64; 2]> = texts.value(&hash).unwrap();
        assert_eq!(*other, [1, 2], "the same text as another value");
        assert!(Arc::ptr_eq(&first, &texts.value(&hash).unwrap()));
    }

    #[test]
    fn what_is_no_such_value_is_damaged_each_time() {
        let texts = texts();
        let hash = texts.put(*b"[1,");
        for _ in 0..2 {
            let read = texts.value::<Vec<u8>>(&hash);
            assert!(matches!(read, Err(MissingText::Damaged { .. })));
        }
        let gone = hash_bytes(b"gone");
        let read = texts.value::<u8>(&gone);
        assert!(matches!(read, Err(MissingText::Gone(hash)) if hash == gone));
    }

    #[test]
    fn the_values_that_are_kept_are_bounded_in_number_and_in_bytes() {
        let number = |n: usize| hash_bytes(n.to_string().as_bytes());
        let mut values = Values::default();
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
