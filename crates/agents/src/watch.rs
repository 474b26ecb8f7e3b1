//! Which files of the project a call changed.

use std::path::Path;

use review::OutOfScopeChange;
use review::events::AgentRole;
use review_process::git::listed_files;
use review_store::{Contents, FileError, FileList, KeptFiles, RootPath, Tree, TreeFiles};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use crate::AgentContext;

/// What appliers may change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ApplyScope {
    /// The files of the artifact; others are put back.
    #[default]
    Artifact,
    /// Every file of the project.
    Root,
}

/// The files of the project as the calls of one run see them.
#[derive(Default)]
pub struct ProjectFiles(Mutex<Option<Opened>>);

struct Opened {
    tree: Tree,
    /// What git lists, asked once in a run; ignored files that are tracked are
    /// found nowhere else.
    listed: FileList,
}

impl ProjectFiles {
    /// The files as they are now: those that git listed when it was asked
    /// first, and those that no ignore file names.
    pub(crate) async fn now(&self, context: &AgentContext) -> Result<TreeFiles, FileError> {
        let mut state = self.0.lock().await;
        let root = context.artifact.root();
        let folder = context.run.state();
        let opened = match &mut *state {
            Some(opened) => opened,
            unopened => {
                let stop = context.stop.clone();
                let listed = listed_files(root.path(), stop, &context.groups).await;
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

/// The files of the project before a call.
pub(crate) struct Watch<'a> {
    context: &'a AgentContext,
    before: TreeFiles,
    /// What the files hold that an applier may not change.
    kept: KeptFiles,
    /// Folders and files that the program itself may write, whoever it is
    /// asked to be.
    own: &'static [&'static str],
}

impl<'a> Watch<'a> {
    /// Looks at the files before a call of a program that may write `own`.
    pub(crate) async fn start(
        context: &'a AgentContext,
        role: AgentRole,
        own: &'static [&'static str],
    ) -> Result<Self, FileError> {
        let mut watch = Self {
            before: context.files.now(context).await?,
            kept: KeptFiles::default(),
            context,
            own,
        };
        if role == AgentRole::Applier && context.apply_scope == ApplyScope::Artifact {
            let root = context.artifact.root();
            watch.kept = KeptFiles::read(root, &watch.before, |path| watch.is_stray(path));
        }
        Ok(watch)
    }

    /// The paths of the files that are not as they were, in order.
    pub(crate) async fn changed(&self) -> Result<Vec<String>, FileError> {
        let after = self.context.files.now(self.context).await?;
        let changed = after.difference(&self.before).into_iter();
        let foreign = changed.filter(|path| self.is_foreign(path));
        Ok(foreign.map(named).collect())
    }

    /// The files that an applier changed and may not change, each put back where
    /// it is still as the call left it.
    pub(crate) async fn put_back(&self) -> Result<Vec<OutOfScopeChange>, FileError> {
        if self.context.apply_scope == ApplyScope::Root {
            return Ok(Vec::new());
        }
        let after = self.context.files.now(self.context).await?;
        let changed = after.difference(&self.before).into_iter();
        let strays = changed.filter(|path| self.is_stray(path));
        let put_back = strays.map(|path| OutOfScopeChange {
            path: named(path),
            is_put_back: self.is_put_back(path, &after),
        });
        Ok(put_back.collect())
    }

    /// Whether a file is none that the program writes for itself, and none of a
    /// recording.
    fn is_foreign(&self, path: &Path) -> bool {
        let is_own = self.own.iter().any(|own| path.starts_with(own));
        !is_own && !self.context.is_recording(path)
    }

    /// Whether an applier that changes a file strays: it is foreign, and neither
    /// of the artifact nor would be if it were made.
    fn is_stray(&self, path: &Path) -> bool {
        let own = path.to_str().and_then(|path| RootPath::new(path).ok());
        let is_artifact = own.is_some_and(|path| self.context.artifact.holds(&path));
        self.is_foreign(path) && !is_artifact
    }

    fn is_put_back(&self, path: &Path, left: &TreeFiles) -> bool {
        let root = self.context.artifact.root();
        let put_back = self.kept.restore(root, path, &self.before, left);
        put_back.unwrap_or_else(|error| {
            tracing::warn!("{} is not put back: {error}", path.display());
            false
        })
    }
}

fn named(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
