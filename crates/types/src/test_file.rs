//! Which files are tests, by their paths.

use std::path::Path;

/// Folders whose files are tests or data of tests.
const FOLDERS: [&str; 7] = [
    "tests",
    "test",
    "__tests__",
    "testdata",
    "fixtures",
    "snapshots",
    "__snapshots__",
];

/// The endings of sources whose tests are known by the names of their files.
const SOURCES: [&str; 22] = [
    "rs", "py", "js", "ts", "jsx", "tsx", "mjs", "cjs", "mts", "cts", "go", "java", "c", "h",
    "cpp", "cs", "rb", "php", "swift", "kt", "sh", "sql",
];

/// Returns whether a file is a source, by the ending of its name.
#[must_use]
pub fn is_source_file(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let known = |ending: &str| {
        SOURCES
            .iter()
            .any(|known| ending.eq_ignore_ascii_case(known))
    };
    ending.is_some_and(known)
}

/// Returns whether a file is a test, or data of tests. Its path is relative to the root of
/// the project.
///
/// ```
/// use std::path::Path;
///
/// assert!(review_types::is_test_file(Path::new("pkg/store_test.go")));
/// assert!(!review_types::is_test_file(Path::new("src/latest.py")));
/// ```
#[must_use]
pub fn is_test_file(path: &Path) -> bool {
    let mut folders = path.parent().into_iter().flat_map(Path::iter);
    if folders.any(|folder| {
        FOLDERS
            .iter()
            .any(|tests| folder.eq_ignore_ascii_case(tests))
    }) {
        return true;
    }
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let named = || {
        let ends = ["_test", "_spec", ".test", ".spec", "Test", "Tests"];
        stem == "conftest"
            || stem.starts_with("test_")
            || ends.iter().any(|end| stem.ends_with(end))
    };
    matches!(ending, "snap" | "t") || (is_source_file(path) && named())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_folder_or_name() {
        for (path, expected) in [
            ("tests/store.rs", true),
            ("crates/a/tests/data/x.json", true),
            ("Tests/StoreTests/input.json", true),
            ("src/__tests__/a.js", true),
            ("pkg/store_test.go", true),
            ("test_store.py", true),
            ("app/store_test.py", true),
            ("conftest.py", true),
            ("web/a.spec.tsx", true),
            ("web/a.test.mts", true),
            ("web/__snapshots__/a.snap", true),
            ("spec/store_spec.rb", true),
            ("src/main/StoreTest.java", true),
            ("src/store_test.C", true),
            ("t/store.t", true),
            ("src/store.rs", false),
            ("src/testing.rs", false),
            ("src/latest.py", false),
            ("src/attest.go", false),
            ("specs/store_spec.md", false),
            ("tests.md", false),
        ] {
            assert_eq!(is_test_file(Path::new(path)), expected, "{path}");
        }
    }
}
