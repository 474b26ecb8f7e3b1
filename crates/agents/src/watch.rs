//! Which files of the project a call changed.

use std::path::Path;

use review_process::git::listed_files;
use review_store::{Contents, FileError, FileList, RootPath, Tree, TreeFiles};
use tokio::sync::Mutex;

use crate::AgentContext;

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
                    tree: Tree::open(root, &folder, Contents::Exact)?,
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
        opened.tree.save()?;
        Ok(files)
    }
}

/// The files of the project before a call.
pub(crate) struct Watch<'a> {
    context: &'a AgentContext,
    before: TreeFiles,
    artifact: Vec<RootPath>,
    /// Folders and files that the program itself may write, whoever it is
    /// asked to be.
    own: &'static [&'static str],
}

impl<'a> Watch<'a> {
    /// Looks at the files before a call of a program that may write `own`.
    pub(crate) async fn start(
        context: &'a AgentContext,
        own: &'static [&'static str],
    ) -> Result<Self, FileError> {
        Ok(Self {
            before: context.files.now(context).await?,
            artifact: context.artifact.paths().unwrap_or_default(),
            context,
            own,
        })
    }

    /// The paths of the files that are not as they were, in order.
    pub(crate) async fn changed(&self) -> Result<Vec<String>, FileError> {
        let after = self.context.files.now(self.context).await?;
        let is_own = |path: &Path| self.own.iter().any(|own| path.starts_with(own));
        let named = |path: &Path| path.to_string_lossy().into_owned();
        Ok(after
            .difference(&self.before)
            .into_iter()
            .filter(|path| !is_own(path) && !self.context.is_recording(path))
            .map(named)
            .collect())
    }

    /// Those of them that were no file of the artifact before and are none
    /// now.
    pub(crate) async fn strayed(&self) -> Result<Vec<String>, FileError> {
        let mut strayed = self.changed().await?;
        let now = self.context.artifact.paths().unwrap_or_default();
        for own in self.artifact.iter().chain(&now) {
            strayed.retain(|path| *path != own.as_str());
        }
        Ok(strayed)
    }
}
