//! What a rule found, and how it could be mended.

use std::collections::HashMap;
use std::fmt;

use review_document::markdown::HeadingPath;
use review_document::{Edit, Position, Span};
use serde::{Serialize, Serializer};

use crate::original::Original;
use crate::{Criterion, Rule, Severity};

/// The id of a finding: the same for the same fault in the same place of the
/// document's structure, whatever the lines around it do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(transparent)]
pub struct FindingId(String);

impl FindingId {
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

/// Gives findings their ids.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    /// How many findings agree in all that makes them, by its hash.
    alike: HashMap<blake3::Hash, u32>,
}

impl Ids {
    /// Hashes what makes a finding itself: rule, file, heading path, text and
    /// its ordinal among the findings so far that agree in all of these.
    pub(crate) fn next(
        &mut self,
        rule: Rule,
        path: &str,
        heading: &HeadingPath,
        text: &str,
    ) -> FindingId {
        let mut parts = Vec::new();
        let names = heading.names().iter().map(String::as_str);
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
    /// What its fix copies, until all findings are known.
    pub(crate) original: Option<Box<Original>>,
}

impl Finding {
    /// The criterion whose score it lowers.
    #[must_use]
    pub const fn criterion(&self) -> Criterion {
        self.rule.criterion()
    }

    /// Leaves out the edits of other files that `keeps` does not keep.
    pub(crate) fn keep_elsewhere(&mut self, mut keeps: impl FnMut(&str, &Edit) -> bool) {
        if let Some(fix) = &mut self.fix {
            for FileEdits { path, edits } in &mut fix.elsewhere {
                edits.retain(|edit| keeps(path, edit));
            }
            fix.elsewhere.retain(|file| !file.edits.is_empty());
        }
    }
}

/// A finding as JSON has it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Finding"))]
struct Wire<'a> {
    /// The id: the same for the same fault in the same place.
    id: &'a FindingId,
    /// The code of the rule, such as `B3`.
    rule: Rule,
    /// The name of the rule, such as `filter-selects-nothing`.
    name: &'static str,
    /// How much it weighs.
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
    /// What is wrong.
    message: &'a str,
    /// What to do about it.
    suggestion: &'a str,
    /// A mechanical change that mends it.
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

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Finding {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Wire::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Wire::json_schema(generator)
    }
}

/// A change of the file that mends a finding, with what it takes in others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fix {
    /// Whether it may be applied without asking.
    pub safety: Safety,
    /// The edits, which do not meet.
    pub edits: Vec<Edit>,
    /// The edits of other files: where one finding stands for what several
    /// files have, or where a file repeats what is changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<FileEdits>,
}

/// The edits of a file, which do not meet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileEdits {
    /// The file, relative to the root.
    pub path: String,
    /// What is changed in it.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// A fix of one edit.
    pub(crate) fn one(safety: Safety, span: Span, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::of(safety, vec![Edit { span, text }])
    }

    /// A fix of the finding's own file.
    pub(crate) fn of(safety: Safety, edits: Vec<Edit>) -> Self {
        Self {
            safety,
            edits,
            elsewhere: Vec::new(),
        }
    }

    /// The fix with edits of another file.
    pub(crate) fn and_in(mut self, path: &str, edits: Vec<Edit>) -> Self {
        if !edits.is_empty() {
            let path = path.to_owned();
            self.elsewhere.push(FileEdits { path, edits });
        }
        self
    }

    /// Ends the lines of its texts as a document with CRLF does.
    pub(crate) fn with_crlf(mut self) -> Self {
        for edit in &mut self.edits {
            edit.text = edit.text.replace("\r\n", "\n").replace('\n', "\r\n");
        }
        self
    }
}

/// Whether a fix may be applied without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Safety {
    /// It keeps the meaning of everything else.
    Safe,
    /// It touches a command, a dependency or an id, deletes text, or guesses.
    Unsafe,
}

impl Safety {
    /// The word in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }
}
