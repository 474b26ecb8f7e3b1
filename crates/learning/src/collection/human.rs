//! Feedback entries from users' decisions and comments on a run.

use review_events::AgentRole;
use review_types::{RunId, Timestamp};

use super::Draft;
use super::text::{tag, text};
use crate::AgentName;
use crate::feedback::{Context, Details, FeedbackType};

/// The kind of a user's comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentKind<'t> {
    /// A finding is waived: the reviewer should not have raised it.
    Waived {
        /// Its id.
        finding: &'t str,
        /// The issue of the finding.
        issue: &'t str,
    },
    /// A finding is upheld: the applier should have fixed it.
    Upheld {
        /// Its id.
        finding: &'t str,
        /// The issue of the finding.
        issue: &'t str,
    },
    /// Guidance for the applier.
    Guided,
}

/// A user's comment on a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserComment<'t> {
    /// The run.
    pub run: &'t RunId,
    /// The artifact under review.
    pub artifact: &'t str,
    /// The time of the comment.
    pub at: Timestamp,
    /// The kind of comment.
    pub speech: CommentKind<'t>,
    /// The user's own words.
    pub words: &'t str,
}

impl UserComment<'_> {
    /// The feedback entry for the comment.
    pub fn draft(&self) -> Draft {
        let (agent, word, issue, finding) = match self.speech {
            CommentKind::Waived { finding, issue } => {
                (AgentRole::Reviewer, "waived", Some(issue), finding)
            }
            CommentKind::Upheld { finding, issue } => {
                (AgentRole::Applier, "upheld", Some(issue), finding)
            }
            CommentKind::Guided => (AgentRole::Applier, "guided", None, ""),
        };
        let feedback_type = FeedbackType::HumanCorrection;
        Draft {
            key: format!("said/{}/{word}/{finding}/{}", self.run, self.words),
            agent: AgentName::from(agent),
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
