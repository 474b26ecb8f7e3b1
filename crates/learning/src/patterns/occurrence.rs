//! An occurrence of a pattern.

use review_types::{Timestamp, closed_list};

use serde::{Serialize, Serializer};

use crate::AgentName;
use crate::confidence::Instance;
use crate::corrections::{CommonPattern, Correction, PatternName, Severity, Source};
use crate::objection::named_pattern;

closed_list!(
    /// The source of an occurrence.
    Origin {
        /// The user stated it.
        Explicit => "explicit",
        /// It follows from the user's actions.
        Implicit => "implicit",
        /// A reviewer, as a blocking finding.
        ReviewBlocking => "review_blocking",
        /// A reviewer, as a warning.
        ReviewWarning => "review_warning",
        /// A reviewer, as a nit.
        ReviewNit => "review_nit",
        /// An agent, in notes on its own session.
        SessionLearning => "session_learning",
        /// A production incident.
        Incident => "incident",
    }
);

impl Origin {
    /// The weight of this source, from 0 to 1.
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

/// An occurrence of a pattern; its JSON form is that in `patterns.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Occurrence {
    /// The pattern.
    #[serde(skip)]
    pub pattern: PatternName,
    /// The date.
    #[serde(rename = "date", serialize_with = "date")]
    #[schemars(with = "String")]
    pub at: Timestamp,
    /// The source.
    #[serde(rename = "source")]
    pub origin: Origin,
    /// The severity.
    pub severity: Severity,
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// The session.
    #[serde(skip)]
    pub session: Option<String>,
    /// The service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A summary of what happened.
    pub summary: String,
    /// The fix, if given.
    #[serde(skip)]
    pub fix: Option<String>,
}

/// Serializes the date of a time, in UTC.
fn date<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&date_of(*at))
}

/// The date of a time, in UTC.
pub(super) fn date_of(at: Timestamp) -> String {
    at.to_string().chars().take(10).collect()
}

/// The pattern of a correction: the one that it names, or one that its words infer.
pub(crate) fn pattern_of(correction: &Correction) -> Option<PatternName> {
    let user = &correction.user_correction;
    correction.pattern_inferred.clone().or_else(|| {
        let said = user.verbatim.as_deref().unwrap_or_default();
        let pattern = named_pattern(&format!("{}\n{said}", user.summary));
        pattern.copied().map(CommonPattern::to_name)
    })
}

impl Origin {
    /// Whether it is a correction by a user, from which feedback is collected.
    const fn is_correction(self) -> bool {
        matches!(self, Self::Explicit | Self::Implicit)
    }
}

impl Occurrence {
    /// The agent that can learn from it, if it is a correction.
    pub(super) fn learner(&self) -> Option<&AgentName> {
        let agent = self.agent.as_ref();
        agent.filter(|_| self.origin.is_correction())
    }

    /// What it adds to the evidence of its pattern.
    pub(super) fn instance(&self) -> Instance<'_> {
        Instance {
            at: self.at,
            weight: self.origin.weight(),
            severity: self.severity,
            session: self.session.as_deref(),
            service: self.service.as_deref(),
        }
    }

    /// The occurrence for a correction. If the correction names no pattern, it is
    /// inferred from its words; `None` if none matches.
    pub fn of(correction: &Correction) -> Option<Self> {
        let user = &correction.user_correction;
        let pattern = pattern_of(correction)?;
        let context = correction.context.as_ref();
        let service = context.and_then(|context| context.service.as_deref());
        Some(Self {
            pattern,
            at: correction.timestamp.at(),
            origin: correction.source.into(),
            severity: correction.effective_severity(),
            agent: Some(correction.agent.clone()),
            session: correction.session_id.clone(),
            service: service.map(str::to_owned),
            file: correction.ai_action.file.clone(),
            summary: user.summary.clone(),
            fix: user.verbatim.clone(),
        })
    }
}
