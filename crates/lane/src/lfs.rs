//! Objects of Git LFS, which its filters look for beside those of git.

use std::path::PathBuf;

use review_store::share_files;

use crate::error::LaneError;
use crate::git::path_of;
use crate::lane::{Lane, REPOSITORY};

/// Where the objects are, below a repository.
const OBJECTS: &str = "lfs/objects";

impl Lane {
    /// Gives the lane the objects of the user's repository, without which git cannot write
    /// the files of a checkout.
    pub(crate) async fn take_lfs_objects(&self) -> Result<(), LaneError> {
        let users = self.users_lfs_objects().await?;
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
            share_files(&own, &self.users_lfs_objects().await?)?;
        }
        Ok(())
    }

    fn lfs_objects(&self) -> PathBuf {
        self.dir.entry(REPOSITORY).join(OBJECTS)
    }

    async fn users_lfs_objects(&self) -> Result<PathBuf, LaneError> {
        let common = self.user().args(["rev-parse", "--git-common-dir"]);
        let common = path_of(common.done().await?.stdout.trim_ascii_end());
        Ok(self.note.source.top.join(common).join(OBJECTS))
    }
}
