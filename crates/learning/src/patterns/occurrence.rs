//! One time that a pattern was seen.

use review_types::{Timestamp, closed_list};

use serde::{Serialize, Serializer};

use super::inferred;
use crate::corrections::{Confidence, Correction, PatternName, Severity, Source};

closed_list!(
    /// Who noticed it.
    Origin {
        /// The user said it.
        Explicit => "explicit",
        /// It follows from what the user did.
        Implicit => "implicit",
        /// A reviewer, as something that blocks.
        ReviewBlocking => "review_blocking",
        /// A reviewer, as a warning.
        ReviewWarning => "review_warning",
        /// A reviewer, as a trifle.
        ReviewNit => "review_nit",
        /// An agent, about its own session.
        SessionLearning => "session_learning",
        /// Whoever was called out of bed.
        Incident => "incident",
    }
);

impl Origin {
    /// The weight of what comes from there, from 0 to 1.
    #[must_use]
    pub const fn weight(self) -> f64 {
        match self {
            Self::Explicit | Self::Incident => 1.0,
            Self::Implicit => 0.8,
            Self::ReviewBlocking => 0.7,
            Self::ReviewWarning => 0.5,
            Self::SessionLearning => 0.4,
            Self::ReviewNit => 0.3,
        }
    }
}

impl From<Source> for Origin {
    fn from(source: Source) -> Self {
        match source {
            Source::Explicit => Self::Explicit,
            Source::Implicit => Self::Implicit,
        }
    }
}

/// One time that a pattern was seen; its JSON form is that in `patterns.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Occurrence {
    /// The pattern.
    #[serde(skip)]
    pub pattern: PatternName,
    /// How sure the pattern is, if anybody said.
    #[serde(skip)]
    pub pattern_confidence: Option<Confidence>,
    /// The date.
    #[serde(rename = "date", serialize_with = "date")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub at: Timestamp,
    /// Who noticed it.
    #[serde(rename = "source")]
    pub origin: Origin,
    /// How much it matters.
    pub severity: Severity,
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What happened.
    pub summary: String,
    /// What to do instead, if anybody said.
    #[serde(skip)]
    pub fix: Option<String>,
}

/// Writes the date of an instant, in UTC.
fn date<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&date_of(*at))
}

/// The date of an instant, in UTC.
pub(super) fn date_of(at: Timestamp) -> String {
    at.to_string().chars().take(10).collect()
}

impl Occurrence {
    /// The occurrence that a correction is. Without a pattern of its own it gets
    /// the one that its words speak of, with low confidence; `None` if they speak
    /// of none.
    #[must_use]
    pub fn of(correction: &Correction) -> Option<Self> {
        let user = &correction.user_correction;
        let (pattern, pattern_confidence) = match &correction.pattern_inferred {
            Some(name) => (name.clone(), correction.pattern_confidence),
            None => {
                let said = user.verbatim.as_deref().unwrap_or_default();
                let text = format!("{} {said}", user.summary);
                (inferred(&text)?, Some(Confidence::Low))
            }
        };
        let context = correction.context.as_ref();
        let service = context.and_then(|context| context.service.as_deref());
        Some(Self {
            pattern,
            pattern_confidence,
            at: correction.timestamp.at(),
            origin: correction.source.into(),
            severity: correction.effective_severity(),
            agent: Some(correction.agent.clone()),
            service: service.map(str::to_owned),
            file: correction.ai_action.file.clone(),
            summary: user.summary.clone(),
            fix: user.verbatim.clone(),
        })
    }
}
