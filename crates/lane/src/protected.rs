//! Files that decide whether a task is done, and that its agent may not change.

use std::path::Path;

/// Folders with the configuration of a CI, and files that configure a CI or ralph itself.
/// They are restored in every snapshot.
const FIXED_FOLDERS: [&str; 3] = [".github/workflows", ".circleci", ".buildkite"];
const FIXED_FILES: [&str; 5] = [
    "ralph.toml",
    ".worktreeinclude",
    ".gitlab-ci.yml",
    "Jenkinsfile",
    "azure-pipelines.yml",
];

/// Folders whose files are tests or data of tests.
const TEST_FOLDERS: [&str; 7] = [
    "tests",
    "test",
    "__tests__",
    "testdata",
    "fixtures",
    "snapshots",
    "__snapshots__",
];

/// Tells whether a task may change a protected file: relative to the root of the project.
pub type Opens<'a> = &'a (dyn Fn(&Path) -> bool + Send + Sync);

/// Returns whether agents may not change a file: relative to the root of the project.
pub(crate) fn is_fixed(path: &Path) -> bool {
    FIXED_FOLDERS.iter().any(|folder| path.starts_with(folder))
        || FIXED_FILES.iter().any(|file| path == Path::new(file))
}

/// Returns whether a file is a test, or data of tests: relative to the root of the
/// project.
#[must_use]
pub fn is_test(path: &Path) -> bool {
    let mut folders = path.parent().into_iter().flat_map(Path::iter);
    if folders.any(|folder| TEST_FOLDERS.iter().any(|tests| folder == *tests)) {
        return true;
    }
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    match extension {
        "py" => stem.starts_with("test_") || stem.ends_with("_test") || stem == "conftest",
        "go" => stem.ends_with("_test"),
        "js" | "ts" | "jsx" | "tsx" | "mjs" => stem.ends_with(".test") || stem.ends_with(".spec"),
        "snap" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_folder_or_name() {
        for (path, expected) in [
            ("tests/store.rs", true),
            ("crates/a/tests/data/x.json", true),
            ("src/__tests__/a.js", true),
            ("pkg/store_test.go", true),
            ("test_store.py", true),
            ("app/store_test.py", true),
            ("conftest.py", true),
            ("web/a.spec.tsx", true),
            ("web/__snapshots__/a.snap", true),
            ("src/store.rs", false),
            ("src/testing.rs", false),
            ("src/latest.py", false),
            ("tests.md", false),
        ] {
            assert_eq!(is_test(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn the_configuration_of_ci_and_of_ralph_is_fixed() {
        for (path, expected) in [
            (".github/workflows/ci.yml", true),
            ("ralph.toml", true),
            ("pytest.ini", false),
            (".github/CODEOWNERS", false),
            ("docs/ralph.toml", false),
            ("src/main.rs", false),
        ] {
            assert_eq!(is_fixed(Path::new(path)), expected, "{path}");
        }
    }
}
