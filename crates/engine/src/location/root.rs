//! The root of a project.

use std::path::{Component, Path, PathBuf};

use super::Probe;

/// Returns the path from the root of the file system, seen from `folder`, without `.`
/// and `..`. Symbolic links are not looked at: the root of a file is a matter
/// of the name it was given by.
pub fn absolute(folder: &Path, path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => whole.push(part),
        }
    }
    whole
}

/// Returns the root that belongs to an absolute path: the nearest folder, from the
/// path itself upwards, with `ralph.toml`, `specs/` or `.git`. Where there is
/// none it is the path if it is a folder, else the folder that the path is in.
pub fn root_of(path: &Path, probe: &impl Probe) -> PathBuf {
    let nearest = path
        .ancestors()
        .find(|folder| is_root(folder, probe))
        .map(Path::to_owned);
    nearest.unwrap_or_else(|| {
        let folder = if probe.is_folder(path) {
            Some(path)
        } else {
            path.parent()
        };
        folder.unwrap_or(path).to_owned()
    })
}

/// Returns the top of the repository that an absolute path is in: the nearest folder,
/// from the path itself upwards, with `.git`, or without git the outermost root. `None`
/// where nothing above is a root.
pub(super) fn repository_of<'p>(path: &'p Path, probe: &impl Probe) -> Option<&'p Path> {
    let of_git = path
        .ancestors()
        .find(|folder| probe.exists(&folder.join(".git")));
    of_git.or_else(|| {
        let roots = path.ancestors().filter(|folder| is_root(folder, probe));
        roots.last()
    })
}

/// Whether a folder is marked as a root.
pub(super) fn is_root(folder: &Path, probe: &impl Probe) -> bool {
    probe.exists(&folder.join("ralph.toml"))
        || probe.is_folder(&folder.join("specs")) && !is_of_openspec(folder, probe)
        || probe.exists(&folder.join(".git"))
}

/// Whether a folder is that of OpenSpec in a project, or below it: there each change has
/// a `specs/`.
fn is_of_openspec(folder: &Path, probe: &impl Probe) -> bool {
    folder.ancestors().any(|above| {
        above.file_name().is_some_and(|name| name == "openspec")
            && probe.is_folder(&above.join("changes"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::Tree;
    use super::*;

    #[test]
    fn the_root_is_the_nearest_marked_folder() {
        let tree = Tree::of(&[
            "/a/.git/HEAD",
            "/a/specs/S.md",
            "/a/sub/ralph.toml",
            "/a/sub/deep/x.md",
            "/a/file/specs",
            "/b/c/x.md",
            "/w/.git",
            "/w/y/z.md",
            "/o/ralph.toml",
            "/o/openspec/specs/x/spec.md",
            "/o/openspec/changes/a/specs/x/spec.md",
            "/openspec/specs/S.md",
        ]);
        for (path, root) in [
            ("/o/openspec/changes/a/proposal.md", "/o"),
            ("/o/openspec/specs/x", "/o"),
            ("/openspec/specs/S.md", "/openspec"),
            ("/a/specs/S.md", "/a"),
            ("/a/specs", "/a"),
            ("/a", "/a"),
            ("/a/sub/deep/x.md", "/a/sub"),
            ("/a/file/x.md", "/a"),
            ("/w/y/z.md", "/w"),
            ("/b/c/x.md", "/b/c"),
            ("/b/c", "/b/c"),
            ("/b/c/missing.md", "/b/c"),
            ("/", "/"),
        ] {
            assert_eq!(root_of(Path::new(path), &tree), Path::new(root), "{path}");
        }
    }

    #[test]
    fn the_repository_is_that_of_git_or_the_outermost_root() {
        let tree = Tree::of(&[
            "/g/specs/S.md",
            "/g/a/.git/HEAD",
            "/g/a/b/specs/S.md",
            "/h/specs/S.md",
            "/h/a/b/ralph.toml",
            "/n/x.md",
        ]);
        for (path, repository) in [
            ("/g/a/b/specs", Some("/g/a")),
            ("/g/specs", Some("/g")),
            ("/h/a/b", Some("/h")),
            ("/n", None),
        ] {
            let found = repository_of(Path::new(path), &tree);
            assert_eq!(found, repository.map(Path::new), "{path}");
        }
    }

    #[test]
    fn a_path_is_made_absolute_by_its_text() {
        for (path, expected) in [
            ("a/b.md", "/project/a/b.md"),
            ("./a//b/", "/project/a/b"),
            ("../x", "/x"),
            ("../../../x", "/x"),
            ("/etc/../tmp", "/tmp"),
            (".", "/project"),
        ] {
            let got = absolute(Path::new("/project"), Path::new(path));
            assert_eq!(got, Path::new(expected), "{path}");
        }
    }
}
