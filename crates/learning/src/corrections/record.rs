//! The correction.

use crate::AgentName;
use serde::{Deserialize, Serialize};

use super::{Confidence, CorrectionType, OffsetTimestamp, PatternName, Severity, Source};

/// A change or an objection of a user to an agent's work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Correction {
    /// The date at the start of the timestamp.
    #[schemars(extend("format" = "date"))]
    pub date: String,
    /// The time of the correction, as RFC 3339 with an offset.
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub timestamp: OffsetTimestamp,
    /// The agent that was corrected.
    pub agent: AgentName,
    /// The id of the session, any string; it groups the corrections of one session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub session_id: Option<String>,
    /// The type of the correction.
    pub correction_type: CorrectionType,
    /// The agent's action.
    pub ai_action: AiAction,
    /// The user's correction.
    pub user_correction: UserCorrection,
    /// The pattern that it is an example of.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(
            with = "String",
            default,
            extend("pattern" = "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength" = 64)
        )]
    pub pattern_inferred: Option<PatternName>,
    /// The confidence in the pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Confidence", default)]
    pub pattern_confidence: Option<Confidence>,
    /// The work in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Context", default)]
    pub context: Option<Context>,
    /// The severity.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Severity", default)]
    pub severity: Option<Severity>,
    /// The source of the correction.
    pub source: Source,
}

/// The agent's action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AiAction {
    /// A summary in one sentence.
    pub summary: String,
    /// The tool that the agent used, such as `Write`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub tool_used: Option<String>,
    /// The file, optionally followed by a colon and a line number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub file: Option<String>,
}

/// The user's correction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct UserCorrection {
    /// A summary in one sentence.
    pub summary: String,
    /// The user's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub verbatim: Option<String>,
}

/// The work in progress.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Context {
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub task: Option<String>,
    /// The feature, such as `feat-042`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub feature_id: Option<String>,
    /// The service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub service: Option<String>,
}

impl Correction {
    /// Returns the severity; medium if none is given.
    pub fn effective_severity(&self) -> Severity {
        self.severity.unwrap_or(Severity::Medium)
    }

    /// Returns the weight of its source times the score of its severity, from 0 to 1.
    pub fn impact(&self) -> f64 {
        self.source.weight() * self.effective_severity().score()
    }
}

impl AiAction {
    /// Returns the path of the file and its line number, if there is one.
    pub fn place(&self) -> Option<(&str, Option<u64>)> {
        let file = self.file.as_deref()?;
        let line = file.rsplit_once(':').and_then(|(path, line)| {
            let digits = !path.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
            digits
                .then(|| line.parse().ok())
                .flatten()
                .map(|line| (path, line))
        });
        Some(line.map_or((file, None), |(path, line)| (path, Some(line))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_path_with_an_optional_line_number() {
        for (file, place) in [
            ("a/b.go:42", ("a/b.go", Some(42))),
            ("a/b.go", ("a/b.go", None)),
            ("a:b", ("a:b", None)),
            ("a:", ("a:", None)),
            (":7", (":7", None)),
            ("a:1:2", ("a:1", Some(2))),
        ] {
            let action = AiAction {
                summary: "s".into(),
                tool_used: None,
                file: Some(file.into()),
            };
            assert_eq!(action.place(), Some(place), "{file}");
        }
    }
}
