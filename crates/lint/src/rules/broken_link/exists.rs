//! Whether a path may exist without being listed.

use crate::words::WordList;
use review_document::workspace::PathSet;

/// Whether a path may exist although no such file is listed.
pub(super) fn may_exist(path: &str, paths: &PathSet) -> bool {
    let is_page = path.ends_with(".html") || path.ends_with(".htm");
    let next = paths.files().partition_point(|file| file.as_str() < path);
    let begins = paths
        .files()
        .get(next)
        .is_some_and(|file| file.starts_with(path));
    let with = |extension: &str| paths.is_file(&format!("{path}{extension}"));
    // A symbolic link is listed as a file, whatever its target is.
    let mut above = path.match_indices('/').map(|(at, _)| &path[..at]);
    path.is_empty()
        || is_page
        || paths.is_file(path)
        || path
            .split('/')
            .any(|part| WordList::Generated.words().contains(&part))
        || begins && (paths.contains(path) || with(".md") || with(".mdx") || with("x"))
        || above.any(|folder| paths.is_file(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_not_listed_may_exist() {
        let paths =
            PathSet::from_iter(["docs/Cafe\u{301}.md", "docs/a.md", "docs/b/c.mdx", "linked"]);
        for path in [
            "",
            "docs",
            "docs/b",
            "docs/a",
            "docs/b/c",
            "docs/Caf\u{e9}.md",
            "linked/x/y",
            "target/doc/x",
            "x/y.html",
        ] {
            assert!(may_exist(path, &paths), "{path}");
        }
        for path in ["docs/c", "docs/a.txt", "targets/x", "link"] {
            assert!(!may_exist(path, &paths), "{path}");
        }
    }
}
