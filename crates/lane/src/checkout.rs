//! Checkouts: folders with the files of a tree and a git folder of their own, which
//! agents and commands may use and ralph never reads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use review_store::LaneDir;
use review_types::TaskNumber;

use crate::carry::LANDING_REF;
use crate::error::LaneError;
use crate::hidden::SHOWN;
use crate::lane::{BASE_REF, LANE_REF, Lane, Note, REPOSITORY, USER};
use crate::object::{CommitId, TreeId};
use crate::open::{CHECKOUT_CONFIG, INFO_FILES, written};
use crate::snapshot::{Opens, add_all};
use crate::verify::{BUILD, Built, VERIFY};

/// What the git folders of all checkouts start from.
const GIT_FOLDER: &str = "checkout";

/// A checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its folder.
    pub top: PathBuf,
    /// The root of the project in it: where programs run.
    pub root: PathBuf,
}

/// What is deleted of the files in a checkout that are not of its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cleans {
    Nothing,
    /// Those that git does not ignore.
    Unknown,
    All,
}

/// What a checkout of a task is made of, beside its commit.
#[derive(Debug)]
pub enum Reused {
    /// Nothing.
    Nothing,
    /// What its command has built.
    Built(Built),
    /// The checkout of another task that needs it no more. Nothing stays of it but files
    /// that are the same.
    Checkout(TaskNumber),
}

impl Place {
    /// The checkout in a folder of a lane.
    fn of(dir: &LaneDir, note: &Note, folder: &Path) -> Self {
        let top = dir.entry(folder).join(note.checkout_name());
        Self {
            // Without the slash at the end of the prefix.
            root: top.join(&note.source.prefix).components().collect(),
            top,
        }
    }
}

/// The folder of the checkouts of a task, below that of the lane.
fn task_folder(task: TaskNumber) -> PathBuf {
    Path::new("tasks").join(task.to_string())
}

impl Lane {
    /// Returns where the checkout of a task is, whether it exists or not.
    pub fn task_place(&self, task: TaskNumber) -> Place {
        self.place(&task_folder(task))
    }

    /// Returns the roots of the checkouts of tasks that exist in a lane; none where no
    /// lane was opened.
    ///
    /// # Errors
    /// [`LaneError`] when its note cannot be read.
    pub fn checkouts(
        dir: &LaneDir,
        tasks: impl IntoIterator<Item = TaskNumber>,
    ) -> Result<BTreeMap<TaskNumber, PathBuf>, LaneError> {
        let Some(note) = Self::read_note(dir)? else {
            return Ok(BTreeMap::new());
        };
        let places = tasks.into_iter().map(|task| {
            let place = Place::of(dir, &note, &task_folder(task));
            (task, place.root)
        });
        Ok(places.filter(|(_, root)| root.is_dir()).collect())
    }

    pub(crate) fn place(&self, folder: &Path) -> Place {
        Place::of(&self.dir, &self.note, folder)
    }

    /// Makes the checkout of a task again, with `base` as its last commit and the files of
    /// `tree`, if it is given, in place of those of `base`. What was built is there before
    /// they are written, so that builds take all of them for newer; if git does not ignore
    /// it, it is removed. Files that are hidden are in neither the files nor the commit.
    ///
    /// # Errors
    /// [`LaneError`] when it cannot be made.
    pub async fn check_out(
        &self,
        task: TaskNumber,
        tree: Option<&TreeId>,
        base: &CommitId,
        reused: Reused,
        hides: Option<Opens<'_>>,
    ) -> Result<Place, LaneError> {
        let folder = task_folder(task);
        if let Err(error) = self.keep_files(task, base).await {
            tracing::warn!("what was in the checkout of task {task} is not kept: {error}");
        }
        self.dir.remove(&folder)?;
        let index = self.index(task);
        let shown = match hides {
            Some(hides) => Some(self.show(task, (base, tree), hides).await?),
            None => None,
        };
        let of = match &shown {
            Some(shown) => (&shown.head, shown.tree.as_ref(), SHOWN),
            None => (base, tree, REPOSITORY),
        };
        let built = match reused {
            Reused::Built(built) => Some(built),
            Reused::Checkout(other) if self.take_over(other, task) => {
                match self.fill(&folder, &index, of, (None, Cleans::All)).await {
                    Err(error) if !error.is_stop() => {
                        tracing::debug!("a new checkout is made: {error}");
                    }
                    filled => return filled,
                }
                self.dir.remove(&folder)?;
                None
            }
            Reused::Nothing | Reused::Checkout(_) => None,
        };
        self.fill(&folder, &index, of, (built, Cleans::Unknown))
            .await
    }

    /// Makes the checkout of another task that of a task; returns whether it was there.
    fn take_over(&self, other: TaskNumber, task: TaskNumber) -> bool {
        let index = self.dir.rename(self.index(other), self.index(task));
        let folder = index.and_then(|()| self.dir.rename(task_folder(other), task_folder(task)));
        folder.is_ok()
    }

    /// Keeps what is in a checkout that is made again, as a commit below
    /// `refs/ralph/cut/TASK` of the lane: an attempt may have been cut off.
    async fn keep_files(&self, task: TaskNumber, base: &CommitId) -> Result<(), LaneError> {
        let place = self.task_place(task);
        let is_there = place
            .top
            .symlink_metadata()
            .is_ok_and(|found| found.is_dir());
        if !is_there {
            return Ok(());
        }
        let index = self.index(task);
        self.dir.remove(lock_of(&index))?;
        add_all(&self.git, &self.repository(), &place.top, &index).await?;
        let tree: TreeId = self.indexed(&index).args(["write-tree"]).read().await?;
        let message = "Files of an earlier attempt";
        let commit = self.commit(&tree, base, message).await?;
        let name = format!("refs/ralph/cut/{task}/{}", commit.short());
        self.set_ref(&name, &commit).await
    }

