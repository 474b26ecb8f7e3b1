//! How prompts change, and who decides on it.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::StoragePath;
use crate::object::{Code, Fields};

/// The approver that stands for everybody who gives a name.
pub const EVERYBODY: &str = "human";

/// How prompts of agents are updated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(default))]
pub struct PromptEvolutionConfig {
    /// The folder of the versions, seen from the root.
    pub storage_path: StoragePath,
    /// How versions are kept.
    pub versioning: Versioning,
    /// Who approves lessons.
    pub approval_gate: ApprovalGate,
    /// How a version is taken back.
    pub rollback: Rollback,
}

/// How versions are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(default))]
pub struct Versioning {
    /// Whether there are versions.
    pub enabled: bool,
    /// How their files are named.
    pub format: VersionFormat,
}

/// Who approves lessons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(default))]
pub struct ApprovalGate {
    /// Whether anybody must.
    pub required: bool,
    /// Who may; `human` is everybody.
    pub approvers: Vec<String>,
}

/// How a version is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(default))]
pub struct Rollback {
    /// Whether it is.
    pub enabled: bool,
    /// The most versions that are kept.
    #[cfg_attr(feature = "schema", schemars(range(min = 2)))]
    pub max_versions: u32,
}

/// The file names of versions: a number between two texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionFormat {
    before: String,
    after: String,
}

/// A text that is no pattern for file names of versions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a file name with one {{N}} in it, such as v{{N}}.md, got \"{0}\"")]
pub struct VersionFormatError(String);

/// What stands for the number, the first one as it is written by us.
const PLACEHOLDERS: [&str; 2] = ["{N}", "{version}"];

impl VersionFormat {
    /// The name of the file of a version.
    #[must_use]
    pub fn file_name(&self, version: u32) -> String {
        format!("{}{version}{}", self.before, self.after)
    }

    /// The version whose file has this name; `None` for other files.
    #[must_use]
    pub fn version_of(&self, file_name: &str) -> Option<u32> {
        let rest = file_name.strip_prefix(self.before.as_str())?;
        let number = rest.strip_suffix(self.after.as_str())?;
        let version = number.parse().ok()?;
        (self.file_name(version) == file_name && version > 0).then_some(version)
    }
}

impl FromStr for VersionFormat {
    type Err = VersionFormatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = |text: &str| {
            let at = PLACEHOLDERS.iter().find_map(|word| text.split_once(word))?;
            Some((at.0.to_owned(), at.1.to_owned()))
        };
        let is_plain = |text: &str| !text.contains(['/', '\\', '\0', '{', '}']);
        match parts(text) {
            Some((before, after))
                if is_plain(&before) && is_plain(&after) && !before.starts_with('.') =>
            {
                Ok(Self { before, after })
            }
            Some(_) | None => Err(VersionFormatError(text.to_owned())),
        }
    }
}

impl fmt::Display for VersionFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.before, PLACEHOLDERS[0], self.after)
    }
}

impl Serialize for VersionFormat {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for VersionFormat {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "VersionFormat".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "The file names of versions: {N}, or {version}, which is the same, stands for the number.",
            "pattern": r"^(?!\.)[^/\\{}]*\{(N|version)\}[^/\\{}]*$",
        })
    }
}

impl Default for VersionFormat {
    fn default() -> Self {
        Self {
            before: "v".to_owned(),
            after: ".md".to_owned(),
        }
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
            approvers: vec![EVERYBODY.to_owned()],
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
    /// Whether the person of this name may approve.
    #[must_use]
    pub fn accepts(&self, name: &str) -> bool {
        let mut approvers = self.approvers.iter();
        approvers.any(|approver| approver == EVERYBODY || approver == name)
    }

    fn of(fields: &mut Fields<'_, '_>) -> Self {
        let default = Self::default();
        let required = fields.flag("required").unwrap_or(default.required);
        let approvers = fields.texts("approvers");
        if required && approvers.as_ref().is_some_and(Vec::is_empty) {
            fields.wrong("approvers", Code::ApproversNone, "lists nobody");
        }
        Self {
            required,
            approvers: approvers.unwrap_or(default.approvers),
        }
    }
}

impl PromptEvolutionConfig {
    pub(super) fn of(fields: &mut Fields<'_, '_>) -> Self {
        let default = Self::default();
        let storage_path = fields.parsed("storage_path", Code::PathOutside);
        let versioning = fields.object("versioning", |fields| Versioning {
            enabled: fields.flag("enabled").unwrap_or(true),
            format: fields
                .parsed("format", Code::VersionPattern)
                .unwrap_or_default(),
        });
        let approval_gate = fields.object("approval_gate", ApprovalGate::of);
        let rollback = fields.object("rollback", |fields| {
            let default = Rollback::default();
            let enabled = fields.flag("enabled");
            let max_versions = fields.whole("max_versions", 2..=u32::MAX);
            Rollback {
                enabled: enabled.unwrap_or(default.enabled),
                max_versions: max_versions.unwrap_or(default.max_versions),
            }
        });
        Self {
            storage_path: storage_path.unwrap_or(default.storage_path),
            versioning: versioning.unwrap_or(default.versioning),
            approval_gate: approval_gate.unwrap_or(default.approval_gate),
            rollback: rollback.unwrap_or(default.rollback),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_placeholders_are_the_same() {
        for text in ["v{N}.md", "v{version}.md"] {
            let format: VersionFormat = text.parse().unwrap();
            assert_eq!(format, VersionFormat::default());
            assert_eq!(format.to_string(), "v{N}.md");
        }
        let format: VersionFormat = "{version}".parse().unwrap();
        assert_eq!(format.file_name(12), "12");
    }

    #[test]
    fn a_pattern_is_a_file_name_with_one_number() {
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
            let error = text.parse::<VersionFormat>().unwrap_err();
            assert!(error.to_string().contains(text), "{text}");
        }
    }

    #[test]
    fn a_name_is_that_of_a_version_only_if_it_would_be_written_so() {
        let format: VersionFormat = "p-{N}.md".parse().unwrap();
        assert_eq!(format.version_of("p-7.md"), Some(7));
        for name in [
            "p-07.md", "p-0.md", "p-+7.md", "p-.md", "q-7.md", "p-7.txt", "p-7.md~", "p-",
        ] {
            assert_eq!(format.version_of(name), None, "{name}");
        }
    }

    #[test]
    fn everybody_may_approve_or_those_who_are_named() {
        assert!(ApprovalGate::default().accepts("ann"));
        let gate = ApprovalGate {
            required: true,
            approvers: vec!["ann".to_owned(), "bob".to_owned()],
        };
        assert!(gate.accepts("bob"));
        assert!(!gate.accepts("eve") && !gate.accepts(EVERYBODY));
    }
}
