//! Settings for prompt updates and their approval.

use std::fmt;

use review_types::excerpt;
use serde::{Deserialize, Serialize};

use super::StoragePath;
use crate::object::MAX_QUOTED;

/// The approver name that accepts everybody who gives a name.
pub const ANY_APPROVER: &str = "human";

/// How prompts of agents are updated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct PromptEvolutionConfig {
    /// The folder of the versions, relative to the root.
    pub storage_path: StoragePath,
    /// How versions are kept.
    pub versioning: Versioning,
    /// Who approves lessons.
    pub approval_gate: ApprovalGate,
    /// How a version is rolled back.
    pub rollback: Rollback,
}

/// How versions are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct Versioning {
    /// Whether prompts are versioned.
    pub enabled: bool,
    /// The pattern of their file names.
    pub format: VersionFormat,
}

/// Who approves lessons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct ApprovalGate {
    /// Whether approval is required.
    pub required: bool,
    /// The names of the approvers; `human` accepts everybody.
    pub approvers: Vec<String>,
}

/// How a version is rolled back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct Rollback {
    /// Whether it is enabled.
    pub enabled: bool,
    /// The maximum number of versions that are kept.
    #[schemars(range(min = 2))]
    pub max_versions: u32,
}

/// The pattern of the file names of versions: {N} or {version} is the number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = r"^(?!\.)[^/\\{}]*\{(N|version)\}[^/\\{}]*$"))]
pub struct VersionFormat(String);

/// A string that is not a valid file name pattern of versions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a file name with one {{N}}, such as v{{N}}.md, found \"{0}\"")]
pub struct VersionFormatError(String);

/// The placeholders for the number; the first is the one that is written.
const PLACEHOLDERS: [&str; 2] = ["{N}", "{version}"];

impl VersionFormat {
    /// The file name of a version.
    pub fn file_name(&self, version: u32) -> String {
        self.0.replace(PLACEHOLDERS[0], &version.to_string())
    }

    /// The version whose file has this name; `None` for other files.
    pub fn version_of(&self, file_name: &str) -> Option<u32> {
        let (before, after) = self.0.split_once(PLACEHOLDERS[0])?;
        let number = file_name.strip_prefix(before)?.strip_suffix(after)?;
        let version = number.parse().ok()?;
        (self.file_name(version) == file_name && version > 0).then_some(version)
    }
}

impl TryFrom<String> for VersionFormat {
    type Error = VersionFormatError;

    fn try_from(text: String) -> Result<Self, VersionFormatError> {
        let is_plain = |text: &str| !text.contains(['/', '\\', '\0', '{', '}']);
        let parts = PLACEHOLDERS.iter().find_map(|word| text.split_once(word));
        match parts {
            Some((before, after))
                if is_plain(before) && is_plain(after) && !before.starts_with('.') =>
            {
                Ok(Self(format!("{before}{}{after}", PLACEHOLDERS[0])))
            }
            Some(_) | None => Err(VersionFormatError(excerpt(&text, MAX_QUOTED))),
        }
    }
}

impl fmt::Display for VersionFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Default for VersionFormat {
    fn default() -> Self {
        Self("v{N}.md".to_owned())
    }
}

impl Default for PromptEvolutionConfig {
    fn default() -> Self {
        Self {
            storage_path: StoragePath::below(".aiwg/.prompts/"),
            versioning: Versioning::default(),
            approval_gate: ApprovalGate::default(),
            rollback: Rollback::default(),
        }
    }
}

impl Default for Versioning {
    fn default() -> Self {
        Self {
            enabled: true,
            format: VersionFormat::default(),
        }
    }
}

impl Default for ApprovalGate {
    fn default() -> Self {
        Self {
            required: true,
            approvers: vec![ANY_APPROVER.to_owned()],
        }
    }
}

impl Default for Rollback {
    fn default() -> Self {
        Self {
            enabled: true,
            max_versions: 10,
        }
    }
}

impl ApprovalGate {
    /// Whether a user of this name may approve.
    pub fn accepts(&self, name: &str) -> bool {
        let mut approvers = self.approvers.iter();
        approvers.any(|approver| approver == ANY_APPROVER || approver == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_placeholders_are_equivalent() {
        for text in ["v{N}.md", "v{version}.md"] {
            let format = VersionFormat::try_from(text.to_owned()).unwrap();
            assert_eq!(format, VersionFormat::default());
            assert_eq!(format.to_string(), "v{N}.md");
        }
        let format = VersionFormat::try_from("{version}".to_owned()).unwrap();
        assert_eq!(format.file_name(12), "12");
    }

    #[test]
    fn a_pattern_is_a_file_name_with_one_placeholder() {
        for text in [
            "",
            "v.md",
            "v{n}.md",
            "{N}{N}",
            "{N}{version}",
            "a/{N}",
            "../{N}",
            ".{N}",
            "{N}/a",
            "{N}{",
            "\\{N}",
        ] {
            let error = VersionFormat::try_from(text.to_owned()).unwrap_err();
            assert!(error.to_string().contains(text), "{text}");
        }
    }

    #[test]
    fn only_a_name_that_the_pattern_produces_is_one_of_a_version() {
        let format = VersionFormat::try_from("p-{N}.md".to_owned()).unwrap();
        assert_eq!(format.version_of("p-7.md"), Some(7));
        for name in [
            "p-07.md", "p-0.md", "p-+7.md", "p-.md", "q-7.md", "p-7.txt", "p-7.md~", "p-",
        ] {
            assert_eq!(format.version_of(name), None, "{name}");
        }
    }

    #[test]
    fn everybody_or_the_named_approvers_may_approve() {
        assert!(ApprovalGate::default().accepts("ann"));
        let gate = ApprovalGate {
            required: true,
            approvers: vec!["ann".to_owned(), "bob".to_owned()],
        };
        assert!(gate.accepts("bob"));
        assert!(!gate.accepts("eve") && !gate.accepts(ANY_APPROVER));
    }
}
