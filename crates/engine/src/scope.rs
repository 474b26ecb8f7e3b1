//! What findings are held against: the artifact as it was in an earlier commit.

use review_flow::ContentStore;
use review_store::FileArtifact;
use review_types::{FileEntry, Hash, Manifest};

use crate::error::EngineError;
use crate::project::Project;

/// Keeps the files of `artifact` as they were in the commit that `base` and the
/// present one have last had in common, and returns the hash of the content of
/// their manifest. A file that is new is not in it.
///
/// # Errors
/// When git knows no such commit, or the files cannot be listed.
pub(crate) async fn scope_of(
    project: &Project<'_>,
    artifact: &FileArtifact,
    base: &str,
    texts: &ContentStore,
) -> Result<Hash, EngineError> {
    let git = project.git();
    let commit = git.base_commit(base).await;
    let commit = commit.map_err(|reason| EngineError::of_base(base, &reason))?;
    let mut files = Vec::new();
    for path in artifact.paths()? {
        let path = path.as_str();
        if let Some(text) = git.file_at(&commit, path).await {
            files.push(FileEntry {
                path: path.to_owned(),
                hash: texts.put_file(text),
                mode: 0,
            });
        }
    }
    let manifest = serde_json::to_vec(&Manifest::from(files));
    let manifest = manifest.map_err(EngineError::of_artifact)?;
    Ok(texts.put(manifest))
}
