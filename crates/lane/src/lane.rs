//! The lane of a run: a repository of ralph's outside of the user's checkout, with a
//! line of commits that each passed their gate.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use review_flow::hash_bytes;
use review_store::LaneDir;
use review_types::RunId;
use serde::{Deserialize, Serialize};

use crate::error::LaneError;
use crate::git::{Call, Git, path_of};
use crate::known::Known;
use crate::object::{CommitId, TreeId};
use crate::open::NewLane;
use crate::source::Source;

/// The repository in the folder of a lane.
pub(crate) const REPOSITORY: &str = "lane.git";
const NOTE: &str = "lane.json";
const NOTE_VERSION: u32 = 1;

/// The commits that passed their gates, the last of them.
pub(crate) const LANE_REF: &str = "refs/ralph/lane";
/// The commit that the lane starts from.
pub(crate) const BASE_REF: &str = "refs/ralph/base";

/// The name of the index by which the user's files are compared.
pub(crate) const USER: &str = "user";

/// The lane of a run.
#[derive(Clone, Debug)]
pub struct Lane {
    pub(crate) git: Git,
    pub(crate) dir: LaneDir,
    pub(crate) note: Note,
    known: Arc<Mutex<Known>>,
}

/// What is known of a lane without the journal of its run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    v: u32,
    pub(crate) run: RunId,
    /// The root of the project.
    root: PathBuf,
    pub(crate) source: Source,
    /// The commit that the lane starts from: that of the target, or one after it with
    /// changes that the user has not committed.
    pub(crate) base: CommitId,
}

impl Note {
    /// The note of a new lane, which starts from the commit of its source.
    pub(crate) fn of(new: &NewLane) -> Self {
        Self {
            v: NOTE_VERSION,
            run: new.run.clone(),
            root: new.root.clone(),
            base: new.source.base.clone(),
            source: new.source.clone(),
        }
    }

    /// The name of a checkout: that of the user's folder, from which programs derive
    /// other names.
    pub(crate) fn checkout_name(&self) -> &OsStr {
        let name = self.source.top.file_name();
        name.unwrap_or(OsStr::new("root"))
    }
}

impl Lane {
    /// Returns where the lane of a run is, below the folder of all lanes.
    pub fn folder(lanes: &Path, root: &Path, run: &RunId) -> LaneDir {
        LaneDir::at(Self::folder_of(lanes, root).join(run.as_str()))
    }

    fn folder_of(lanes: &Path, root: &Path) -> PathBuf {
        let mut name = root.file_name().unwrap_or(OsStr::new("root")).to_owned();
        let hash = hash_bytes(root.as_os_str().as_encoded_bytes()).short();
        name.push(format!("-{}", &hash[..8]));
        lanes.join(name)
    }

    /// Finds the lane in a folder; `None` if the folder has none, or it was not opened to the
    /// end.
    ///
    /// # Errors
    /// [`LaneError`] when its note cannot be read.
    pub fn find(git: Git, dir: LaneDir) -> Result<Option<Self>, LaneError> {
        let note = Self::read_note(&dir)?;
        Ok(note.map(|note| Self::new(git, dir, note)))
    }

    pub(crate) fn new(git: Git, dir: LaneDir, note: Note) -> Self {
        Self {
            git,
            dir,
            note,
            known: Arc::default(),
        }
    }

    pub(crate) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the note of the lane in a folder; `None` if it has none.
    pub(crate) fn read_note(dir: &LaneDir) -> Result<Option<Note>, LaneError> {
        let Some(bytes) = dir.read(NOTE)? else {
            return Ok(None);
        };
        let note = serde_json::from_slice(&bytes).map_err(|error| damaged(dir, &error))?;
        Ok(Some(note))
    }

    /// Writes the note, by which the lane is found from then on.
    pub(crate) fn write_note(&self) -> Result<(), LaneError> {
        let bytes = serde_json::to_vec_pretty(&self.note);
        let bytes = bytes.map_err(|error| damaged(&self.dir, &error))?;
        Ok(self.dir.write(NOTE, &bytes)?)
    }

