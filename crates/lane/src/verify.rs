//! The checkout that no agent is given, in which commands judge trees.
//!
//! A command must find the files of its tree, what `lane.setup` makes of them, and nothing
//! else: commands run the code of agents, which can leave files that make the next command
//! pass. So the state after setup is noted, and restored before each command. Only what is
//! built is kept from one run of a command to its next one, apart from all other commands.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use review_store::FolderState;
use review_types::{Hash, TaskNumber};

use crate::checkout::{Cleans, Place};
use crate::error::LaneError;
use crate::git::path_of;
use crate::lane::{LANE_REF, Lane, REPOSITORY};
use crate::object::TreeId;

/// Its folder.
pub(crate) const VERIFY: &str = "verify";

/// The folder below the root of a checkout in which cargo builds.
pub const BUILD: &str = "target";

/// The folders below the root of a checkout in which programs build.
const BUILD_FOLDERS: [&str; 5] = [BUILD, "build", ".gradle", ".build", "_build"];

/// The folder with what commands have built, by the hash of the command.
const BUILT: &str = "built";
/// What the setup has built.
const OF_SETUP: &str = "setup";

/// The folder with copies of the state after setup.
const COPIES: &str = "after-setup";

/// The maximum number of bytes that are copied of what was built or set up.
const MAX_COPIED: u64 = 1 << 30;

/// Maximum number of files of one name that are read of a tree.
const MAX_NAMED: usize = 16;

/// Files that a setup reads, a name a line: what they name may have to be installed again.
const MANIFESTS: &str = include_str!("../data/manifests.txt");

/// A copy of what a command has built, for the next checkout of a task.
#[derive(Debug)]
pub struct Built(pub(crate) PathBuf);

/// The checkout of the gate after its setup.
#[derive(Debug)]
pub struct Prepared {
    /// The tree that was set up.
    of: TreeId,
    /// The tree that is checked out, and its files.
    tree: TreeId,
    tracked: BTreeSet<PathBuf>,
    checkout: FolderState,
    /// The homes of caches that commands write to.
    caches: FolderState,
}

impl Prepared {
    /// Returns the tree that was set up.
    pub const fn of(&self) -> &TreeId {
        &self.of
    }
}

impl Lane {
    /// Returns where the checkout is that no agent is given.
    pub(crate) fn verify_place(&self) -> Place {
        self.place(Path::new(VERIFY))
    }

    /// Gives the checkout of the gate the files of a tree, and no other file.
    ///
    /// # Errors
    /// [`LaneError`] when it cannot be made.
    pub async fn verify(&self, tree: &TreeId) -> Result<Place, LaneError> {
        self.fill_verify(tree, Cleans::All).await
    }

    async fn fill_verify(&self, tree: &TreeId, cleans: Cleans) -> Result<Place, LaneError> {
        let known = self.known().commit_on_tip(tree);
        let commit = match known {
            Some(commit) => commit,
            None => self.commit(tree, LANE_REF, "The tree under test").await?,
        };
        let (folder, index) = (Path::new(VERIFY), self.index(VERIFY));
        self.fill(folder, &index, (&commit, None, REPOSITORY), (None, cleans))
            .await
    }

    /// Deletes the checkout of the gate, with all that commands have left in it.
    ///
    /// # Errors
    /// [`LaneError`] when it cannot be deleted.
    pub fn drop_verify(&self) -> Result<(), LaneError> {
        Ok(self.dir.remove(VERIFY)?)
    }

    /// Notes what the setup of a tree has made of the checkout of the gate and of a folder
    /// with caches. What it has built is what commands start from.
    ///
    /// # Errors
    /// [`LaneError`] when it cannot be noted.
    pub async fn note_prepared(&self, tree: &TreeId, caches: &Path) -> Result<Prepared, LaneError> {
        let tracked = self.tracked().await?;
        let builds = self.build_folders(&tracked);
        let has_built = |name: &&str| self.live(name).symlink_metadata().is_ok();
        if builds.iter().any(has_built) {
            self.dir.remove(BUILT)?;
            self.take_folders(&builds, Some(OF_SETUP))?;
        }
        let top = self.verify_place().top;
        let copies = |name| self.dir.entry(COPIES).join(name);
        let checkout = FolderState::note(&top, &copies("checkout"), MAX_COPIED, &|path, is| {
            self.is_left_out(&tracked, path, is)
        })?;
        let caches = FolderState::note(caches, &copies("caches"), MAX_COPIED, &|_, _| false)?;
        Ok(Prepared {
            of: tree.clone(),
            tree: tree.clone(),
            tracked,
            checkout,
            caches,
        })
    }

