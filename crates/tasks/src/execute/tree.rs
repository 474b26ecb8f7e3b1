//! The hash of the tree that commands run in.

use review_process::git::listed_files;
use review_store::{Contents, FileError, FileList, Tree, TreeHash};
use tokio::sync::Mutex;

use super::TaskContext;

/// The tree of one run. It is hashed anew whenever a command may have changed
/// it.
#[derive(Default)]
pub(super) struct RunTree(Mutex<State>);

#[derive(Default)]
struct State {
    /// The tree, from the first hash on.
    opened: Option<(Tree, Files)>,
    known: Option<TreeHash>,
}

/// Which files the tree has.
enum Files {
    /// Those that git knows or would know, listed once in a run.
    Git(FileList),
    /// Those that a walk finds, walked for each hash.
    Walk,
}

impl RunTree {
    /// The hash of the tree as it is now; `None` when it has too many files.
    pub(super) async fn hash(&self, context: &TaskContext) -> Result<Option<TreeHash>, FileError> {
        let mut state = self.0.lock().await;
        if state.known.is_none() {
            let (tree, files) = match &mut state.opened {
                Some(opened) => opened,
                unopened => {
                    let tree = Tree::open(&context.root, &context.state, Contents::WithoutStatuses);
                    unopened.insert((tree, Files::of(context).await))
                }
            };
            state.known = files.hash(tree, context)?;
        }
        Ok(state.known)
    }

    /// Notes that a command runs, which may change the tree.
    pub(super) async fn forget(&self) {
        self.0.lock().await.known = None;
    }
}

impl Files {
    async fn of(context: &TaskContext) -> Self {
        let root = context.root.path();
        let listed = listed_files(root, context.stop.clone(), &context.groups).await;
        listed.map_or(Self::Walk, |list| Self::Git(FileList::from_git(&list)))
    }

    fn hash(&self, tree: &mut Tree, context: &TaskContext) -> Result<Option<TreeHash>, FileError> {
        let hash = match self {
            Self::Git(files) => tree.hash(files)?,
            Self::Walk => match FileList::walk(&context.root, &context.state) {
                Ok(files) => tree.hash(&files)?,
                Err(error) => {
                    tracing::warn!("no task is recorded as complete: {error}");
                    return Ok(None);
                }
            },
        };
        if let Err(error) = tree.save() {
            tracing::debug!("the next run hashes all files again: {error}");
        }
        Ok(Some(hash))
    }
}
