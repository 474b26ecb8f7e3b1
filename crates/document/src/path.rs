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
#[must_use]
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
