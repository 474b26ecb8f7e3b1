//! Names and words that keys have as their values.

use review_lint::{Glob, Severity};
use review_types::{closed_list, name_type};
use serde::{Deserialize, Serialize};

closed_list! {
    /// When to use colours.
    ColorChoice {
        /// On a terminal, unless `NO_COLOR` is set.
        Auto => "auto",
        /// Always.
        Always => "always",
        /// Never.
        Never => "never",
    }
}

closed_list! {
    /// The lowest severity that makes `lint` fail.
    FailLevel {
        /// Errors.
        Error => "error",
        /// Warnings and errors.
        Warning => "warning",
        /// Any finding.
        Info => "info",
        /// Nothing.
        Never => "never",
    }
}

impl FailLevel {
    /// Whether a finding of this severity is a failure.
    pub const fn fails(self, severity: Severity) -> bool {
        match severity {
            Severity::Error => !matches!(self, Self::Never),
            Severity::Warning => matches!(self, Self::Warning | Self::Info),
            Severity::Info => matches!(self, Self::Info),
        }
    }
}

name_type!(
    /// The name of a branch. Git decides whether there is such a branch.
    #[schemars(extend("minLength" = 1))]
    BranchName,
    "the name of a branch",
    "one that git takes",
    is_name
);

name_type!(
    /// The name of a variable of the environment.
    #[schemars(extend("minLength" = 1))]
    VariableName,
    "the name of a variable",
    "at least one character, and none of them `=`",
    |name| !name.is_empty() && !name.contains(['=', '\0'])
);

name_type!(
    /// A host as ssh knows it.
    #[schemars(extend("minLength" = 1))]
    HostName,
    "the name of a host",
    "no `-` at its start, and no blank or control character",
    is_name
);

name_type!(
    /// A heading, path or command for the shell, which is not blank.
    #[schemars(extend("minLength" = 1))]
    Line,
    "a value",
    "more than blanks",
    |line| !line.trim().is_empty() && !line.contains('\0')
);

/// Whether a program takes it as a name, and not as an option.
fn is_name(name: &str) -> bool {
    let is_wrong = |c: char| c.is_whitespace() || c.is_control();
    !name.is_empty() && !name.starts_with('-') && !name.contains(is_wrong)
}

/// Patterns for folders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Folders(#[schemars(with = "Vec<String>")] Vec<Glob>);

impl Folders {
    /// Whether a pattern matches a folder, relative to the root, or one above it.
    pub fn hold(&self, folder: &str) -> bool {
        let ends = folder.match_indices('/').map(|(end, _)| end);
        let mut above = ends.chain([folder.len()]).map(|end| &folder[..end]);
        above.any(|folder| self.0.iter().any(|glob| is_match(glob, folder)))
    }
}

/// Whether a pattern matches a folder, also one that is written with a `/` at its end.
fn is_match(glob: &Glob, folder: &str) -> bool {
    glob.matches(folder) || glob.as_str().ends_with('/') && glob.matches(&format!("{folder}/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_has_a_name_that_git_takes() {
        for name in ["main", "ralph/web", "v1.2", "fix-#7", "ä"] {
            assert_eq!(name.parse::<BranchName>().unwrap().as_str(), name);
        }
        for name in ["", " ", "a b", "-a", "a\u{7f}"] {
            assert!(name.parse::<BranchName>().is_err(), "{name}");
        }
    }

    #[test]
    fn a_level_fails_on_its_severity_and_on_graver_ones() {
        let severities = [Severity::Info, Severity::Warning, Severity::Error];
        for (level, expected) in [
            (FailLevel::Error, [false, false, true]),
            (FailLevel::Warning, [false, true, true]),
            (FailLevel::Info, [true, true, true]),
            (FailLevel::Never, [false, false, false]),
        ] {
            assert_eq!(severities.map(|severity| level.fails(severity)), expected);
        }
    }

    #[test]
    fn a_pattern_holds_a_folder_and_all_that_is_in_it() {
        for (pattern, held, others) in [
            (
                "examples",
                &["examples", "a/examples/b"][..],
                &["example"][..],
            ),
            ("examples/", &["examples", "examples/a"], &["a/examples"]),
            ("services/*-old", &["services/a-old/b"], &["services/a"]),
            ("tests/**", &["tests/a", "tests/a/b"], &["tests", "a/tests"]),
        ] {
            let folders = Folders(vec![pattern.parse().unwrap()]);
            for (paths, expected) in [(held, true), (others, false)] {
                for path in paths {
                    assert_eq!(folders.hold(path), expected, "{pattern} {path}");
                }
            }
        }
    }
}
