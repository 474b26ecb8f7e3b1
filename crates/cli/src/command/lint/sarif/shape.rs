//! The part of SARIF 2.1.0 that is written.

use std::borrow::Cow;

use review_lint::{FindingId, Safety};
use review_types::{Scores, Verdict};
use serde::Serialize;

use crate::output::Version;

/// A whole log.
#[derive(Debug, Serialize)]
pub(in crate::command::lint) struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

impl<'a> Log<'a> {
    /// The log of one run.
    pub(super) fn new(run: Run<'a>) -> Self {
        Self {
            schema: "https://json.schemastore.org/sarif-2.1.0.json",
            version: "2.1.0",
            runs: [run],
        }
    }
}

/// Declares structs that are written with camel case names.
macro_rules! written {
    ($($(#[doc = $doc:literal])+ $name:ident $(<$life:lifetime>)? {
        $($(#[$meta:meta])* $field:ident: $type:ty,)+
    })+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Debug, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub(super) struct $name $(<$life>)? {
            $($(#[$meta])* pub(super) $field: $type,)+
        }
    )+};
}

written! {
    /// One run of the rules.
    Run<'a> {
        tool: Tool,
        column_kind: &'static str,
        newline_sequences: [&'static str; 3],
        results: Vec<Result<'a>>,
        properties: RunProperties,
    }
    /// What SARIF has no word for.
    RunProperties {
        v: Version,
        verdict: Option<Verdict>,
        scores: Scores,
    }
    /// What ran.
    Tool {
        driver: Driver,
    }
    /// The tool itself, with what it looks for.
    Driver {
        name: &'static str,
        semantic_version: &'static str,
        rules: Vec<ReportingDescriptor>,
    }
    /// A rule.
    ReportingDescriptor {
        id: &'static str,
        name: &'static str,
        short_description: Message<'static>,
        help: Help,
        default_configuration: Configuration,
        properties: RuleProperties,
    }
    /// The page of a rule.
    Help {
        text: String,
        markdown: String,
    }
    /// How a rule is told where nobody says otherwise.
    Configuration {
        level: Level,
    }
    /// What a rule says something about.
    RuleProperties {
        tags: [&'static str; 1],
    }
    /// A text.
    Message<'a> {
        text: Cow<'a, str>,
    }
    /// A finding.
    Result<'a> {
        rule_id: &'static str,
        rule_index: usize,
        level: Level,
        message: Message<'a>,
        locations: [Location; 1],
        partial_fingerprints: Fingerprints<'a>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        fixes: Vec<Fix<'a>>,
    }
    /// What stays the same from run to run.
    Fingerprints<'a> {
        #[serde(rename = "ralphFindingId/v1")]
        id: &'a FindingId,
    }
    /// Where a finding is.
    Location {
        physical_location: PhysicalLocation,
    }
    /// A place in a file.
    PhysicalLocation {
        artifact_location: ArtifactLocation,
        region: Region,
    }
    /// A file.
    ArtifactLocation {
        uri: String,
    }
    /// Lines and columns, both from 1, the end excluded.
    Region {
        start_line: usize,
        start_column: usize,
        end_line: usize,
        end_column: usize,
    }
    /// A change that fixes a finding.
    Fix<'a> {
        description: Message<'a>,
        artifact_changes: Vec<ArtifactChange<'a>>,
        properties: FixProperties,
    }
    /// Whether it may be applied without asking.
    FixProperties {
        safety: Safety,
    }
    /// The changes of a file.
    ArtifactChange<'a> {
        artifact_location: ArtifactLocation,
        replacements: Vec<Replacement<'a>>,
    }
    /// New text for a region.
    Replacement<'a> {
        deleted_region: Region,
        inserted_content: Message<'a>,
    }
}

impl<'a> Message<'a> {
    /// A message of this text.
    pub(super) fn new(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into() }
    }
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    /// It must be fixed.
    Error,
    /// It should be looked at.
    Warning,
    /// It may be of interest.
    Note,
}
