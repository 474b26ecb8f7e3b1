//! What a rule found, and how it could be mended.

use std::fmt;

use review_document::markdown::HeadingPath;
use review_document::{Edit, Position, Span};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::{Criterion, Rule, Severity};

/// The id of a finding: the same for the same fault in the same place of the
/// document's structure, whatever the lines around it do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct FindingId(String);

impl FindingId {
    /// Hashes what makes a finding itself: rule, file, heading path, text and
    /// its ordinal among findings that agree in all of these.
    pub(crate) fn new(rule: Rule, path: &str, heading: &HeadingPath, text: &str, nth: u32) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in [rule.code(), path]
            .into_iter()
            .chain(heading.names().iter().map(String::as_str))
        {
            hasher.update(part.as_bytes());
            hasher.update(&[0]);
        }
        hasher.update(&[0]);
        for word in text.split_whitespace() {
            hasher.update(word.as_bytes());
            hasher.update(b" ");
        }
        hasher.update(&nth.to_le_bytes());
        let mut hex = hasher.finalize().to_hex().to_string();
        hex.truncate(16);
        Self(hex)
    }

    /// The id: 16 hex digits.
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

/// Something that a rule found.
///
/// As JSON it has the fields `id, rule, name, severity, criterion, path, line,
/// column, end_line, heading, message, suggestion, fix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its id.
    pub id: FindingId,
    /// The rule.
    pub rule: Rule,
    /// How much it weighs.
    pub severity: Severity,
    /// The file, relative to the root.
    pub path: String,
    /// The bytes that it is about.
    pub span: Span,
    /// The line and column of the first of them.
    pub position: Position,
    /// The line of the last of them.
    pub end_line: usize,
    /// The headings above; empty in front matter.
    pub heading: HeadingPath,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do about it, with the exact text to write where there is one.
    pub suggestion: String,
    /// A mechanical change that mends it.
    pub fix: Option<Fix>,
}

impl Finding {
    /// The criterion whose score it lowers.
    #[must_use]
    pub const fn criterion(&self) -> Criterion {
        self.rule.criterion()
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut wire = serializer.serialize_struct("Finding", 13)?;
        wire.serialize_field("id", &self.id)?;
        wire.serialize_field("rule", self.rule.code())?;
        wire.serialize_field("name", self.rule.name())?;
        wire.serialize_field("severity", &self.severity)?;
        wire.serialize_field("criterion", &self.criterion())?;
        wire.serialize_field("path", &self.path)?;
        wire.serialize_field("line", &self.position.line)?;
        wire.serialize_field("column", &self.position.column)?;
        wire.serialize_field("end_line", &self.end_line)?;
        wire.serialize_field("heading", &self.heading.to_string())?;
        wire.serialize_field("message", &self.message)?;
        wire.serialize_field("suggestion", &self.suggestion)?;
        wire.serialize_field("fix", &self.fix)?;
        wire.end()
    }
}

/// A change of the file that mends a finding.
///
/// As JSON: `{"safety": "safe", "edits": [{"span": {"start", "end"}, "text"}]}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Whether it may be applied without asking.
    pub safety: Safety,
    /// The edits, which do not meet.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// A fix of one edit.
    pub(crate) fn one(safety: Safety, span: Span, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            safety,
            edits: vec![Edit { span, text }],
        }
    }
}

impl Serialize for Fix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Wire<'a> {
            span: Span,
            text: &'a str,
        }
        let edits: Vec<_> = self
            .edits
            .iter()
            .map(|edit| Wire {
                span: edit.span,
                text: &edit.text,
            })
            .collect();
        let mut wire = serializer.serialize_struct("Fix", 2)?;
        wire.serialize_field("safety", &self.safety)?;
        wire.serialize_field("edits", &edits)?;
        wire.end()
    }
}

/// Whether a fix may be applied without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Safety {
    /// It keeps the meaning of everything else.
    Safe,
    /// It touches a command, a dependency or an id, deletes text, or guesses.
    Unsafe,
}
