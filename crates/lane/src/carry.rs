//! Applies the commits of the lane to the target as it is now.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::error::LaneError;
use crate::lane::{BASE_REF, LANE_REF, Lane};
use crate::merge::Merge;
use crate::object::{CommitId, TreeId};
use crate::open::{CHANGES, DIRTY_REF};
use crate::options::LandMode;
use crate::sign::Signing;

/// The commit that is to be landed.
pub(crate) const LANDING_REF: &str = "refs/ralph/landing";
/// The target, with its objects.
const TARGET_REF: &str = "refs/ralph/target";

/// The lane on the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carried {
    /// Its commits fit.
    Fits {
        /// The last of them, after the target.
        commit: CommitId,
        /// Its tree.
        tree: TreeId,
    },
    /// The target has other changes of the same lines.
    Conflicts(Vec<PathBuf>),
    /// The branch was deleted.
    NoTarget,
    /// The user has all commits signed, and one of them could not be; why not.
    NotSigned(String),
}

impl Lane {
    /// Applies the commits of the lane up to `tip` to the target as it is now. Changes
    /// that the user had not committed are left out. Where both have changed a file of
    /// the `unit`, relative to the root of the project, that of the target counts. The
    /// commits are signed as the user's own are, unless they stay on the lane.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn carry(
        &self,
        tip: &CommitId,
        unit: &BTreeSet<PathBuf>,
        land: LandMode,
    ) -> Result<Carried, LaneError> {
        // Whatever the refs say: an agent can find the repository of the lane.
        self.set_ref(LANE_REF, tip).await?;
        let Some(target) = self.note.source.current(&self.git).await? else {
            return Ok(Carried::NoTarget);
        };
        let base: CommitId = self.call().args(["rev-parse", BASE_REF]).read().await?;
        let signing = self.signing(land).await?;
        let commit = match target == base && signing.is_none() {
            true => tip.clone(),
            false => match self.replay(&target, unit, signing.as_ref()).await? {
                Ok(commit) => commit,
                Err(carried) => return Ok(carried),
            },
        };
        self.set_ref(LANDING_REF, &commit).await?;
        let tree = self.tree_of(&commit).await?;
        Ok(Carried::Fits { commit, tree })
    }

    /// Has the lane start from a commit that landed, with the changes that the user had
    /// not committed when the run started.
    pub(crate) async fn start_from(&self, landed: &CommitId) -> Result<(), LaneError> {
        let base: CommitId = self.call().args(["rev-parse", BASE_REF]).read().await?;
        let parents = self
            .call()
            .args(["show", "-s", "--format=%P", base.as_str()]);
        if base == *landed || parents.line().await? == landed.as_str() {
            return Ok(());
        }
        let start = match self.has_changes() {
            false => landed.clone(),
            true => {
                let parent = format!("{DIRTY_REF}^");
                let parent: CommitId = self.call().args(["rev-parse", &parent]).read().await?;
                match self.merge(&parent, &self.note.base, landed).await? {
                    Merge::Clean(tree) => self.commit(&tree, landed, CHANGES).await?,
                    Merge::Conflicts { tree, paths } => {
                        let tree = self.with_entries_of(landed, &tree, &paths).await?;
                        self.commit(&tree, landed, CHANGES).await?
                    }
                }
            }
        };
        // The base last: until then all of it is done again.
        self.set_refs(&[LANE_REF, BASE_REF], &start).await
    }

    /// Applies the commits of the lane, one after the other, to `target`.
    async fn replay(
        &self,
        target: &CommitId,
        unit: &BTreeSet<PathBuf>,
        signing: Option<&Signing>,
    ) -> Result<Result<CommitId, Carried>, LaneError> {
        let source = &self.note.source;
        let refspec = format!("+{}:{TARGET_REF}", source.target_ref());
        let fetch = ["fetch", "-q", "--no-tags", "--no-write-fetch-head"];
        let fetch = self.call().args(fetch).args([&source.top]);
        fetch.args([refspec]).done().await?;
        let range = format!("{BASE_REF}..{LANE_REF}");
        let list = self.call().args(["rev-list", "--reverse", &range]);
        let mut current = target.clone();
        for commit in list.line().await?.lines() {
            let commit: CommitId = match commit.parse() {
                Ok(commit) => commit,
                Err(_) => continue,
            };
            let parent = self.call().args(["rev-parse", &format!("{commit}^")]);
            let parent: CommitId = parent.read().await?;
            let tree = match self.merge(&parent, &commit, &current).await? {
                Merge::Clean(tree) => tree,
                Merge::Conflicts { tree, paths } => {
                    let is_of_unit =
                        |path: &PathBuf| self.is_below(path, &|path| unit.contains(path));
                    if !paths.iter().all(is_of_unit) {
                        return Ok(Err(Carried::Conflicts(paths)));
                    }
                    self.with_entries_of(&current, &tree, &paths).await?
                }
            };
            // The target has it already.
            if tree == self.tree_of(&current).await? {
                continue;
            }
            let message = ["show", "-s", "--format=%B", commit.as_str()];
            let message = self.call().args(message).line().await?;
            let message = message.trim_end();
            current = match signing {
                None => self.commit(&tree, &current, message).await?,
                Some(signing) => {
                    let made = self.commit_signed((&tree, &current), message, signing);
                    match made.await? {
                        Ok(commit) => commit,
                        Err(reason) => return Ok(Err(Carried::NotSigned(reason))),
                    }
                }
            };
        }
        Ok(Ok(current))
    }
}
