//! Objects of Git LFS, which its filters look for beside those of git.

use std::path::PathBuf;

use review_store::share_files;

use crate::error::LaneError;
use crate::lane::{Lane, REPOSITORY};

/// Where the objects are, below a repository.
const OBJECTS: &str = "lfs/objects";

impl Lane {
    /// Gives the lane the objects of the user's repository, without which git cannot write
    /// the files of a checkout.
    pub(crate) async fn take_lfs_objects(&self) -> Result<(), LaneError> {
        let users = self.users_lfs_objects();
        if users.is_dir() {
            share_files(&users, &self.lfs_objects())?;
        }
        Ok(())
    }

    /// Gives the user's repository the objects of the lane, without which git cannot write
    /// the user's files.
    pub(crate) async fn give_lfs_objects(&self) -> Result<(), LaneError> {
        let own = self.lfs_objects();
        if own.is_dir() {
            share_files(&own, &self.users_lfs_objects())?;
        }
        Ok(())
    }

    fn lfs_objects(&self) -> PathBuf {
        self.dir.entry(REPOSITORY).join(OBJECTS)
    }

    fn users_lfs_objects(&self) -> PathBuf {
        self.note.source.common_dir().join(OBJECTS)
    }
}
