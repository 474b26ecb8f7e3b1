//! Which files of a project a call changed.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use review::Artifact;
use review_flow::{Blobs, hash_bytes};
use review_store::{Action, FileError, Reader, Root, RootPath, TreeFiles};
use review_types::{Hash, Manifest};

use super::{Change, RecordingError};
use crate::{AgentContext, Checkout};

/// The files of a project at one time: those of the artifact, and all that
/// no ignore file names.
pub(super) struct Files {
    tree: TreeFiles,
    artifact: Manifest,
}

impl Files {
    pub(super) async fn now(
        context: &AgentContext,
        checkout: &Checkout,
    ) -> Result<Self, RecordingError> {
        let artifact = checkout.artifact.snapshot(None);
        let artifact = artifact.map_err(|source| FileError {
            path: checkout.root().path().to_owned(),
            action: Action::Read,
            source,
        })?;
        Ok(Self {
            tree: checkout.files(context).await?,
            artifact: artifact.manifest,
        })
    }

    fn hash(&self, path: &str) -> Option<Hash> {
        let of_artifact = self.artifact.get(path).map(|file| file.hash);
        of_artifact.or_else(|| self.tree.get(Path::new(path)))
    }

    /// What changed since `before`. The contents go into `blobs`, but for those
    /// that hold a secret.
    pub(super) fn changes(
        &self,
        before: &Self,
        context: &AgentContext,
        checkout: &Checkout,
        blobs: &dyn Blobs,
    ) -> Result<Vec<Change>, RecordingError> {
        let root = checkout.root();
        let mut paths: BTreeSet<String> = self
            .artifact
            .difference(&before.artifact)
            .into_iter()
            .collect();
        let others = self.tree.difference(&before.tree).into_iter();
        paths.extend(others.filter_map(|path| Some(path.to_str()?.to_owned())));
        paths.retain(|path| !checkout.is_recording(Path::new(path), context));
        let mut changes = Vec::new();
        for path in paths {
            let bytes = read(root, &path)?;
            let after = bytes.as_deref().map(hash_bytes);
            if let (Some(bytes), Some(hash)) = (&bytes, after)
                && context.redactor.redact(bytes) == *bytes
            {
                let failed = |source| FileError {
                    path: root.path().join(&path),
                    action: Action::Read,
                    source,
                };
                blobs.put(&hash, bytes).map_err(failed)?;
            }
            let before = before.hash(&path);
            changes.push(Change {
                path,
                before,
                after,
            });
        }
        Ok(changes)
    }
}

fn read(root: &Root, path: &str) -> Result<Option<Vec<u8>>, RecordingError> {
    match Reader::new(root).read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) => match io::Error::from(error) {
            error if error.kind() == io::ErrorKind::NotFound => Ok(None),
            source => Err(FileError {
                path: root.path().join(path),
                action: Action::Read,
                source,
            }
            .into()),
        },
    }
}

/// Does to the project what a recorded call of `step` did.
pub(super) fn apply(
    changes: &[Change],
    root: &Root,
    blobs: &dyn Blobs,
    step: &str,
) -> Result<(), RecordingError> {
    for change in changes {
        let path = RootPath::new(&change.path)?;
        let not_kept = || RecordingError::NotKept {
            step: step.to_owned(),
            path: change.path.clone(),
        };
        let after = match &change.after {
            Some(hash) => Some(blobs.get(hash).ok().flatten().ok_or_else(not_kept)?),
            None => None,
        };
        if !root.swap(&path, change.before, after.as_deref())? {
            return Err(RecordingError::OtherFile {
                step: step.to_owned(),
                path: change.path.clone(),
            });
        }
    }
    Ok(())
}
