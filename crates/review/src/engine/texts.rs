//! The texts of a run, by their hash.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use review_events::TextRecord;
use review_types::Hash;

use super::{Blobs, hash_bytes};

/// UTF-8 texts up to this many bytes travel inside a record; all others are blobs.
const INLINE_MAX: usize = 32 * 1024;

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
pub struct Texts {
    blobs: Arc<dyn Blobs>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    inline: HashMap<Hash, Arc<[u8]>>,
    pending: Vec<(Hash, Arc<[u8]>)>,
}

impl Texts {
    /// Texts over a store of blobs.
    #[must_use]
    pub fn new(blobs: Arc<dyn Blobs>) -> Self {
        Self {
            blobs,
            state: Mutex::default(),
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
