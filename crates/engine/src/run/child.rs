//! The note of the program that runs, at the end of a run.

use review_store::ChildFile;

/// Takes the file of the note away when the run has ended, however it did: no
/// program of it is left then.
pub(super) struct ChildRemoval(Option<ChildFile>);

impl ChildRemoval {
    pub(super) fn new(file: ChildFile) -> Self {
        Self(Some(file))
    }
}

impl Drop for ChildRemoval {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.0.take().map(ChildFile::remove) {
            tracing::warn!("the note of a program that is over cannot be removed: {error}");
        }
    }
}
