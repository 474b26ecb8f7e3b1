//! The note of the command that runs, for whoever comes after a crash.

use review_process::GroupId;
use review_store::ChildFile;

/// Notes a process group; the note is taken away when this is dropped.
pub(super) struct Child {
    file: ChildFile,
    noted: bool,
}

impl Child {
    pub(super) fn new(file: ChildFile) -> Self {
        Self { file, noted: false }
    }

    /// Notes the group that has just started. Without the note the command
    /// runs all the same.
    pub(super) fn note(&mut self, group: GroupId) {
        self.noted = true;
        if let Err(error) = self.file.write(&group.to_string()) {
            tracing::warn!("a run after a crash could not end process group {group}: {error}");
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.noted {
            return;
        }
        if let Err(error) = self.file.clear() {
            tracing::warn!("the note of a command that is over cannot be removed: {error}");
        }
    }
}
