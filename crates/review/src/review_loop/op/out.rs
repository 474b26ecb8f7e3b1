//! What comes of what the review machine asks for.

use std::fmt;

use review_types::{
    AckDifference, AgentError, BlockCode, ChangedFiles, FindingCounts, FindingId, Hash, Review,
    Scores, Severity, Verdict,
};
use serde::{Deserialize, Serialize};

use super::{BaseState, CheckResult, Decided, is_zero};
use crate::edits::Edit;
use crate::people::Heard;

/// What came of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewOut {
    /// The answer was read.
    Read(ReadReview),
    /// The answer could not be read.
    Malformed {
        /// The field that broke the schema.
        field: String,
        /// What is wrong with it.
        message: String,
        /// Hash of the answer.
        answer: Hash,
    },
    /// The items of the round were joined with the findings before.
    Joined(Joined),
    /// It was looked what persons said.
    News(News),
    /// The feedback was applied.
    Applied {
        /// The artifact as it is now; `None` where nobody looks.
        after: Option<BaseState>,
        /// What the applier decided, as far as that is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        decided: Option<Decided>,
        /// What it changed, at most 128 edits; none where nobody looks or there
        /// are more.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        edits: Vec<Edit>,
    },
    /// An earlier artifact was put back.
    Restored {
        /// The artifact as it is now; `None` where nobody looks.
        after: Option<BaseState>,
        /// Files that somebody else changed, which were left as they are.
        left: Vec<String>,
    },
    /// The call ended without an answer.
    Failed(AgentError),
    /// Somebody else changed the artifact.
    Changed(ChangedFiles),
    /// A limit of the run ended the call.
    Cut(Cut),
    /// No rule of the reviewer had anything to look at.
    NothingChecked {
        /// What would be needed.
        needs: String,
    },
    /// The applier changed files that are not the artifact's.
    OutOfScope {
        /// Those that are still as it left them.
        paths: Vec<String>,
        /// Those that were put back.
        put_back: Vec<String>,
    },
}

/// An answer that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadReview {
    /// What the reviewer decided.
    pub verdict: Verdict,
    /// Its scores.
    pub scores: Scores,
    /// How many items of feedback it holds.
    pub items: u32,
    /// Hash of the review.
    pub review: Hash,
    /// How many repairs the answer needed.
    pub repairs: u32,
    /// How many facts forbid the pass that the reviewer gave.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub overruled: u32,
    /// How many of the first items are facts: what a rule or the check of the
    /// project has confirmed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub proved: u32,
    /// The item for which the reviewer should not have passed the artifact. The
    /// verdict here is `needs_revision` then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<Contradiction>,
    /// Whether the reviewer leaves the decision to a person.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub escalated: bool,
    /// Whether the reviewer gave its items ids.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_ids: bool,
    /// How its acknowledgement differs from the decisions that it was told.
    #[serde(default, skip_serializing_if = "AckDifference::is_none")]
    pub acks: AckDifference,
    /// What a command of the project said, where one is run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckResult>,
}

/// A pass that holds an item which its own reviewer calls grave enough to ask for
/// a revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contradiction {
    /// Position of the first such item, from 0.
    pub item: u32,
    /// What the reviewer calls it.
    pub severity: Severity,
    /// Hash of the answer; `None` for a review that was built and not written,
    /// whose reviewer would say the same again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Hash>,
}

impl Contradiction {
    /// The first item of a pass that its own reviewer calls at least as grave as
    /// `fail_level`.
    pub(crate) fn of(review: &Review, fail_level: Severity, answer: Option<Hash>) -> Option<Self> {
        if review.verdict() == Verdict::NeedsRevision {
            return None;
        }
        let items = (0..).zip(review.feedback());
        let mut grave = items.filter_map(|(item, said)| Some((item, said.severity()?)));
        let (item, severity) = grave.find(|(_, severity)| *severity <= fail_level)?;
        Some(Self {
            item,
            severity,
            answer,
        })
    }
}

/// What came of joining a round with the findings before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    /// Hash of the ledger as it is now.
    pub ledger: Hash,
    /// How many findings there are of each kind.
    pub counts: FindingCounts,
    /// How many findings of the round keep it from passing.
    pub blocking: u32,
    /// How many of them are new and nothing proves them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unproved: u32,
    /// How many findings of the round are below the fail level.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub below_fail_level: u32,
    /// Whether every finding of the round that does not block is below the fail
    /// level or out of scope.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_below: bool,
    /// How many findings that kept the round before from passing no longer do.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub closed: u32,
    /// Findings on which reviewer and applier disagree again and again, at most
    /// 16.
    pub disputed: Vec<FindingId>,
    /// Findings that a user upheld, that a pass does not raise and whose text is as
    /// it was, at most 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub upheld: Vec<FindingId>,
    /// Findings that come back again and again, at most 16.
    pub repeated: Vec<FindingId>,
    /// Who waived all that the round names, at most 16; none where anything of
    /// it was not waived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waived_by: Vec<String>,
}

/// What persons said since it was looked last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct News {
    /// How far it was heard.
    pub heard: Heard,
    /// Hash of all that was heard, if anything was.
    pub people: Option<Hash>,
    /// How many things were heard in all.
    pub count: u32,
    /// Who approved the artifact.
    pub approved_by: Option<String>,
}

/// A limit of the run that ended a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// Its time.
    RunTime,
    /// Its money.
    Cost,
    /// Its tokens.
    Tokens,
    /// Its calls.
    Calls,
}

impl Cut {
    /// The block code of its name.
    #[must_use]
    pub const fn block_code(self) -> BlockCode {
        match self {
            Self::RunTime => BlockCode::RunTime,
            Self::Cost => BlockCode::Cost,
            Self::Tokens => BlockCode::Tokens,
            Self::Calls => BlockCode::Calls,
        }
    }
}

/// What the limit counts: `time`, `cost`, `tokens` or `calls`.
impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RunTime => "time",
            Self::Cost => "cost",
            Self::Tokens => "tokens",
            Self::Calls => "calls",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_has_a_word_for_people_and_a_code_for_programs() {
        for (cut, word, code) in [
            (Cut::RunTime, "time", BlockCode::RunTime),
            (Cut::Cost, "cost", BlockCode::Cost),
            (Cut::Tokens, "tokens", BlockCode::Tokens),
            (Cut::Calls, "calls", BlockCode::Calls),
        ] {
            assert_eq!((cut.to_string().as_str(), cut.block_code()), (word, code));
        }
    }
}
