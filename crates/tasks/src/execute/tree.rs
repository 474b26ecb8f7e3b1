//! The hash of the tree that commands run in.

use std::path::Path;
use std::time::Duration;

use memchr::memmem;
use review_process::redact::REPLACEMENT;
use review_process::{Command, Context, Environment, Limits, Overflow, Redactor, run};
use review_store::{FileError, FileList, Tree, TreeHash};
use tokio::sync::Mutex;

use super::TaskContext;

/// A list of files that is longer is not read; the tree is walked instead.
const LONGEST_LIST: usize = 256 * 1024 * 1024;
const LIST_TIMEOUT: Duration = Duration::from_mins(1);

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
                    let tree = Tree::open(&context.root, &context.state)?;
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
        let listed = git_list(context).await;
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
        tree.save()?;
        Ok(Some(hash))
    }
}

/// What git says; `None` when it says nothing of use: there is none, or the
/// root is in no work tree of it.
async fn git_list(context: &TaskContext) -> Option<Vec<u8>> {
    let command = listing(context.root.path());
    let redactor = Redactor::default();
    let call = Context::new(context.stop.clone(), &context.groups, &redactor);
    let ended = run(command, call).await.ok()?;
    if !ended.success() {
        return None;
    }
    // A path that looks like a key is not in the list as it is on disk.
    let list = ended.stdout.into_complete()?;
    memmem::find(&list, REPLACEMENT.as_bytes())
        .is_none()
        .then_some(list)
}

fn listing(root: &Path) -> Command {
    let args = [
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ];
    let mut command = Command::new("git", root).args(args);
    command.env = Environment::Inherit {
        set: vec![("GIT_OPTIONAL_LOCKS".into(), "0".into())],
    };
    command.limits = Limits {
        wall: Some(LIST_TIMEOUT),
        idle: None,
        capture: LONGEST_LIST,
        overflow: Overflow::Stop,
        ..Limits::default()
    };
    command
}
