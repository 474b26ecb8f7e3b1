//! One time that a pattern was seen.

use review_types::Timestamp;
use serde::{Deserialize, Serialize};

use super::inferred;
use crate::corrections::{Confidence, Correction, PatternName, Severity, Source};

/// Who noticed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The user said it.
    Explicit,
    /// It follows from what the user did.
    Implicit,
    /// A reviewer, as something that blocks.
    ReviewBlocking,
    /// A reviewer, as a warning.
    ReviewWarning,
    /// A reviewer, as a trifle.
    ReviewNit,
    /// An agent, about its own session.
    SessionLearning,
    /// Whoever was called out of bed.
    Incident,
}

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

    /// The word in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Implicit => "implicit",
            Self::ReviewBlocking => "review_blocking",
            Self::ReviewWarning => "review_warning",
            Self::ReviewNit => "review_nit",
            Self::SessionLearning => "session_learning",
            Self::Incident => "incident",
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

/// One time that a pattern was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The pattern.
    pub pattern: PatternName,
    /// How sure the pattern is, if anybody said.
    pub pattern_confidence: Option<Confidence>,
    /// When.
    pub at: Timestamp,
    /// Who noticed it.
    pub origin: Origin,
    /// How much it matters.
    pub severity: Severity,
    /// The agent whose work it is about.
    pub agent: Option<String>,
    /// The service that it is about.
    pub service: Option<String>,
    /// The file that it is about.
    pub file: Option<String>,
    /// What happened, in a sentence.
    pub summary: String,
    /// What to do instead, if anybody said.
    pub fix: Option<String>,
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
