//! The hash of the tree that commands run in.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use review_process::git;
use review_store::{Contents, FileError, FileList, Tree, TreeHash};
use tokio::sync::Mutex;

use super::TaskContext;

/// The tree of one run. It is hashed again after any command that may have changed
/// it.
#[derive(Default)]
pub(super) struct RunTree {
    state: Mutex<State>,
    /// The number of running commands.
    running: Arc<AtomicUsize>,
}

/// A running command; dropping this ends it.
pub(super) struct RunningCommand {
    running: Arc<AtomicUsize>,
    group: Option<TreeHash>,
}

impl RunningCommand {
    /// Ends the command; returns the tree as it was when the first of the concurrent
    /// commands started.
    pub(super) fn end(self) -> Option<TreeHash> {
        self.group
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        self.running.fetch_sub(1, Ordering::SeqCst);
    }
}

#[derive(Default)]
struct State {
    /// The tree, once it was hashed.
    opened: Option<OpenTree>,
    known: Option<TreeHash>,
    /// The tree when the first of the running commands started.
    group: Option<TreeHash>,
}

/// A tree that was hashed. Its cache is saved after the first hash and at the end: all
/// files are in it, so that saving it after each command costs as much as many commands.
struct OpenTree {
    tree: Tree,
    /// The files that git listed; `None` if they are found by a walk for each hash.
    listed: Option<FileList>,
    is_saved: bool,
}

impl OpenTree {
    async fn of(context: &TaskContext) -> Self {
        let root = context.root.path();
        let git = git::Folder::new(root, context.stop.clone(), &context.groups);
        let listed = git.listed_files().await;
        let listed = listed.map(|list| FileList::from_git(&list));
        Self {
            tree: Tree::open(&context.root, &context.state, Contents::WithoutStatuses),
            listed,
            is_saved: false,
        }
    }

    fn hash(&mut self, context: &TaskContext) -> Result<Option<TreeHash>, FileError> {
        let walked;
        let files = match &self.listed {
            Some(listed) => listed,
            None => match FileList::walk(&context.root, &context.state) {
                Ok(found) => {
                    walked = found;
                    &walked
                }
                Err(error) => {
                    tracing::warn!("no task is recorded as complete: {error}");
                    return Ok(None);
                }
            },
        };
        let hash = self.tree.hash(files)?;
        if !self.is_saved {
            self.save();
            self.is_saved = true;
        }
        Ok(Some(hash))
    }

    fn save(&mut self) {
        if let Err(error) = self.tree.save() {
            tracing::debug!("the next run hashes all files again: {error}");
        }
    }
}

impl Drop for OpenTree {
    fn drop(&mut self) {
        self.save();
    }
}

impl RunTree {
    /// Returns the hash of the current tree; `None` when it has too many files.
    pub(super) async fn hash(&self, context: &TaskContext) -> Result<Option<TreeHash>, FileError> {
        let mut state = self.state.lock().await;
        if let Some(known) = state.known {
            return Ok(Some(known));
        }
        let opened = match &mut state.opened {
            Some(opened) => opened,
            unopened => unopened.insert(OpenTree::of(context).await),
        };
        let hash = opened.hash(context)?;
        // A running command may change the tree at any time.
        state.known = hash.filter(|_| self.running.load(Ordering::SeqCst) == 0);
        Ok(hash)
    }

    /// Records that a command runs on `tree`, which it may change.
    pub(super) async fn command_runs(&self, tree: Option<TreeHash>) -> RunningCommand {
        let mut state = self.state.lock().await;
        if self.running.fetch_add(1, Ordering::SeqCst) == 0 {
            state.group = tree;
        }
        state.known = None;
        RunningCommand {
            running: Arc::clone(&self.running),
            group: state.group,
        }
    }
}
