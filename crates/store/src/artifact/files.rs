//! The files of an artifact at a point in time.

use std::sync::Arc;

use review_types::{Hash, Manifest};

use super::seen::Seen;

/// The files of an artifact at a point in time. Those that do not change are shared with
/// those of other times.
#[derive(Clone, Debug)]
pub struct ArtifactFiles {
    files: Arc<Vec<Arc<Seen>>>,
    hash: Hash,
}

impl ArtifactFiles {
    pub(super) const fn new(files: Arc<Vec<Arc<Seen>>>, hash: Hash) -> Self {
        Self { files, hash }
    }

    /// Their hash, without the statuses of tasks.
    #[must_use]
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// The paths of the files that differ in any byte or in their mode, in order.
    #[must_use]
    pub fn difference(&self, before: &Self) -> Vec<String> {
        manifest(&self.files).difference(&manifest(&before.files))
    }
}

pub(super) fn manifest(files: &[Arc<Seen>]) -> Manifest {
    files.iter().map(|file| file.entry.clone()).collect()
}
