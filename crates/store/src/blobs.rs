//! Content addressed by hash, as files.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use review_flow::{Blobs, hash_bytes};
use review_types::Hash;

use crate::Area;
use crate::disk::{self, Durability};

/// Content in files named by hash. A file is complete as soon as it exists.
#[derive(Debug)]
pub struct FileBlobs {
    folder: PathBuf,
    known: Mutex<Known>,
}

/// What this process knows to exist.
#[derive(Debug, Default)]
struct Known {
    is_folder_synced: bool,
    blobs: HashSet<Hash>,
}

/// A blob whose bytes do not match its hash.
#[derive(Debug, thiserror::Error)]
#[error("{} is damaged: its bytes do not match its hash", .0.display())]
struct Damaged(PathBuf);

impl FileBlobs {
    /// The store in `folder`, which is created with the first blob.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            known: Mutex::default(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The path of a blob, relative to the state folder, for messages.
    pub fn shown(hash: &Hash) -> String {
        format!("{}/{hash}", Area::Blobs.as_str())
    }

    fn path(&self, hash: &Hash) -> PathBuf {
        self.folder.join(hash.to_string())
    }
}

impl Blobs for FileBlobs {
    /// The folder is synced when this process first writes to it. Later entries become
    /// durable with the record that refers to the blob, since a journaling file system
    /// keeps the order of changes.
    fn put(&self, hash: &Hash, bytes: &[u8]) -> io::Result<()> {
        let mut known = self.known();
        if known.blobs.contains(hash) {
            return Ok(());
        }
        let file = self.path(hash);
        let found = disk::found(disk::read_regular(&file))?;
        let is_there = found.is_some_and(|found| found.bytes == bytes);
        if !is_there {
            let durability = match known.is_folder_synced {
                true => Durability::FileSynced,
                false => {
                    disk::create_private_folder(&self.folder)?;
                    Durability::Synced
                }
            };
            disk::replace_private(&file, bytes, durability)?;
            known.is_folder_synced = true;
        }
        known.blobs.insert(*hash);
        Ok(())
    }

    fn get(&self, hash: &Hash) -> io::Result<Option<Vec<u8>>> {
        let file = self.path(hash);
        match disk::found(disk::read_state(&file))? {
            Some(bytes) if hash_bytes(&bytes) != *hash => {
                Err(io::Error::new(io::ErrorKind::InvalidData, Damaged(file)))
            }
            found => Ok(found),
        }
    }
}
