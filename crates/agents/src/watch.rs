//! Which files of the project a call changed.

use std::path::Path;

use review::OutOfScopeChange;
use review_store::{FileError, KeptFiles, Reader, RootPath, TreeFiles};
use serde::{Deserialize, Serialize};

use crate::client::AddedField;
use crate::{Access, AgentContext, Checkout};

/// What appliers may change.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ApplyScope {
    /// The files of the artifact; others are restored.
    #[default]
    Artifact,
    /// Every file of the project.
    Root,
}

/// The files of a checkout before a call.
pub(crate) struct Watch<'a> {
    context: &'a AgentContext,
    checkout: &'a Checkout,
    access: Access,
    before: TreeFiles,
    /// The contents of the files that are outside the scope of the call, and of the
    /// program's own configuration.
    kept: KeptFiles,
    own: OwnFiles,
}

/// What a program may write for itself, whatever its access.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OwnFiles {
    /// Folders and files.
    pub(crate) paths: &'static [&'static str],
    /// A field that it adds to its configuration.
    pub(crate) adds: Option<AddedField>,
}

impl OwnFiles {
    /// Whether a file is a configuration that it may add a field to.
    fn is_configuration(&self, path: &Path) -> bool {
        self.adds.is_some_and(|adds| adds.is_for(path))
    }
}

/// The files that a call changed.
pub(crate) struct Changes {
    /// Their paths in order.
    pub(crate) paths: Vec<String>,
    /// Those that are outside the scope of the call.
    pub(crate) out_of_scope: Vec<OutOfScopeChange>,
    /// Whether the call may change any.
    may_edit: bool,
}

impl Changes {
    /// The files that a call changed which may change none.
    pub(crate) fn forbidden(&self) -> &[String] {
        if self.may_edit { &[] } else { &self.paths }
    }
}

impl<'a> Watch<'a> {
    /// Lists the files before a call of a program that may write `own`.
    pub(crate) async fn start(
        context: &'a AgentContext,
        checkout: &'a Checkout,
        access: Access,
        own: OwnFiles,
    ) -> Result<Self, FileError> {
        let mut watch = Self {
            before: checkout.files(context).await?,
            kept: KeptFiles::default(),
            context,
            checkout,
            access,
            own,
        };
        watch.kept = KeptFiles::read(checkout.root(), &watch.before, |path| {
            watch.is_out_of_scope(path) || watch.own.is_configuration(path)
        });
        Ok(watch)
    }

    /// The files that are not as they were. Those outside the scope of a call
    /// that may edit are restored where they are still as the call left them.
    pub(crate) async fn changes(&self) -> Result<Changes, FileError> {
        let after = self.checkout.files(self.context).await?;
        let mut changed = after.difference(&self.before);
        changed.retain(|path| self.is_foreign(path) && !self.is_completed(path));
        let restored = changed.iter().filter(|path| self.is_out_of_scope(path));
        let restored = restored.map(|path| OutOfScopeChange {
            path: named(path),
            is_put_back: self.is_restored(path, &after),
        });
        Ok(Changes {
            out_of_scope: restored.collect(),
            paths: changed.into_iter().map(named).collect(),
            may_edit: self.access.may_edit(),
        })
    }

    /// Whether a file is not one that the program writes for itself.
    fn is_foreign(&self, path: &Path) -> bool {
        !self.own.paths.iter().any(|own| path.starts_with(own))
    }

    /// Whether a file is outside the scope of a call that may edit: it is
    /// foreign, and neither of the artifact nor would be if it were made.
    fn is_out_of_scope(&self, path: &Path) -> bool {
        if self.access != Access::Edit(ApplyScope::Artifact) {
            return false;
        }
        let own = path.to_str().and_then(|path| RootPath::new(path).ok());
        let is_artifact = own.is_some_and(|path| self.checkout.artifact.holds(&path));
        self.is_foreign(path) && !is_artifact
    }

    /// Whether the program only added its field to its configuration.
    fn is_completed(&self, path: &Path) -> bool {
        let Some(adds) = self.own.adds.filter(|adds| adds.is_for(path)) else {
            return false;
        };
        let before = self.kept.get(path);
        let after = Reader::new(self.checkout.root()).read(&path.to_string_lossy());
        before
            .zip(after.ok())
            .is_some_and(|(before, after)| adds.is_all(before, &after))
    }

    fn is_restored(&self, path: &Path, left: &TreeFiles) -> bool {
        let root = self.checkout.root();
        let restored = self.kept.restore(root, path, &self.before, left);
        restored.unwrap_or_else(|error| {
            tracing::warn!("{} is not restored: {error}", path.display());
            false
        })
    }
}

fn named(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