    /// The run.
    pub fn run(&self) -> &RunId {
        &self.note.run
    }

    /// The user's repository.
    pub fn source(&self) -> &Source {
        &self.note.source
    }

    /// The folder of the lane.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Returns the last commit of the lane.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn tip(&self) -> Result<CommitId, LaneError> {
        let tip: CommitId = self.call().args(["rev-parse", LANE_REF]).read().await?;
        self.known().tip = Some(tip.clone());
        Ok(tip)
    }

    /// Returns the tree of a commit.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn tree_of(&self, commit: &CommitId) -> Result<TreeId, LaneError> {
        let [tree] = self.trees_of([commit]).await?;
        Ok(tree)
    }

    /// The trees of some commits.
    pub(crate) async fn trees_of<const N: usize>(
        &self,
        commits: [&CommitId; N],
    ) -> Result<[TreeId; N], LaneError> {
        let known = commits.iter();
        let known = known.map(|commit| self.known().tree(commit).cloned());
        let known: Option<Vec<_>> = known.collect();
        if let Some(Ok(trees)) = known.map(TryInto::try_into) {
            return Ok(trees);
        }
        let names = commits.map(|commit| format!("{commit}^{{tree}}"));
        let found = self.call().args(["rev-parse"]).args(names).done().await?;
        let lines = found.line()?;
        let trees: Result<Vec<TreeId>, _> = lines.lines().map(str::parse).collect();
        let trees = trees.ok().and_then(|trees| trees.try_into().ok());
        let trees: [TreeId; N] = trees.ok_or_else(|| found.unexpected())?;
        for (commit, tree) in commits.into_iter().zip(&trees) {
            self.known().add_tree(commit.clone(), tree.clone());
        }
        Ok(trees)
    }

    /// Returns the files of the project that differ from a commit as git compares them,
    /// with its filters, relative to the root, without untracked files. An
    /// index of its own has none of the flags by which the user's hides changes.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn differing_files(&self, commit: &CommitId) -> Result<Vec<PathBuf>, LaneError> {
        let call = || {
            let call = self.git.at(&self.note.root);
            call.env("GIT_INDEX_FILE", self.index(USER))
        };
        call()
            .args(["read-tree", "--reset", commit.as_str()])
            .done()
            .await?;
        let diff = call().args(["diff", "--no-ext-diff", "--no-renames", "--name-only", "-z"]);
        let diff = diff.args(["--ignore-submodules=untracked", "--relative"]);
        let diff = diff.args([commit.as_str(), "--"]).done();
        Ok(diff.await?.strings().map(path_of).collect())
    }

    /// Returns the commit that the lane started from: that of the user, or one after it with
    /// what the user had not committed.
    pub const fn base(&self) -> &CommitId {
        &self.note.base
    }

    /// Whether the lane started with changes that the user had not committed.
    pub(crate) fn has_changes(&self) -> bool {
        self.note.base != self.note.source.base
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.dir.entry(REPOSITORY)
    }

    /// A call on the user's repository and files.
    pub(crate) fn user(&self) -> Call<'_> {
        self.note.source.call(&self.git)
    }

    /// A call on the repository of the lane alone.
    pub(crate) fn call(&self) -> Call<'_> {
        let repository = self.repository();
        self.git.at(self.dir.path()).env("GIT_DIR", repository)
    }

    /// A call on the repository of the lane with an index of its own.
    pub(crate) fn indexed(&self, index: &Path) -> Call<'_> {
        self.call().env("GIT_INDEX_FILE", index)
    }

    /// The path of an index of ralph's own.
    pub(crate) fn index(&self, name: impl std::fmt::Display) -> PathBuf {
        self.dir.entry("index").join(name.to_string())
    }
}

fn damaged(dir: &LaneDir, error: &serde_json::Error) -> LaneError {
    let path = dir.entry(NOTE);
    LaneError::Unusable(format!("{} is damaged: {error}", path.display()))
}
