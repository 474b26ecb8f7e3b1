//! The results of the operations of the review machine.

use review_events::AnswerRemark;
use review_types::{
    AckDifference, AgentError, BlockCode, FindingCounts, Hash, PromptRead, Score, Scores, Verdict,
    closed_list,
};
use serde::{Deserialize, Serialize};

use super::{BaseState, CheckResult, Decided, ReadComments, RetryOf, is_zero};
use crate::delivery::Undelivered;
use crate::ledger::RoundFindings;
use crate::pass::PassDoubt;
use crate::wording::VagueAnswer;

/// The result of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewOut {
    /// The answer was parsed.
    Read(ReadReview),
    /// The answer is malformed.
    Malformed {
        /// The answer, and why.
        answer: RetryOf,
        /// What shows that the prompt did not arrive, if anything does.
        #[serde(skip_serializing_if = "Option::is_none")]
        undelivered: Option<Undelivered>,
    },
    /// The items of the round were matched with the earlier findings.
    Ledger(LedgerUpdate),
    /// The comments of users were read.
    #[serde(rename = "news")]
    NewComments(NewComments),
    /// The feedback was applied.
    Applied {
        /// The current artifact; `None` if it is not tracked.
        after: Option<BaseState>,
        /// The applier's decisions, where they are known.
        #[serde(skip_serializing_if = "Option::is_none")]
        decided: Option<Decided>,
    },
    /// An earlier artifact was restored.
    Restored {
        /// The current artifact; `None` if it is not tracked.
        after: Option<BaseState>,
        /// Files that another process changed, which were not restored.
        left: Vec<String>,
    },
    /// The call ended without an answer.
    Failed(AgentError),
    /// Another process changed the artifact: the files that differ.
    Changed(String),
    /// A limit of the run ended the call.
    Cut(LimitReached),
    /// No rule of the reviewer applied to any file.
    NothingChecked {
        /// The inputs that the rules need.
        needs: String,
    },
    /// The applier changed files outside the artifact.
    OutOfScope {
        /// Those that are still as it left them.
        paths: Vec<String>,
        /// Those that were restored.
        put_back: Vec<String>,
    },
}

/// A parsed answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadReview {
    /// The verdict of the reviewer.
    pub verdict: Verdict,
    /// Its scores.
    pub scores: Scores,
    /// The overall score of its document, if it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall: Option<Score>,
    /// The number of items of feedback.
    pub items: u32,
    /// Hash of the review.
    pub review: Hash,
    /// Hash of the answer that contained it; `None` for a review that was built in
    /// code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Hash>,
    /// What shows that the prompt did not arrive, if anything does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undelivered: Option<Undelivered>,
    /// How much of the prompt was read, where a part was left unread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_unread: Option<PromptRead>,
    /// Why the reviewer's pass is doubted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<PassDoubt>,
    /// What is remarkable about the answer. The verdict here is `needs_revision` if an item
    /// or a fact contradicts the reviewer's pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<AnswerRemark>,
    /// The number of leading items that are facts: confirmed by a rule or the check
    /// of the project.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub proved: u32,
    /// The items whose wording violates a rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vague: Option<VagueAnswer>,
    /// Hash of the actionable-feedback document that contained the review, if it was
    /// in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<Hash>,
    /// Whether the reviewer leaves the decision to a human.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub escalated: bool,
    /// Whether the reviewer gave its items ids.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_ids: bool,
    /// How its acknowledgement differs from the decisions that it was sent.
    #[serde(default, skip_serializing_if = "AckDifference::is_none")]
    pub acks: AckDifference,
    /// The result of the check of the project, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckResult>,
}

impl ReadReview {
    /// Returns whether no check of the project failed.
    pub(crate) fn passes_check(&self) -> bool {
        self.check.is_none_or(|check| check.passed)
    }
}

/// The ledger of findings after a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerUpdate {
    /// Hash of the new ledger.
    pub ledger: Hash,
    /// The number of findings of each kind.
    pub counts: FindingCounts,
    /// The findings of the round.
    pub round: RoundFindings,
}

/// The comments after a read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewComments {
    /// All that were read.
    pub read: ReadComments,
    /// The users who approved the artifact.
    pub approved_by: Option<String>,
}

closed_list!(
    /// A limit of the run that ended a call.
    LimitReached {
        /// The time of the run.
        RunTime => "time",
        /// The cost of the run.
        Cost => "cost",
        /// The tokens of the run.
        Tokens => "tokens",
        /// The calls of the run.
        Calls => "calls",
    }
);

impl LimitReached {
    /// Returns the block code of the limit.
    pub const fn block_code(self) -> BlockCode {
        match self {
            Self::RunTime => BlockCode::RunTime,
            Self::Cost | Self::Tokens | Self::Calls => BlockCode::Budget,
        }
    }
}

#[cfg(test)]
impl ReadReview {
    /// Returns a pass without scores and items, whose review has this hash.
    pub(crate) fn passed(review: Hash) -> Self {
        Self {
            verdict: Verdict::Pass,
            scores: Scores::default(),
            overall: None,
            items: 0,
            review,
            answer: None,
            undelivered: None,
            left_unread: None,
            doubt: None,
            remarks: Vec::new(),
            proved: 0,
            vague: None,
            document: None,
            escalated: false,
            has_ids: false,
            acks: AckDifference::default(),
            check: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_has_a_word_and_a_code() {
        for (cut, word, code) in [
            (LimitReached::RunTime, "time", BlockCode::RunTime),
            (LimitReached::Cost, "cost", BlockCode::Budget),
            (LimitReached::Tokens, "tokens", BlockCode::Budget),
            (LimitReached::Calls, "calls", BlockCode::Budget),
        ] {
            assert_eq!((cut.to_string().as_str(), cut.block_code()), (word, code));
        }
    }
}