    /// Removes the locks that git left when it was killed. No other git may work on the
    /// lane.
    pub(crate) fn remove_locks(&self) -> Result<(), LaneError> {
        for index in ["dirty", "entries", "file", USER, VERIFY] {
            self.dir.remove(lock_of(&self.index(index)))?;
        }
        let repository = Path::new(REPOSITORY);
        for name in [LANE_REF, BASE_REF, LANDING_REF, "packed-refs"] {
            self.dir.remove(repository.join(format!("{name}.lock")))?;
        }
        Ok(())
    }

    /// Writes the files of a commit, or of another tree, to a checkout, and makes its git
    /// folder, in which the commit is checked out.
    pub(crate) async fn fill(
        &self,
        folder: &Path,
        index: &Path,
        (head, tree, objects): (&CommitId, Option<&TreeId>, &str),
        (built, cleans): (Option<Built>, Cleans),
    ) -> Result<Place, LaneError> {
        let place = self.place(folder);
        let name = folder.join(self.note.checkout_name());
        let is_new = place.top.symlink_metadata().is_err();
        self.dir.create_folder(&name)?;
        self.dir.remove(name.join(".git"))?;
        self.dir.remove(lock_of(index))?;
        if is_new {
            self.dir.remove(index)?;
        }
        let has_built = built.is_some();
        if let Some(Built(copy)) = built {
            let root = name.join(&self.note.source.prefix);
            self.dir.create_folder(&root)?;
            self.dir.rename(copy, root.join(BUILD))?;
        }
        let on = || {
            let repository = self.repository();
            self.git.at(&place.top).on(&repository, &place.top, index)
        };
        let files = tree.map_or(head.as_str(), TreeId::as_str);
        let files = on().args(["read-tree", "--reset", "-u", files]);
        files.done().await?;
        let cleans = match cleans {
            Cleans::Unknown if has_built => &["clean", "-fdq"][..],
            Cleans::All if !is_new => &["clean", "-ffdxq"],
            Cleans::Unknown | Cleans::All | Cleans::Nothing => &[],
        };
        if !cleans.is_empty() {
            on().args(cleans).done().await?;
        }
        self.make_git_folder(&name.join(".git"), head, objects)?;
        let git_index = name.join(".git/index");
        match tree {
            // With its times of files, so that the first `git status` reads none.
            None => self.dir.copy(index, git_index)?,
            Some(_) => {
                let read = self.git.at(&place.top).args(["read-tree", "HEAD"]);
                read.done().await?;
            }
        }
        // The root may be a folder without a file in this tree.
        self.dir
            .create_folder(name.join(&self.note.source.prefix))?;
        Ok(place)
    }

    /// Makes what the git folders of all checkouts start from: that of a repository without
    /// a commit, a hook or a remote.
    pub(crate) async fn prepare_git_folder(&self) -> Result<(), LaneError> {
        let source = &self.note.source;
        self.dir.remove(GIT_FOLDER)?;
        let folder = self.dir.create_folder(GIT_FOLDER)?;
        let format = format!("--object-format={}", source.format);
        let branch = format!("--initial-branch={}", source.target);
        let init = ["init", "-q", "--template=", &format, &branch];
        self.git.at(&folder).args(init).done().await?;
        let settings = self.repository().join(CHECKOUT_CONFIG);
        let settings = settings.as_os_str().as_encoded_bytes();
        let config = Path::new(GIT_FOLDER).join(".git/config");
        let made = self.dir.read(&config)?.unwrap_or_default();
        let settings = written(b"include.path", settings);
        let unsigned = written(b"commit.gpgSign", b"false");
        Ok(self
            .dir
            .write(&config, &[made, settings, unsigned].concat())?)
    }

    /// Makes a git folder that borrows its objects from a repository of the lane and whose
    /// branch is at a commit. It can be made again, so it is not synced.
    fn make_git_folder(
        &self,
        git: &Path,
        head: &CommitId,
        repository: &str,
    ) -> Result<(), LaneError> {
        let branch = git.join(self.note.source.target_ref());
        let objects = git.join("objects/info");
        for folder in [git, &objects, branch.parent().unwrap_or(git)] {
            self.dir.create_folder(folder)?;
        }
        let prepared = Path::new(GIT_FOLDER).join(".git");
        for name in ["HEAD", "config"] {
            self.dir
                .copy(self.dir.entry(prepared.join(name)), git.join(name))?;
        }
        let borrowed = self.dir.entry(repository).join("objects");
        let borrowed = [borrowed.as_os_str().as_encoded_bytes(), b"\n"].concat();
        let write = |name: &Path, bytes: &[u8]| self.dir.write_unsynced(name, bytes);
        write(&objects.join("alternates"), &borrowed)?;
        write(&branch, format!("{head}\n").as_bytes())?;
        for name in INFO_FILES {
            if let Some(patterns) = self.dir.read(Path::new(REPOSITORY).join(name))? {
                self.dir.create_folder(git.join("info"))?;
                write(&git.join(name), &patterns)?;
            }
        }
        Ok(())
    }

    /// Deletes the checkout of a task.
    ///
    /// # Errors
    /// [`LaneError`] when it cannot be deleted.
    pub fn drop_checkout(&self, task: TaskNumber) -> Result<(), LaneError> {
        Ok(self.dir.remove(task_folder(task))?)
    }
}

/// The lock that git leaves when it is killed.
pub(crate) fn lock_of(index: &Path) -> PathBuf {
    let mut lock = index.as_os_str().to_owned();
    lock.push(".lock");
    lock.into()
}
