//! Paths with `/` between their parts, relative to the root.

/// Resolves `path` in `folder`, without `.` and `..`; `None` for a result outside
/// the root, and for absolute paths.
///
/// ```
/// use review_document::joined;
///
/// assert_eq!(joined("a/b", "../c.md").as_deref(), Some("a/c.md"));
/// assert_eq!(joined("", "../c.md"), None);
/// ```
pub fn joined(folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut joined = String::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if joined.is_empty() => return None,
            ".." => joined.truncate(joined.rfind('/').unwrap_or_default()),
            _ => {
                if !joined.is_empty() {
                    joined.push('/');
                }
                joined.push_str(part);
            }
        }
    }
    Some(joined)
}

/// Returns the name of a Markdown file without its folder and extension; `None` for
/// other files.
///
/// ```
/// use review_document::markdown_stem;
///
/// assert_eq!(markdown_stem("specs/WEB.md"), Some("WEB"));
/// assert_eq!(markdown_stem("specs/web.Markdown"), Some("web"));
/// assert_eq!(markdown_stem("specs/web.txt"), None);
/// ```
pub fn markdown_stem(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.rsplit_once('.')?;
    let mut known = ["md", "markdown"].iter();
    known
        .any(|known| extension.eq_ignore_ascii_case(known))
        .then_some(stem)
}

/// Returns the path of a file seen from a folder that it is in or below.
pub(crate) fn below<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    match folder.trim_end_matches('/') {
        "" | "." => Some(path),
        folder => path.strip_prefix(folder)?.strip_prefix('/'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_resolved_within_the_root() {
        for (folder, path, expected) in [
            ("", "a/b.rs", Some("a/b.rs")),
            ("", "./a/", Some("a")),
            ("", "", Some("")),
            ("", "./", Some("")),
            ("", ".", Some("")),
            ("", ".//a", Some("a")),
            ("", "a//b/./c", Some("a/b/c")),
            ("", "a//", Some("a")),
            ("", "a//b", Some("a/b")),
            ("", ".a/.b", Some(".a/.b")),
            ("", "...", Some("...")),
            ("", "a/../b", Some("b")),
            ("", "..", None),
            ("", "a/../..", None),
            ("a", "", Some("a")),
            ("a/b", "c", Some("a/b/c")),
            ("a/b/", "./../c", Some("a/c")),
            ("a/b", "../..", Some("")),
            ("a", "../..", None),
            ("a", "/b", None),
            ("", "~b", Some("~b")),
            ("a", "~b", Some("a/~b")),
        ] {
            let found = joined(folder, path);
            assert_eq!(found.as_deref(), expected, "{folder:?} {path:?}");
        }
    }
}