    /// Gives the checkout of the gate the files of a tree and what the setup has made;
    /// `None` if it has to be set up again, for this tree.
    ///
    /// # Errors
    /// [`LaneError`] when it cannot be made.
    pub async fn reset_verify(
        &self,
        prepared: Prepared,
        tree: &TreeId,
    ) -> Result<Option<(Place, Prepared)>, LaneError> {
        let changed = match prepared.tree == *tree {
            true => Vec::new(),
            false => {
                let (before, after) = (prepared.tree.as_str(), tree.as_str());
                self.changed_paths(before, after).await?
            }
        };
        // The tree that is checked out has the manifests of the one that was set up.
        if changed.iter().any(|change| is_manifest(&change.path)) {
            return Ok(None);
        }
        let lane = self.clone();
        // It may have to look at many files.
        let restored = tokio::task::spawn_blocking(move || lane.restore(prepared)).await;
        let Some(mut prepared) = restored.unwrap_or(Ok(None))? else {
            return Ok(None);
        };
        let place = self.fill_verify(tree, Cleans::Nothing).await?;
        if prepared.tree != *tree {
            let mut tracked = prepared.tracked.clone();
            for change in changed {
                match change.after.exists() {
                    true => tracked.insert(change.path),
                    false => tracked.remove(&change.path),
                };
            }
            let is_other = self.build_folders(&tracked) != self.build_folders(&prepared.tracked);
            if is_other || prepared.checkout.has_any(tracked.iter()) {
                return Ok(None);
            }
            prepared.tracked = tracked;
            prepared.tree = tree.clone();
        }
        Ok(Some((place, prepared)))
    }

    fn restore(&self, mut prepared: Prepared) -> Result<Option<Prepared>, LaneError> {
        self.take_folders(&self.build_folders(&prepared.tracked), None)?;
        let tracked = &prepared.tracked;
        let checkout = &mut prepared.checkout;
        let is_whole = checkout.restore(&|path, is| self.is_left_out(tracked, path, is))?
            && prepared.caches.restore(&|_, _| false)?;
        Ok(is_whole.then_some(prepared))
    }

    /// Whether a file of the checkout is one of its tree, or of git.
    fn is_left_out(&self, tracked: &BTreeSet<PathBuf>, path: &Path, is_folder: bool) -> bool {
        path == Path::new(".git") || (!is_folder && tracked.contains(path))
    }

    /// The files of the tree in the checkout of the gate.
    async fn tracked(&self) -> Result<BTreeSet<PathBuf>, LaneError> {
        let listed = self.indexed(&self.index(VERIFY)).args(["ls-files", "-z"]);
        Ok(listed.done().await?.strings().map(path_of).collect())
    }

