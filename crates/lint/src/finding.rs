//! Findings of rules, and their fixes.

use std::collections::HashMap;
use std::fmt;

use review_document::markdown::HeadingPath;
use review_document::{Edit, Position, Span};
use serde::{Serialize, Serializer};

use crate::{Criterion, Rule, Severity};

/// The id of a finding. It depends on the problem and its place in the structure of the
/// document, not on the lines around it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[schemars(inline)]
#[serde(transparent)]
pub struct FindingId(String);

impl FindingId {
    /// The id as 16 hex digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Assigns ids to findings.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    /// The number of findings with equal content, by its hash.
    alike: HashMap<blake3::Hash, u32>,
}

impl Ids {
    /// Hashes the content of a finding: rule, file, heading path, text and its ordinal
    /// among earlier findings with equal content.
    pub(crate) fn next(
        &mut self,
        rule: Rule,
        path: &str,
        heading: &HeadingPath,
        text: &str,
    ) -> FindingId {
        let mut parts = Vec::new();
        let names = heading.0.iter().map(String::as_str);
        for part in [rule.code(), path].into_iter().chain(names) {
            parts.extend_from_slice(part.as_bytes());
            parts.push(0);
        }
        parts.push(0);
        for word in text.split_whitespace() {
            parts.extend_from_slice(word.as_bytes());
            parts.push(b' ');
        }
        let nth = self.alike.entry(blake3::hash(&parts)).or_default();
        parts.extend_from_slice(&nth.to_le_bytes());
        *nth += 1;
        FindingId(blake3::hash(&parts).to_hex()[..16].to_owned())
    }
}

/// A finding of a rule.
///
/// As JSON it has the fields `id, rule, name, severity, criterion, path, line,
/// column, end_line, heading, message, suggestion, fix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its id.
    pub id: FindingId,
    /// The rule.
    pub rule: Rule,
    /// Its severity.
    pub severity: Severity,
    /// The file, relative to the root.
    pub path: String,
    /// The span that it is about.
    pub span: Span,
    /// The line and column of the first byte.
    pub position: Position,
    /// The line of the last byte.
    pub end_line: usize,
    /// The headings above; empty in front matter.
    pub heading: HeadingPath,
    /// The problem, in one sentence.
    pub message: String,
    /// The suggestion, with the exact text to write if there is one.
    pub suggestion: String,
    /// An automatic fix.
    pub fix: Option<Fix>,
}

impl Finding {
    /// The criterion whose score it lowers.
    #[must_use]
    pub const fn criterion(&self) -> Criterion {
        self.rule.criterion()
    }
}

/// The JSON form of a finding.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Finding")]
struct Wire<'a> {
    /// The id: the same for the same problem in the same place.
    id: &'a FindingId,
    /// The code of the rule, such as `B3`.
    rule: Rule,
    /// The name of the rule, such as `filter-selects-nothing`.
    name: &'static str,
    /// The severity.
    severity: Severity,
    /// The criterion whose score it lowers.
    criterion: Criterion,
    /// The file, relative to the root.
    path: &'a str,
    /// The line of the first byte, from 1.
    line: usize,
    /// The column of the first byte in characters, from 1.
    column: usize,
    /// The line of the last byte, from 1.
    end_line: usize,
    /// The headings above; empty in front matter.
    heading: String,
    /// The problem.
    message: &'a str,
    /// The suggestion.
    suggestion: &'a str,
    /// An automatic fix.
    fix: Option<&'a Fix>,
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let wire = Wire {
            id: &self.id,
            rule: self.rule,
            name: self.rule.name(),
            severity: self.severity,
            criterion: self.criterion(),
            path: &self.path,
            line: self.position.line,
            column: self.position.column,
            end_line: self.end_line,
            heading: self.heading.to_string(),
            message: &self.message,
            suggestion: &self.suggestion,
            fix: self.fix.as_ref(),
        };
        wire.serialize(serializer)
    }
}

impl schemars::JsonSchema for Finding {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Wire::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Wire::json_schema(generator)
    }
}

/// An automatic fix of a finding, in its own file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Fix {
    /// Whether it may be applied without confirmation.
    pub safety: Safety,
    /// The edits, which do not overlap.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// A fix of one edit.
    pub(crate) fn one(safety: Safety, span: Span, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::of(safety, vec![Edit { span, text }])
    }

    /// A fix of several edits.
    pub(crate) fn of(safety: Safety, edits: Vec<Edit>) -> Self {
        Self { safety, edits }
    }

    /// Converts line ends to CRLF, as in a document with CRLF.
    pub(crate) fn with_crlf(mut self) -> Self {
        for edit in &mut self.edits {
            edit.text = edit.text.replace("\r\n", "\n").replace('\n', "\r\n");
        }
        self
    }
}

/// Whether a fix may be applied without confirmation.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Safety {
    /// It keeps the meaning of everything else.
    Safe,
    /// It changes a command, a dependency or an id, deletes text, or guesses.
    Unsafe,
}

impl Safety {
    /// The name in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }
}
