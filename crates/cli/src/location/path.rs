//! Paths by their text alone.

use std::path::{Component, Path, PathBuf};

/// The path from the root of the file system, seen from `folder`, without `.`
/// and `..`. Symbolic links are not looked at: the root of a file is a matter
/// of the name it was given by.
pub(crate) fn absolute(folder: &Path, path: &Path) -> PathBuf {
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

/// An absolute path as a person in `folder` would write it.
pub(crate) fn shown(folder: &Path, path: &Path) -> String {
    match path.strip_prefix(folder) {
        Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
        Ok(inside) => inside.display().to_string(),
        Err(_) => path.display().to_string(),
    }
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

    #[test]
    fn a_path_is_shown_relative_where_it_lies_below() {
        let folder = Path::new("/project");
        for (path, expected) in [
            ("/project/a/b.md", "a/b.md"),
            ("/project", "."),
            ("/other/b.md", "/other/b.md"),
            ("/projects", "/projects"),
        ] {
            assert_eq!(shown(folder, Path::new(path)), expected);
        }
    }
}
