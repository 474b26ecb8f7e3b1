//! What an agent is allowed when it asks.

use std::path::{Component, Path};
use std::sync::Arc;

use review_store::{FileArtifact, Root, RootPath};

use super::wire::ToolCall;
use crate::edits::EditScope;
use crate::{Access, ApplyScope};

/// The kind of tools that edit files.
const EDIT: &str = "edit";

/// What an agent may do of what it asks for.
///
/// What it does without asking is not seen here: its changes are watched, and its sandbox
/// holds it.
pub(super) enum Permissions {
    Nothing,
    /// To edit the files of a scope.
    Edits(ApplyScope, Arc<FileArtifact>),
    Everything,
}

impl Permissions {
    /// What a call may do with the files of an artifact.
    pub(super) fn of(access: Access, artifact: &Arc<FileArtifact>) -> Self {
        match access {
            Access::None | Access::Read => Self::Nothing,
            Access::Edit(scope) => Self::Edits(scope, Arc::clone(artifact)),
            Access::Implement => Self::Everything,
        }
    }

    /// The modes of an agent that fit, the best one first.
    pub(super) const fn modes(&self) -> &'static [&'static str] {
        match self {
            Self::Nothing => &["plan", "read-only", "ask"],
            Self::Edits(..) => &["acceptEdits", "edit", "default"],
            Self::Everything => &["acceptEdits", "bypassPermissions", "default"],
        }
    }

    /// Whether an agent may do what it asks for.
    pub(super) fn allows(&self, asked: &ToolCall) -> bool {
        let (scope, artifact) = match self {
            Self::Nothing => return false,
            Self::Everything => return true,
            Self::Edits(ApplyScope::Artifact, artifact) => {
                (EditScope::Artifact(artifact), artifact)
            }
            Self::Edits(ApplyScope::Root, artifact) => (EditScope::Checkout(artifact), artifact),
        };
        let files = asked.files.as_deref().unwrap_or_default();
        let is_in_scope = |path: &str| {
            let path = below(artifact.root(), path);
            path.is_some_and(|path| scope.refusal(&path).is_none())
        };
        asked.tool.as_deref() == Some(EDIT)
            && !files.is_empty()
            && files.iter().all(|path| is_in_scope(path))
    }
}

/// The file of an absolute path below the root, which goes over no link and never up.
fn below(root: &Root, path: &str) -> Option<RootPath> {
    let below = Path::new(path).strip_prefix(root.path()).ok()?;
    let is_plain = |part| matches!(part, Component::Normal(_));
    let path = below
        .to_str()
        .filter(|_| below.components().all(is_plain))?;
    let path = RootPath::new(path).ok()?;
    (!root.leads_over_link(&path)).then_some(path)
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests make the files that they need"
)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    #[test]
    fn only_edits_of_files_in_the_scope_are_allowed_to_an_applier() {
        // The first path is that of a location, and the others are those of differences.
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("project/specs")).unwrap();
        std::fs::create_dir_all(top.join("project/.git")).unwrap();
        std::fs::write(top.join("project/specs/A.md"), "").unwrap();
        std::fs::write(top.join("project/src.rs"), "").unwrap();
        std::os::unix::fs::symlink("specs/A.md", top.join("project/link.md")).unwrap();
        let root = Root::open(&top.join("project")).unwrap();
        let spec = RootPath::new("specs/A.md").unwrap();
        let artifact = Arc::new(FileArtifact::file(root, spec));
        let allowed = |access, kind: &str, paths: &[&str]| {
            let place = |path: &&str| {
                let path = path.replace("TOP", top.to_str().unwrap());
                json!({ "path": path })
            };
            let locations: Vec<_> = paths.iter().map(place).collect();
            let (locations, shown) = locations.split_at(locations.len().min(1));
            let block = |place: &Json| json!({"type": "diff", "path": place["path"]});
            let shown: Vec<_> = shown.iter().map(block).collect();
            let asked =
                json!({"toolCallId": "1", "kind": kind, "locations": locations, "content": shown});
            Permissions::of(access, &artifact).allows(&ToolCall::of(&asked))
        };
        let (artifact_scope, root_scope) = (
            Access::Edit(ApplyScope::Artifact),
            Access::Edit(ApplyScope::Root),
        );
        let spec = "TOP/project/specs/A.md";
        let other = "TOP/project/src.rs";
        for (access, kind, paths, expected) in [
            (Access::None, "edit", &[spec][..], false),
            (Access::Read, "edit", &[spec], false),
            (Access::Read, "read", &[spec], false),
            (Access::Implement, "execute", &[], true),
            (artifact_scope, "edit", &[spec], true),
            (artifact_scope, "edit", &[spec, spec], true),
            (artifact_scope, "edit", &[], false),
            (artifact_scope, "edit", &[other], false),
            (artifact_scope, "edit", &[spec, other], false),
            (artifact_scope, "delete", &[spec], false),
            (artifact_scope, "execute", &[spec], false),
            (artifact_scope, "edit", &["specs/A.md"], false),
            (
                artifact_scope,
                "edit",
                &["TOP/project/specs/../specs/A.md"],
                false,
            ),
            (artifact_scope, "edit", &["TOP/project/link.md"], false),
            (root_scope, "edit", &[other], true),
            (root_scope, "edit", &["TOP/project/new.rs"], true),
            (root_scope, "edit", &["TOP/project/link.md"], false),
            (root_scope, "edit", &["TOP/project/.git/config"], false),
            (root_scope, "edit", &["TOP/project-2/a"], false),
            (root_scope, "edit", &["/etc/passwd"], false),
        ] {
            let found = allowed(access, kind, paths);
            assert_eq!(found, expected, "{access:?} {kind} {paths:?}");
        }
    }
}
