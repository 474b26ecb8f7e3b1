//! Commits on their way between the lanes of one run on two computers, as packs.

use std::path::Path;

use review_flow::hash_bytes;
use review_types::RunId;

use crate::checkout::lock_of;
use crate::error::LaneError;
use crate::git::Git;
use crate::lane::{LANE_REF, Lane, REPOSITORY};
use crate::object::{CommitId, TreeId};
use crate::open::NewLane;
use crate::options::Dirty;
use crate::snapshot::{Snapshot, SnapshotOf};
use crate::source::Source;

/// Where packs are until git has checked them, below the folder of the lane.
const QUARANTINE: &str = "quarantine";

/// The largest pack that is taken, in bytes.
const MAX_PACK: &str = "268435456";

/// Maximum number of commits that are named as known.
const MAX_TIPS: &str = "--max-count=500";

impl Lane {
    /// Opens the lane of a run that another computer leads, in a clone of its repository
    /// whose files and branches stay as they are.
    ///
    /// # Errors
    /// [`LaneError`] when it cannot be made.
    pub async fn open_in_clone(
        git: &Git,
        dir: review_store::LaneDir,
        run: &RunId,
        (root, target): (&Path, &str),
    ) -> Result<Self, LaneError> {
        if let Some(lane) = Self::find(git.clone(), dir.clone())? {
            return Ok(lane);
        }
        let source = Source::look(git, root, None).await?;
        let new = NewLane {
            run: run.clone(),
            root: root.to_owned(),
            source: Source {
                target: target.to_owned(),
                ..source
            },
            dirty: Dirty::Ignore,
            unit_files: Vec::new(),
        };
        Self::open(git, &dir, &new, &[]).await
    }

    /// Returns the commits of the refs of this lane and of the repository that it is made
    /// of, as far as the lane has them.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn tips(&self) -> Result<Vec<CommitId>, LaneError> {
        let all = [
            "rev-list",
            "--no-walk",
            "--all",
            "--alternate-refs",
            MAX_TIPS,
        ];
        let listed = self.call().args(all).line().await?;
        Ok(listed
            .lines()
            .filter_map(|line| line.parse().ok())
            .collect())
    }

    /// Returns those of some commits that the lane has.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn known_commits(&self, commits: &[CommitId]) -> Result<Vec<CommitId>, LaneError> {
        let asked: String = commits.iter().map(|commit| format!("{commit}\n")).collect();
        let found = self.call().args(["cat-file", "--batch-check"]);
        let found = found.stdin(asked.into()).line().await?;
        let known = found.lines().filter_map(|line| {
            let mut words = line.split(' ');
            let commit = words.next()?.parse().ok()?;
            (words.next() == Some("commit")).then_some(commit)
        });
        Ok(known.collect())
    }

    /// Returns a commit of a tree, by which the tree can be sent.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn commit_to_send(&self, tree: &TreeId) -> Result<CommitId, LaneError> {
        self.commit(tree, LANE_REF, "A tree to judge").await
    }

    /// Packs what some commits have and these known ones do not; names that this lane does
    /// not know are left out.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn pack(
        &self,
        commits: &[CommitId],
        known: &[CommitId],
    ) -> Result<Vec<u8>, LaneError> {
        let known = self.known_commits(known).await?;
        let wanted = commits.iter().map(|commit| format!("{commit}\n"));
        let known = known.iter().map(|commit| format!("^{commit}\n"));
        let list: String = wanted.chain(known).collect();
        let pack = ["pack-objects", "-q", "--revs", "--thin", "--stdout"];
        let packed = self.call().args(pack).stdin(list.into()).done().await?;
        Ok(packed.stdout)
    }

    /// Takes a pack into the lane, once git has checked each of its objects and that none
    /// is missing. A pack that is refused leaves nothing.
    ///
    /// # Errors
    /// [`LaneError`] when git refuses it.
    pub async fn unpack(&self, pack: Vec<u8>) -> Result<(), LaneError> {
        let name = format!("{}-{}", std::process::id(), hash_bytes(&pack).short());
        let quarantine = Path::new(QUARANTINE).join(&name);
        self.dir.remove(&quarantine)?;
        let folder = self.dir.create_folder(quarantine.join("pack"))?;
        let objects = Path::new(REPOSITORY).join("objects");
        let size = format!("--max-input-size={MAX_PACK}");
        let index = ["index-pack", "--strict", "--stdin", "--fix-thin", &size];
        let indexed = self
            .call()
            .env("GIT_OBJECT_DIRECTORY", self.dir.entry(&quarantine))
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", self.dir.entry(&objects));
        let indexed = indexed.args(index).stdin(pack).answer().await?;
        if indexed.succeeded() {
            self.dir.create_folder(objects.join("pack"))?;
            let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
            let mut names: Vec<_> = files.map(|file| file.file_name()).collect();
            // An index without its pack is an error to git.
            names.sort_by_key(|name| Path::new(name).extension().is_some_and(|end| end == "idx"));
            for name in names {
                let from = quarantine.join("pack").join(&name);
                self.dir.rename(from, objects.join("pack").join(&name))?;
            }
        }
        self.dir.remove(&quarantine)?;
        match indexed.succeeded() {
            true => Ok(()),
            false => Err(LaneError::Untrusted(indexed.message())),
        }
    }

    /// Moves the lane to its tip where the run is led.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn follow(&self, tip: &CommitId) -> Result<(), LaneError> {
        let lock = Path::new(REPOSITORY).join(LANE_REF);
        self.dir.remove(lock_of(&lock))?;
        self.set_ref(LANE_REF, tip).await
    }

    /// Takes a commit that another computer made as the snapshot of an attempt, after all
    /// checks that its files here would have had.
    ///
    /// # Errors
    /// [`LaneError::Untrusted`] when it is not one that a snapshot leads to.
    pub async fn accept(
        &self,
        commit: &CommitId,
        of: SnapshotOf<'_>,
    ) -> Result<Snapshot, LaneError> {
        let refused = |why: &str| LaneError::Untrusted(format!("commit {} {why}", commit.short()));
        let shown = ["show", "-s", "--format=%P", commit.as_str()];
        if self.call().args(shown).line().await? != of.base.as_str() {
            return Err(refused("has other parents than the commit that was sent"));
        }
        let tree = self.tree_of(commit).await?;
        let changed = self.changed_paths(of.base.as_str(), tree.as_str()).await?;
        let mut paths = changed.iter();
        if let Some(change) = paths.find(|change| self.is_restored(change, of)) {
            let path = change.path.display();
            return Err(refused(&format!("changes {path}, which is protected")));
        }
        let fault = self.fault_of(None, &changed).await?;
        self.name_snapshot(commit, of).await?;
        Ok(Snapshot {
            commit: commit.clone(),
            tree,
            files: changed.len(),
            restored: Vec::new(),
            fault,
        })
    }
}
