//! The roots below a root.

use std::path::{Path, PathBuf};

use review_config::Folders;
use review_store::{RootPath, WalkError, folders};

use super::probe::Tree;
use super::root::is_root;
use super::{Disk, Probe};

/// The folder of what cargo builds, which need not be ignored.
const BUILT: &str = "target";
/// The folders of a root that hold its own documents.
const OWN: [&str; 2] = ["specs", "tasks"];

/// Returns the roots below a root, those above before those below them: the folders
/// with `ralph.toml`, or with both `specs/` and `tasks/`. They are looked for in all
/// folders but those that git ignores, that are hidden or `excluded`, and other
/// repositories. A folder that is not a root itself has none.
///
/// # Errors
/// When there are too many folders.
pub fn nested_roots(root: &Path, excluded: &Folders) -> Result<Vec<PathBuf>, WalkError> {
    if !is_root(root, &Disk) {
        return Ok(Vec::new());
    }
    let (top, excluded) = (root.to_owned(), excluded.clone());
    let enters = move |folder: &Path| may_hold_roots(folder, &top, &excluded, &Disk);
    let mut roots = folders(root, enters)?;
    roots.retain(|folder| is_nested(folder, &Disk));
    Ok(roots)
}

/// Returns the nested roots of a tree of these files, as [`nested_roots`] finds them on
/// disk, all relative to its top.
pub(crate) fn roots_among(files: &[String], excluded: &Folders) -> Vec<RootPath> {
    let (tree, top) = (Tree::of(files), Path::new(""));
    let enters = |folder: &Path| may_hold_roots(folder, top, excluded, &tree);
    let is_found = |folder: &&Path| {
        let mut ways = folder.ancestors().filter(|folder| *folder != top);
        *folder != top && is_nested(folder, &tree) && ways.all(enters)
    };
    let found = tree.folders().filter(is_found);
    found
        .filter_map(|folder| RootPath::new(folder.to_str()?).ok())
        .collect()
}

/// Whether a folder below `top` is looked into.
fn may_hold_roots(folder: &Path, top: &Path, excluded: &Folders, probe: &impl Probe) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    let is_own = || {
        let above = folder.parent();
        let is_of_root = |above: &Path| above == top || is_nested(above, probe);
        name.is_some_and(|name| OWN.contains(&name)) && above.is_some_and(is_of_root)
    };
    let is_excluded = || {
        let below = folder.strip_prefix(top).ok().and_then(Path::to_str);
        below.is_some_and(|below| excluded.hold(below))
    };
    name.is_none_or(|name| !name.starts_with('.') && name != BUILT)
        && !probe.exists(&folder.join(".git"))
        && !is_own()
        && !is_excluded()
}

/// Whether a folder below a root is a root of its own. `specs/` alone may be a folder of
/// any documents.
fn is_nested(folder: &Path, probe: &impl Probe) -> bool {
    probe.exists(&folder.join("ralph.toml"))
        || OWN.iter().all(|name| probe.is_folder(&folder.join(name)))
}

#[cfg(test)]
mod tests {
    use super::super::probe::Tree;
    use super::*;

    #[test]
    fn a_nested_root_has_a_configuration_or_specs_and_tasks() {
        let tree = Tree::of(&[
            "/r/a/ralph.toml",
            "/r/b/specs/S.md",
            "/r/b/tasks/s/01.md",
            "/r/docs/specs/S.md",
            "/r/crates/tasks/lib.rs",
        ]);
        for (folder, expected) in [
            ("/r/a", true),
            ("/r/b", true),
            ("/r/docs", false),
            ("/r/crates", false),
        ] {
            assert_eq!(is_nested(Path::new(folder), &tree), expected, "{folder}");
        }
    }

    #[test]
    fn the_roots_of_files_are_those_that_are_found_on_disk() {
        let files = [
            "ralph.toml",
            "tasks/web/ralph.toml",
            "web/ralph.toml",
            "web/specs/S.md",
            "web/specs/deep/ralph.toml",
            "web/ui/ralph.toml",
            "services/a/specs/S.md",
            "services/a/tasks/s/01.md",
            "out/b/ralph.toml",
            ".hidden/c/ralph.toml",
            "docs/specs/S.md",
        ]
        .map(str::to_owned);
        let out = serde_json::from_str(r#"["out"]"#).unwrap();
        let roots = roots_among(&files, &out);
        let roots: Vec<_> = roots.iter().map(RootPath::as_str).collect();
        assert_eq!(roots, ["services/a", "web", "web/ui"]);
    }

    #[test]
    fn documents_of_a_root_hidden_folders_and_other_repositories_hold_no_roots() {
        let tree = Tree::of(&[
            "/r/tasks/s/ralph.toml",
            "/r/a/ralph.toml",
            "/r/a/specs/S.md",
            "/r/crates/tasks/lib.rs",
            "/r/cloned/.git/HEAD",
            "/r/.hidden/ralph.toml",
            "/r/target/ralph.toml",
        ]);
        for (folder, expected) in [
            ("/r/a", true),
            ("/r/crates/tasks", true),
            ("/r/tasks", false),
            ("/r/a/specs", false),
            ("/r/cloned", false),
            ("/r/.hidden", false),
            ("/r/target", false),
        ] {
            let (top, none) = (Path::new("/r"), Folders::default());
            let found = may_hold_roots(Path::new(folder), top, &none, &tree);
            assert_eq!(found, expected, "{folder}");
        }
    }
}
