//! The correction.

use serde::Serialize;

use super::{Confidence, CorrectionType, Moment, PatternName, Severity, Source};

/// One thing that a user changed of an agent's work, or said against it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Correction {
    /// The date that the timestamp begins with.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date")))]
    pub date: String,
    /// When it happened, as RFC 3339 with an offset.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "String", extend("format" = "date-time"))
    )]
    pub timestamp: Moment,
    /// The agent that was corrected.
    pub agent: String,
    /// What groups the corrections of one session; any text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub session_id: Option<String>,
    /// What kind of correction it is.
    pub correction_type: CorrectionType,
    /// What the agent did.
    pub ai_action: AiAction,
    /// What the user changed or said.
    pub user_correction: UserCorrection,
    /// The pattern that it is an example of.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(
            with = "String",
            default,
            extend("pattern" = "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength" = 64)
        )
    )]
    pub pattern_inferred: Option<PatternName>,
    /// How sure the pattern is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Confidence", default))]
    pub pattern_confidence: Option<Confidence>,
    /// What was being worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Context", default))]
    pub context: Option<Context>,
    /// How much it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Severity", default))]
    pub severity: Option<Severity>,
    /// How it came to be known.
    pub source: Source,
}

/// What the agent did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AiAction {
    /// In a sentence.
    pub summary: String,
    /// The tool that it used, such as `Write`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub tool_used: Option<String>,
    /// The file, with a line behind a colon where one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub file: Option<String>,
}

/// What the user changed or said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UserCorrection {
    /// In a sentence.
    pub summary: String,
    /// In the user's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub verbatim: Option<String>,
}

/// What was being worked on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Context {
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub task: Option<String>,
    /// The feature, such as `feat-042`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub feature_id: Option<String>,
    /// The service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub service: Option<String>,
}

impl Correction {
    /// How severe it is; without a word of its own it is medium.
    #[must_use]
    pub fn effective_severity(&self) -> Severity {
        self.severity.unwrap_or(Severity::Medium)
    }

    /// The weight of its source times the score of its severity, from 0 to 1.
    #[must_use]
    pub fn impact(&self) -> f64 {
        self.source.weight() * self.effective_severity().score()
    }
}

impl AiAction {
    /// The path of the file and the line in it, where one stands behind it.
    #[must_use]
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

/// What a correction must be; absent members leave it open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Its type.
    pub correction_type: Option<CorrectionType>,
    /// Its agent.
    pub agent: Option<String>,
    /// Its pattern.
    pub pattern: Option<String>,
    /// How much it matters; without a word of its own it is medium.
    pub severity: Option<Severity>,
    /// How it came to be known.
    pub source: Option<Source>,
}

impl Selection {
    /// Whether a correction is meant.
    #[must_use]
    pub fn accepts(&self, correction: &Correction) -> bool {
        let pattern = correction.pattern_inferred.as_ref();
        let pattern = pattern.map(PatternName::as_str);
        is_open_or(self.correction_type, correction.correction_type)
            && is_open_or(self.severity, correction.effective_severity())
            && is_open_or(self.source, correction.source)
            && is_open_or(self.agent.as_deref(), correction.agent.as_str())
            && (self.pattern.is_none() || self.pattern.as_deref() == pattern)
    }
}

fn is_open_or<T: PartialEq>(wanted: Option<T>, found: T) -> bool {
    wanted.is_none_or(|wanted| wanted == found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_path_with_a_line_behind_a_colon() {
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