    /// Returns the name and the content of each file of a tree that has one of these names,
    /// in whichever folder.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn files_named(
        &self,
        tree: &TreeId,
        names: &[&str],
    ) -> Result<Vec<(String, Vec<u8>)>, LaneError> {
        let list = self.call().args(["ls-tree", "-r", "-z", tree.as_str()]);
        let list = list.done().await?;
        let mut counts = BTreeMap::new();
        let found = list.strings().filter_map(|entry| {
            let (entry, path) = std::str::from_utf8(entry).ok()?.split_once('\t')?;
            let name = path
                .rsplit('/')
                .next()
                .filter(|name| names.contains(name))?;
            let object = entry.strip_prefix("100644 blob ")?;
            let count: &mut usize = counts.entry(name).or_default();
            *count += 1;
            (*count <= MAX_NAMED).then(|| (name.to_owned(), object.to_owned()))
        });
        let mut files = Vec::new();
        for (name, object) in found {
            let read = self.call().args(["cat-file", "blob", &object]);
            files.push((name, read.done().await?.stdout));
        }
        Ok(files)
    }

    /// The build folders that are not part of the tree.
    fn build_folders(&self, tracked: &BTreeSet<PathBuf>) -> Vec<&'static str> {
        let is_tracked = |name: &&str| {
            let folder = Path::new(&self.note.source.prefix).join(name);
            let mut after = tracked.range(folder.clone()..);
            after.next().is_some_and(|path| path.starts_with(folder))
        };
        let folders = BUILD_FOLDERS.into_iter();
        folders.filter(|name| !is_tracked(name)).collect()
    }

    /// The path of a build folder in the checkout of the gate.
    fn live(&self, name: &str) -> PathBuf {
        self.verify_place().root.join(name)
    }

    /// Moves the build folders out of the checkout of the gate, to the place for what a
    /// command has built, or deletes them.
    fn take_folders(&self, names: &[&str], to: Option<&str>) -> Result<(), LaneError> {
        for name in names {
            let live = self.live(name);
            let Ok(found) = live.symlink_metadata() else {
                continue;
            };
            let kept = to.map(|to| Path::new(BUILT).join(to));
            match kept.filter(|_| found.is_dir()) {
                Some(kept) => {
                    self.dir.create_folder(&kept)?;
                    self.dir.remove(kept.join(name))?;
                    self.dir.rename(live, kept.join(name))?;
                }
                None => self.dir.remove(live)?,
            }
        }
        Ok(())
    }

    /// Gives the checkout of the gate, which has no build folders, a copy of those of a
    /// command, or else what the setup has built; returns whether they have something of its
    /// earlier runs. Too large ones are moved: what a run makes of them is kept or lost.
    ///
    /// # Errors
    /// [`LaneError`] when they cannot be moved or copied.
    pub fn put_built(
        &self,
        prepared: &Prepared,
        command: Option<&Hash>,
    ) -> Result<bool, LaneError> {
        let mut has_own = false;
        for name in self.build_folders(&prepared.tracked) {
            let of = |of: &str| Path::new(BUILT).join(of).join(name);
            let live = self.live(name);
            let own = command.map(|command| of(&command.short()));
            if let Some(own) = own.filter(|own| self.dir.entry(own).is_dir()) {
                has_own = true;
                let from = self.dir.entry(&own);
                if !self.dir.copy_folder(&from, &live, MAX_COPIED)? {
                    self.dir.rename(&own, &live)?;
                }
            } else if self.dir.entry(of(OF_SETUP)).is_dir() {
                let from = self.dir.entry(of(OF_SETUP));
                self.dir.copy_folder(&from, &live, u64::MAX)?;
            }
        }
        Ok(has_own)
    }

    /// Keeps what a run of a command has built that passed on accepted work.
    ///
    /// # Errors
    /// [`LaneError`] when it cannot be moved.
    pub fn keep_built(&self, prepared: &Prepared, command: &Hash) -> Result<(), LaneError> {
        self.take_folders(
            &self.build_folders(&prepared.tracked),
            Some(&command.short()),
        )
    }

    /// Sets aside what a run of a command has built, until its tree is accepted.
    ///
    /// # Errors
    /// [`LaneError`] when it cannot be moved.
    pub fn set_built_aside(&self, prepared: &Prepared, command: &Hash) -> Result<(), LaneError> {
        let aside = aside(command);
        self.dir.remove(Path::new(BUILT).join(&aside))?;
        self.take_folders(&self.build_folders(&prepared.tracked), Some(&aside))
    }

    /// Keeps what was set aside of a command.
    ///
    /// # Errors
    /// [`LaneError`] when it cannot be moved.
    pub fn accept_built(&self, command: &Hash) -> Result<(), LaneError> {
        let (aside, own) = (aside(command), Path::new(BUILT).join(command.short()));
        let aside = Path::new(BUILT).join(aside);
        if self.dir.entry(&aside).is_dir() {
            self.dir.remove(&own)?;
            self.dir.rename(aside, own)?;
        }
        Ok(())
    }

    /// Copies what a command has built for a checkout of a task, if that is not too much; the
    /// command may not run during that.
    ///
    /// # Errors
    /// [`LaneError`] when it cannot be copied.
    pub fn copy_built(&self, task: TaskNumber, command: &Hash) -> Result<Option<Built>, LaneError> {
        let built = Path::new(BUILT);
        let own = self.dir.entry(built.join(command.short()).join(BUILD));
        let name = built.join(format!("task-{task}"));
        self.dir.remove(&name)?;
        let is_copied = own.is_dir() && self.dir.copy_folder(&own, &name, MAX_COPIED)?;
        Ok(is_copied.then_some(Built(name)))
    }
}

/// Whether a setup reads a file.
fn is_manifest(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| {
        MANIFESTS.lines().any(|manifest| manifest == name)
            || (name.starts_with("requirements") && name.ends_with(".txt"))
    })
}

/// Where that is set aside which a command has built on a tree that is not accepted yet.
fn aside(command: &Hash) -> String {
    format!("{}-aside", command.short())
}
