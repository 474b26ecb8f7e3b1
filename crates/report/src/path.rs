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
}
