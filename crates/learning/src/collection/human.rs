//! What persons said about a run, as feedback.

use review_types::{RunId, Timestamp};

use super::text::{tag, text};
use super::{APPLIER, Draft, REVIEWER};
use crate::feedback::{Context, Details, FeedbackType};

/// What a person said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech<'t> {
    /// A finding does not count: the reviewer should not have raised it.
    Waived {
        /// Its id.
        finding: &'t str,
        /// What it says.
        issue: &'t str,
    },
    /// A finding counts: the applier should have met it.
    Upheld {
        /// Its id.
        finding: &'t str,
        /// What it says.
        issue: &'t str,
    },
    /// What the applier is to heed.
    Guided,
}

/// What a person said about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said<'t> {
    /// The run.
    pub run: &'t RunId,
    /// What it reviews.
    pub artifact: &'t str,
    /// When it was said.
    pub at: Timestamp,
    /// What was said.
    pub speech: Speech<'t>,
    /// In the person's own words.
    pub words: &'t str,
}

impl Said<'_> {
    /// What was said, as feedback.
    #[must_use]
    pub fn draft(&self) -> Draft {
        let (agent, word, issue, finding) = match self.speech {
            Speech::Waived { finding, issue } => (REVIEWER, "waived", Some(issue), finding),
            Speech::Upheld { finding, issue } => (APPLIER, "upheld", Some(issue), finding),
            Speech::Guided => (APPLIER, "guided", None, ""),
        };
        let feedback_type = FeedbackType::HumanCorrection;
        Draft {
            key: format!("said/{}/{word}/{finding}/{}", self.run, self.words),
            agent: agent.to_owned(),
            timestamp: self.at,
            feedback_type,
            severity: None,
            context: Context {
                artifact_path: Some(self.artifact.to_owned()),
                session: Some(self.run.to_string()),
                ..Context::default()
            },
            details: Details {
                error_message: issue.and_then(text),
                correction: text(self.words),
                ..Details::default()
            },
            tags: [feedback_type.as_str(), word]
                .into_iter()
                .filter_map(tag)
                .collect(),
        }
    }
}
