//! A tree that is hashed after each of many commands.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::TreeFiles;
use super::{Contents, FileList, Tree, TreeHash};
use crate::walk::{self, GIT, IGNORE_FILE};
use crate::watch::{Change, Watch};
use crate::{FileError, Root, StateDir, WalkError};

/// A tree that is hashed after each of many commands, without a look at all of its files
/// each time.
#[derive(Debug)]
pub struct WatchedTree {
    root: PathBuf,
    state: PathBuf,
    tree: Tree,
    /// The files that git listed; `None` if they are found by a walk for each look.
    listed: Option<Arc<FileList>>,
    watch: Watch,
    known: Option<Known>,
}

/// The files as they were last.
#[derive(Debug)]
struct Known {
    files: TreeFiles,
    hash: TreeHash,
}

impl WatchedTree {
    /// Opens a tree whose files git listed, or which are found by a walk for each look.
    #[must_use]
    pub fn open(root: &Root, state: &StateDir, listed: Option<FileList>) -> Self {
        Self {
            root: root.path().to_owned(),
            state: state.path().to_owned(),
            tree: Tree::open(root, state, Contents::WithoutStatuses),
            listed: listed.map(Arc::new),
            watch: Watch::default(),
            known: None,
        }
    }

    /// Returns the hash of the tree as it is now; [`WalkError`] if a walk finds too many
    /// files.
    ///
    /// # Errors
    /// Returns an error when a file cannot be read.
    pub fn hash(&mut self) -> Result<Result<TreeHash, WalkError>, FileError> {
        let before = self.known.take();
        let known = match before {
            Some(known) if self.is_still(&known)? => known,
            before => match self.look(before.as_ref())? {
                Ok(known) => known,
                Err(error) => return Ok(Err(error)),
            },
        };
        let hash = known.hash;
        self.known = Some(known);
        Ok(Ok(hash))
    }

    /// Writes the cache for the next run.
    ///
    /// # Errors
    /// Returns an error when the state folder cannot be written.
    pub fn save(&mut self) -> Result<(), FileError> {
        self.tree.save()
    }

    /// The number of looks at a file.
    #[must_use]
    pub const fn looked_at(&self) -> u64 {
        self.tree.looked_at
    }

    /// Looks at all files, which are watched from before.
    fn look(&mut self, before: Option<&Known>) -> Result<Result<Known, WalkError>, FileError> {
        let before = before.filter(|_| self.watch.is_whole());
        let files = match &self.listed {
            Some(listed) => self.watch_listed(Arc::clone(listed)),
            None => match self.watch_walked() {
                Ok(found) => Arc::new(found),
                Err(error) => return Ok(Err(error)),
            },
        };
        if self.watch.is_whole() {
            let known = |path: &Path| before.and_then(|before| before.files.entry(path));
            for path in files.paths() {
                if known(path).is_none() && !self.tree.is_state(path) {
                    self.watch.follow(path);
                }
            }
        }
        self.watch.looks_at_all();
        let files = self.tree.files(&files)?;
        let hash = files.hash();
        Ok(Ok(Known { files, hash }))
    }

    /// Watches the folders of listed files.
    fn watch_listed(&mut self, listed: Arc<FileList>) -> Arc<FileList> {
        if Watch::suits(listed.paths().len()) && !self.watch.is_whole() {
            let files = listed.paths().iter();
            let files = files.filter(|path| !self.tree.is_state(path));
            let folders: BTreeSet<_> = files.filter_map(|path| path.parent()).collect();
            let folders = folders.into_iter().map(Path::to_owned);
            self.watch.start(&self.root, folders);
        }
        listed
    }

    /// Walks, and watches the folders that are found.
    fn watch_walked(&mut self) -> Result<FileList, WalkError> {
        let mut found = walk::all(&self.root, &self.state)?;
        if !Watch::suits(found.files.len()) {
            self.watch.stop();
        } else if !self.watch.is_whole() && !self.is_decided_by_git(&found.folders) {
            self.watch.start(&self.root, found.folders.iter().cloned());
            let watched = found.folders;
            found = walk::all(&self.root, &self.state)?;
            if found.folders != watched {
                self.watch.stop();
            }
        }
        Ok(found.files.into_iter().collect())
    }

    /// Whether files of git, which are not watched, decide what a walk leaves out.
    fn is_decided_by_git(&self, folders: &BTreeSet<PathBuf>) -> bool {
        let has_git = |folder: &PathBuf| self.root.join(folder).join(GIT).exists();
        walk::is_in_git(&self.root) || folders.iter().any(has_git)
    }

    /// Whether the files are certainly as they were.
    fn is_still(&mut self, known: &Known) -> Result<bool, FileError> {
        let Some(changes) = self.watch.changes(known.files.len()) else {
            return Ok(false);
        };
        let changed: Vec<_> = changes
            .iter()
            .filter(|change| self.counts(change))
            .collect();
        for change in &changed {
            self.watch.follow(&change.path);
            // Other files are found by another walk.
            if self.listed.is_none() && (change.is_folder || change.path.ends_with(IGNORE_FILE)) {
                self.watch.stop();
            }
        }
        for change in changed {
            let look = self.tree.one(&change.path)?;
            if look != known.files.entry(&change.path) {
                return Ok(false);
            }
        }
        Ok(self.watch.is_whole())
    }

    /// Whether a change can be one of the tree.
    fn counts(&self, change: &Change) -> bool {
        let listed = self.listed.as_ref();
        listed.is_none_or(|listed| listed.lists(&change.path))
            && !self.tree.is_state(&change.path)
            && self.root.join(&change.path) != self.state
    }
}
