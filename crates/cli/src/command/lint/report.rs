//! The machine output of `lint`.

use std::collections::BTreeMap;

use review_lint::{Finding, IdleSuppression};
use review_types::{Scores, Verdict};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::error::{CommandError, ErrorKind};
use crate::output::Version;

/// What the rules of the embedded reviewer found.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Lint"))]
pub(crate) struct LintReport<'a> {
    /// The version of the format.
    pub(super) v: Version,
    /// The worst verdict; null when no rule had anything to look at.
    pub(super) verdict: Option<Verdict>,
    /// The lowest score of each criterion.
    pub(super) scores: Scores,
    /// What was found, by document and place.
    pub(super) findings: Vec<Reported<'a>>,
    /// How many findings comments silence, by the code of their rule.
    pub(super) suppressed: BTreeMap<&'static str, usize>,
    /// The comments that are meant to silence findings and do not.
    pub(super) idle_suppressions: &'a [IdleSuppression],
    /// How many findings were fixed before.
    pub(super) fixed: usize,
    /// The codes of the rules that had something to look at.
    pub(super) checked: Vec<&'static str>,
}

/// A finding, with its root where there are several.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Finding"))]
pub(super) struct Reported<'a> {
    /// The finding.
    #[serde(flatten)]
    pub(super) finding: &'a Finding,
    /// The root that its path is relative to, as seen from the current folder;
    /// only where files of several roots were checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) root: Option<String>,
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
                if let (Json::Object(line), Json::Object(fields)) = (&mut line, to_value(&finding)?)
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
