//! The part of SARIF 2.1.0 that is written.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use review_types::Severity;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::github::AnnotationLevel;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const VERSION: &str = "2.1.0";

/// The name of the fingerprint that is the id of a finding.
pub(crate) const FINDING_ID: &str = "ralphFindingId/v1";

/// The bytes of a path that a URI must escape.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Properties that SARIF has no field for.
pub(crate) type PropertyBag = Map<String, Json>;

/// A whole log.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Log {
    #[serde(rename = "$schema")]
    schema: String,
    version: String,
    pub(crate) runs: Vec<Run>,
}

impl Log {
    /// The log of one run of this program.
    pub(crate) fn new(run: Run) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            version: VERSION.to_owned(),
            runs: vec![run],
        }
    }
}

/// Declares objects with names in camel case, whose empty fields are left out.
macro_rules! objects {
    ($($(#[doc = $doc:literal])+ $name:ident {
        $($(#[$meta:meta])* $field:ident: $type:ty,)+
    })+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Debug, Default, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $name {
            $($(#[$meta])* pub(crate) $field: $type,)+
        }
    )+};
}

objects! {
    /// One run of a tool.
    Run {
        tool: Tool,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        invocations: Vec<Invocation>,
        #[serde(skip_serializing_if = "Option::is_none")]
        column_kind: Option<&'static str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        newline_sequences: Vec<&'static str>,
        results: Vec<Finding>,
        #[serde(skip_serializing_if = "Map::is_empty")]
        properties: PropertyBag,
    }
    /// How the tool ended.
    Invocation {
        execution_successful: bool,
        exit_code: u8,
    }
    /// The tool of a run.
    Tool {
        driver: Driver,
    }
    /// The tool itself, with what it looks for.
    Driver {
        name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        semantic_version: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        rules: Vec<ReportingDescriptor>,
    }
    /// A rule.
    ReportingDescriptor {
        id: String,
        name: String,
        short_description: Message,
        help: Help,
        default_configuration: Configuration,
        #[serde(skip_serializing_if = "Map::is_empty")]
        properties: PropertyBag,
    }
    /// The page of a rule.
    Help {
        text: String,
        markdown: String,
    }
    /// The level of a rule by default.
    Configuration {
        level: Level,
    }
    /// A string.
    Message {
        text: String,
    }
    /// A result of the tool.
    Finding {
        #[serde(skip_serializing_if = "Option::is_none")]
        rule_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        rule_index: Option<usize>,
        level: Level,
        message: Message,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        locations: Vec<Location>,
        #[serde(skip_serializing_if = "Map::is_empty")]
        partial_fingerprints: PropertyBag,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        fixes: Vec<Fix>,
        #[serde(skip_serializing_if = "Option::is_none")]
        suppressions: Option<Vec<Suppression>>,
        #[serde(skip_serializing_if = "Map::is_empty")]
        properties: PropertyBag,
    }
    /// A request that a finding does not count.
    Suppression {
        kind: &'static str,
        status: SuppressionStatus,
        #[serde(skip_serializing_if = "Option::is_none")]
        justification: Option<String>,
    }
    /// Where a finding is.
    Location {
        physical_location: PhysicalLocation,
    }
    /// A place in a file.
    PhysicalLocation {
        artifact_location: ArtifactLocation,
        #[serde(skip_serializing_if = "Option::is_none")]
        region: Option<Region>,
    }
    /// A file.
    ArtifactLocation {
        uri: String,
    }
    /// Lines and columns, both from 1, the end column excluded.
    Region {
        start_line: Option<usize>,
        #[serde(skip_serializing_if = "Option::is_none")]
        start_column: Option<usize>,
        #[serde(skip_serializing_if = "Option::is_none")]
        end_line: Option<usize>,
        #[serde(skip_serializing_if = "Option::is_none")]
        end_column: Option<usize>,
    }
    /// A change that fixes a finding.
    Fix {
        description: Message,
        artifact_changes: Vec<ArtifactChange>,
        properties: PropertyBag,
    }
    /// The changes of a file.
    ArtifactChange {
        artifact_location: ArtifactLocation,
        replacements: Vec<Replacement>,
    }
    /// New text for a region.
    Replacement {
        deleted_region: Region,
        inserted_content: Message,
    }
}

impl Driver {
    /// This program, in this version.
    pub(crate) fn new(rules: Vec<ReportingDescriptor>) -> Self {
        Self {
            name: "ralph".to_owned(),
            semantic_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            rules,
        }
    }
}

impl Message {
    /// A message of this content.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

impl Location {
    /// A place in a file, by its path.
    pub(crate) fn new(path: &str, region: Region) -> Self {
        Self {
            physical_location: PhysicalLocation {
                artifact_location: ArtifactLocation::of(path),
                region: Some(region),
            },
        }
    }
}

impl ArtifactLocation {
    /// The relative reference of a relative path, the `file` URI of an absolute
    /// one.
    pub(crate) fn of(path: &str) -> Self {
        let scheme = if path.starts_with('/') { "file://" } else { "" };
        Self {
            uri: format!("{scheme}{}", utf8_percent_encode(path, ESCAPED)),
        }
    }
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    /// It must be fixed.
    Error,
    /// It should be looked at.
    #[default]
    Warning,
    /// It may be of interest.
    Note,
}

impl From<Severity> for Level {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Critical | Severity::Major => Self::Error,
            Severity::Minor => Self::Warning,
            Severity::Suggestion => Self::Note,
        }
    }
}

impl From<AnnotationLevel> for Level {
    fn from(level: AnnotationLevel) -> Self {
        match level {
            AnnotationLevel::Error => Self::Error,
            AnnotationLevel::Warning => Self::Warning,
            AnnotationLevel::Notice => Self::Note,
        }
    }
}

/// Whether it is decided that a finding does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum SuppressionStatus {
    /// It does not count.
    Accepted,
    /// It counts until somebody decides.
    #[default]
    UnderReview,
}

/// The properties of an object, without those that are null.
pub(crate) fn properties(all: Json) -> PropertyBag {
    match all {
        Json::Object(all) => all
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .collect(),
        _ => PropertyBag::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_could_be_misread_in_a_path_is_escaped() {
        for (path, uri) in [
            ("specs/A-b_c.~1.md", "specs/A-b_c.~1.md"),
            ("specs/a b#c?d:e%.md", "specs/a%20b%23c%3Fd%3Ae%25.md"),
            ("ä.md", "%C3%A4.md"),
            ("/srv/a b.md", "file:///srv/a%20b.md"),
        ] {
            let location = ArtifactLocation::of(path);
            assert_eq!(location.uri, uri);
        }
    }
}
