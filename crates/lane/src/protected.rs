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

/// Tells whether a task may change a protected file: relative to the root of the project.
pub type Opens<'a> = &'a (dyn Fn(&Path) -> bool + Send + Sync);

/// Returns whether agents may not change a file: relative to the root of the project.
pub(crate) fn is_fixed(path: &Path) -> bool {
    FIXED_FOLDERS.iter().any(|folder| path.starts_with(folder))
        || FIXED_FILES.iter().any(|file| path == Path::new(file))
}

#[cfg(test)]
mod tests {
    use super::*;

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
