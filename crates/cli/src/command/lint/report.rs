//! The machine output of `lint`.

use std::collections::BTreeMap;

use review_lint::Finding;
use review_types::{Scores, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::error::{CommandError, ErrorKind};
use crate::output::Version;

/// What the rules of the embedded reviewer found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Lint")]
pub(crate) struct LintReport<'a> {
    /// The version of the format.
    pub(super) v: Version,
    /// The worst verdict; null when no rule had anything to look at.
    pub(super) verdict: Option<Verdict>,
    /// The lowest score of each criterion.
    pub(super) scores: Scores,
    /// What was found, by document and place.
    #[schemars(with = "Vec<FindingSchema>")]
    pub(super) findings: Vec<&'a Finding>,
    /// How many findings comments silence, by the code of their rule.
    pub(super) suppressed: BTreeMap<&'static str, usize>,
    /// How many findings were fixed before.
    pub(super) fixed: usize,
    /// The codes of the rules that had something to look at.
    pub(super) checked: Vec<&'static str>,
}

impl LintReport<'_> {
    /// One object a finding, then one with all the rest.
    ///
    /// # Errors
    /// When a finding has no JSON form.
    pub(super) fn into_lines(mut self) -> Result<Vec<Json>, CommandError> {
        let mut lines = std::mem::take(&mut self.findings)
            .into_iter()
            .map(|finding| {
                let mut line = json!({ "v": Version });
                if let (Json::Object(line), Json::Object(fields)) = (&mut line, to_value(finding)?)
                {
                    line.extend(fields);
                }
                Ok(line)
            })
            .collect::<Result<Vec<_>, CommandError>>()?;
        if let Json::Object(fields) = to_value(&self)? {
            let rest = fields.into_iter().filter(|(name, _)| name != "findings");
            lines.push(Json::Object(rest.collect::<Map<_, _>>()));
        }
        Ok(lines)
    }
}

fn to_value(value: &impl Serialize) -> Result<Json, CommandError> {
    serde_json::to_value(value).map_err(|error| {
        CommandError::new(ErrorKind::Output, "cannot write the result as JSON").source(error)
    })
}

/// A finding as JSON has it.
#[derive(JsonSchema)]
#[schemars(rename = "Finding")]
#[expect(dead_code, reason = "describes what `Finding` writes")]
struct FindingSchema {
    /// The id: the same for the same fault in the same place.
    id: String,
    /// The code of the rule, such as `B3`.
    rule: String,
    /// The name of the rule, such as `filter-selects-nothing`.
    name: String,
    /// How much it weighs.
    #[schemars(extend("enum" = ["error", "warning", "info"]))]
    severity: String,
    /// The criterion whose score it lowers.
    #[schemars(extend("enum" = ["completeness", "consistency", "testability", "architecture"]))]
    criterion: String,
    /// The file, relative to the root.
    path: String,
    /// The line of the first byte, from 1.
    line: usize,
    /// The column of the first byte in characters, from 1.
    column: usize,
    /// The line of the last byte, from 1.
    end_line: usize,
    /// The headings above; empty in front matter.
    heading: String,
    /// What is wrong.
    message: String,
    /// What to do about it.
    suggestion: String,
    /// A mechanical change that mends it.
    fix: Option<FixSchema>,
}

/// A change of the file that mends a finding.
#[derive(JsonSchema)]
#[schemars(rename = "Fix")]
#[expect(dead_code, reason = "describes what `Fix` writes")]
struct FixSchema {
    /// Whether it may be applied without asking.
    #[schemars(extend("enum" = ["safe", "unsafe"]))]
    safety: String,
    /// The replacements, which do not overlap.
    edits: Vec<EditSchema>,
}

/// New text for a range of bytes.
#[derive(JsonSchema)]
#[schemars(rename = "Edit")]
#[expect(dead_code, reason = "describes what `Replacement` writes")]
struct EditSchema {
    /// The bytes that go.
    span: SpanSchema,
    /// The text that comes in their place.
    text: String,
}

/// A range of bytes.
#[derive(JsonSchema)]
#[schemars(rename = "Span")]
#[expect(dead_code, reason = "describes what `Span` writes")]
struct SpanSchema {
    /// Offset of the first byte.
    start: usize,
    /// Offset behind the last byte.
    end: usize,
}
