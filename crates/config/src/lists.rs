//! Lists in the configuration.

use review_lint::Glob;
use review_types::AllowedChange;
use serde::{Deserialize, Serialize};

use crate::value::Plain;

/// Names of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Vec<String>")]
pub struct Names(Vec<String>);

impl Names {
    /// The names in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}

impl TryFrom<Vec<String>> for Names {
    type Error = String;

    fn try_from(names: Vec<String>) -> Result<Self, Self::Error> {
        let is_wrong = |name: &&String| name.is_empty() || name.contains(['=', '\0']);
        match names.iter().find(is_wrong) {
            Some(name) => Err(format!("{name:?} is not a valid name of a variable")),
            None => Ok(Self(names)),
        }
    }
}

impl Plain for Names {
    const EXPECTED: &'static str = "an array of names of variables";
    const IS_LIST: bool = true;
}

/// Differences that a gate lets pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AllowedChanges(Vec<AllowedChange>);

impl AllowedChanges {
    /// The differences in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[AllowedChange] {
        &self.0
    }
}

impl Plain for AllowedChanges {
    const EXPECTED: &'static str = "an array of differences, each CODE:SUBJECT";
    const IS_LIST: bool = true;
}

/// Headings of sections.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Vec<String>")]
pub struct Headings(Vec<String>);

impl Headings {
    /// The headings in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}

impl TryFrom<Vec<String>> for Headings {
    type Error = &'static str;

    fn try_from(headings: Vec<String>) -> Result<Self, Self::Error> {
        let is_blank = |heading: &String| heading.trim().is_empty();
        if headings.iter().any(is_blank) {
            return Err("a heading is blank");
        }
        Ok(Self(headings))
    }
}

impl Plain for Headings {
    const EXPECTED: &'static str = "an array of headings";
    const IS_LIST: bool = true;
}

/// Commands for the shell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Vec<String>")]
pub struct ShellCommands(Vec<String>);

impl ShellCommands {
    /// The commands in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}

impl TryFrom<Vec<String>> for ShellCommands {
    type Error = &'static str;

    fn try_from(commands: Vec<String>) -> Result<Self, Self::Error> {
        let is_blank = |command: &String| command.trim().is_empty();
        if commands.iter().any(is_blank) {
            return Err("a command is blank");
        }
        Ok(Self(commands))
    }
}

impl Plain for ShellCommands {
    const EXPECTED: &'static str = "an array of commands for the shell";
}

/// Paths of files and folders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Vec<String>")]
pub struct Paths(Vec<String>);

impl Paths {
    /// The paths in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}

impl TryFrom<Vec<String>> for Paths {
    type Error = &'static str;

    fn try_from(paths: Vec<String>) -> Result<Self, Self::Error> {
        let is_wrong = |path: &String| path.trim().is_empty() || path.contains('\0');
        if paths.iter().any(is_wrong) {
            return Err("a path is blank");
        }
        Ok(Self(paths))
    }
}

/// Patterns for folders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Folders(#[schemars(with = "Vec<String>")] Vec<Glob>);

impl Folders {
    /// Whether a pattern matches a folder, relative to the root, or one above it.
    #[must_use]
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

impl Plain for Folders {
    const EXPECTED: &'static str = "an array of patterns for folders";
    const IS_LIST: bool = true;
}

/// Patterns for paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Patterns(#[schemars(with = "Vec<String>")] Vec<Glob>);

impl Patterns {
    /// The patterns.
    #[must_use]
    pub fn as_slice(&self) -> &[Glob] {
        &self.0
    }
}

impl Plain for Patterns {
    const EXPECTED: &'static str = "an array of patterns for paths";
    const IS_LIST: bool = true;
}

#[cfg(test)]
mod tests {
    use super::*;

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
