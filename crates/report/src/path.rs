//! Paths as reports show them.

use std::path::Path;

/// An absolute path as a user in `folder` would write it.
#[must_use]
pub fn shown(folder: &Path, path: &Path) -> String {
    match path.strip_prefix(folder) {
        Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
        Ok(inside) => inside.display().to_string(),
        Err(_) => path.display().to_string(),
    }
}

/// A path of a root as it is named from the folder that `root` is relative to, where it
/// is `.` for that folder itself.
pub(crate) fn below(root: &str, path: &str) -> String {
    match root {
        "." => path.to_owned(),
        root => format!("{root}/{path}"),
    }
}

/// Where a command of a root is run, to be read after what it does: nothing in the
/// folder that `root` is relative to.
pub(crate) fn in_root(root: &str) -> String {
    match root {
        "." => String::new(),
        root => format!(" in {root}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_below_the_folder_is_shown_relative_to_it() {
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

    #[test]
    fn a_path_of_another_root_is_named_with_it() {
        for (root, path, place) in [
            (".", "specs/A.md", ""),
            ("services/a", "services/a/specs/A.md", " in services/a"),
        ] {
            assert_eq!(below(root, "specs/A.md"), path);
            assert_eq!(in_root(root), place);
        }
    }
}
