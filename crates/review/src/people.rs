//! Comments of users on a loop, while it runs or after it ended.

use std::io;

use serde::{Deserialize, Serialize};

pub use crate::ledger::FindingDecision;

/// A comment of a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comment {
    /// The artifact passes, regardless of the reviewer.
    Approved {
        /// The user who approved.
        by: String,
    },
    /// Guidance for reviewer and applier.
    Guided {
        /// The content.
        text: String,
    },
    /// A decision whether a finding counts.
    Settled(FindingDecision),
}

/// The position up to which comments were read, in each of their two files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// In the comments on the run.
    pub run: u64,
    /// In the decisions on findings.
    pub findings: u64,
}

/// The source of comments.
pub trait Inbox: Send + Sync {
    /// Returns the comments after `since`, in order, and the new position.
    ///
    /// # Errors
    /// When the comments cannot be read.
    fn read(&self, since: Cursor) -> io::Result<(Vec<Comment>, Cursor)>;
}

/// Returns the decisions on findings that are in force; of several on one finding,
/// the last. A waiver applies to every round. An upheld finding is recorded once,
/// if its comment is after the first `noted` ones.
pub(crate) fn user_decisions(comments: &[Comment], noted: usize) -> Vec<FindingDecision> {
    let mut holding: Vec<(usize, &FindingDecision)> = Vec::new();
    for (at, comment) in comments.iter().enumerate() {
        if let Comment::Settled(decision) = comment {
            holding.retain(|(_, before)| before.finding != decision.finding);
            holding.push((at, decision));
        }
    }
    let is_due = |(at, decision): &(usize, &FindingDecision)| !decision.counts || *at >= noted;
    let due = holding.into_iter().filter(is_due);
    due.map(|(_, decision)| decision.clone()).collect()
}

/// Returns the guidance among these comments.
pub(crate) fn guidance(comments: &[Comment]) -> Vec<String> {
    let guided = comments.iter().filter_map(|comment| match comment {
        Comment::Guided { text } => Some(text.clone()),
        Comment::Approved { .. } | Comment::Settled(_) => None,
    });
    guided.collect()
}

#[cfg(test)]
mod tests {
    use review_types::FindingId;

    use super::*;

    fn settled(finding: &str, counts: bool, why: &str) -> Comment {
        Comment::Settled(FindingDecision {
            finding: FindingId::new(format!("f-{finding:0>12}")).unwrap(),
            counts,
            by: "ann".to_owned(),
            why: why.to_owned(),
            text: None,
            severity: None,
        })
    }

    #[test]
    fn the_last_decision_on_a_finding_counts_and_a_waiver_applies_to_every_round() {
        let comments = [
            settled("1", false, "a"),
            settled("2", true, "b"),
            settled("1", true, "c"),
            settled("3", false, "d"),
            Comment::Guided {
                text: "be brief".to_owned(),
            },
        ];
        let whys = |noted| -> Vec<String> {
            let due = user_decisions(&comments, noted).into_iter();
            due.map(|decision| decision.why).collect()
        };
        assert_eq!(whys(0), ["b", "c", "d"]);
        assert_eq!(whys(2), ["c", "d"]);
        assert_eq!(whys(5), ["d"]);
        assert_eq!(guidance(&comments), ["be brief"]);
    }
}
