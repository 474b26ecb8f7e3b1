//! Paths by their text alone.

use std::path::{Component, Path, PathBuf};

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

#[cfg(test)]
mod tests {
    use super::*;

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
