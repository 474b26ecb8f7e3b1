//! A folder that agents work in.

use std::ffi::OsString;
use std::sync::Arc;

use review_process::Sandbox;
use review_process::git;
use review_store::{ChildSlot, Contents, FileArtifact, FileError, FileList, Root, Tree, TreeFiles};
use tokio::sync::Mutex;

use crate::AgentContext;

/// A folder that agents work in, with all that a call in it depends on.
pub struct Checkout {
    /// The files of the artifact. Their root is the folder that agents run in.
    pub artifact: Arc<FileArtifact>,
    /// Where the process group of a call is noted while it lives, so that it can
    /// be ended after a crash.
    pub child: ChildSlot,
    /// The variables that hold for calls in this folder, whatever the process
    /// passes on; one without a value is not set.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// The sandbox that programs run in, if there is one.
    pub(crate) sandbox: Option<Sandbox>,
    /// Whether the artifact describes a change of code.
    pub(crate) holds_change: bool,
    /// Whether git is asked for its files.
    asks_git: bool,
    files: Mutex<Option<Opened>>,
}

struct Opened {
    tree: Tree,
    /// What git lists, asked once; ignored files that are tracked are found
    /// nowhere else.
    listed: FileList,
}

impl Checkout {
    /// A checkout of the root of `artifact`.
    pub fn new(
        artifact: Arc<FileArtifact>,
        child: ChildSlot,
        env: Vec<(OsString, Option<OsString>)>,
    ) -> Self {
        Self {
            artifact,
            child,
            env,
            sandbox: None,
            holds_change: false,
            asks_git: true,
            files: Mutex::default(),
        }
    }

    /// The checkout, whose files are listed without git: an agent that may write
    /// its git folder could have programs run by git.
    #[must_use]
    pub fn without_git(self) -> Self {
        Self {
            asks_git: false,
            ..self
        }
    }

    /// The checkout, whose artifact describes a change of code and is not a
    /// specification.
    #[must_use]
    pub fn of_change(self) -> Self {
        Self {
            holds_change: true,
            ..self
        }
    }

    /// The checkout, whose programs run in a sandbox, if there is one.
    #[must_use]
    pub fn within(self, sandbox: Option<Sandbox>) -> Self {
        Self { sandbox, ..self }
    }

    /// The folder that agents run in.
    pub fn root(&self) -> &Root {
        self.artifact.root()
    }

    /// The files as they are now: those that git listed when it was asked
    /// first, and those that no ignore file names.
    pub(crate) async fn files(&self, context: &AgentContext) -> Result<TreeFiles, FileError> {
        let mut state = self.files.lock().await;
        let root = self.root();
        let folder = context.run.state();
        let opened = match &mut *state {
            Some(opened) => opened,
            unopened => {
                let git = git::Folder::new(root.path(), context.stop.clone(), &context.groups);
                let listed = match self.asks_git {
                    true => git.listed_files().await,
                    false => None,
                };
                unopened.insert(Opened {
                    tree: Tree::open(root, &folder, Contents::Exact),
                    listed: FileList::from_git(&listed.unwrap_or_default()),
                })
            }
        };
        let files = match FileList::walk(root, &folder) {
            Ok(walked) => opened.listed.and(&walked),
            Err(error) => {
                tracing::warn!("new files are not noticed: {error}");
                opened.listed.clone()
            }
        };
        let files = opened.tree.files(&files)?;
        if let Err(error) = opened.tree.save() {
            tracing::debug!("the next run hashes all files again: {error}");
        }
        Ok(files)
    }
}

impl std::fmt::Debug for Checkout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Checkout")
            .field(&self.root().path())
            .finish()
    }
}
