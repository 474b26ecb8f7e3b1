//! What the review machine tells, and the events it becomes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use review_events::{
    AgentRole, AnswerRepaired, BestRound, CallEnded, CallRetried, Event, FeedbackDecided,
    FeedbackUnacknowledged, FindingsJoined, PassOverruled, RepeatedIssue, ReviewApproved,
    ReviewBlocked, ReviewFeedbackGiven, ReviewIteration, ReviewMalformed, ReviewPassed,
    ReviewStarted, ReviewerFailed, ReviewerReplaced,
};
use review_types::afp::{AckDifference, Areas, Decisions, PastItem};
use review_types::{
    AgentError, BlockCode, Finding, FindingCounts, FindingId, Hash, IterationHistory, ModelId,
    Review, ReviewFeedback, Scores, Timestamp, Usage, Verdict,
};
use serde::de::DeserializeOwned;

use super::config::Subject;
use super::op::{BaseState, CheckResult, Conversation, Decided, PastReview};
use crate::engine::{MissingText, Notice, Texts};
use crate::feedback::Besides;
use crate::ledger::Ledger;
use crate::people::guidance;
use crate::progress::{Attained, Standing};

/// An event carries at most this many items of feedback.
const MAX_ITEMS: usize = 64;
/// An event carries at most this many bytes of feedback.
const MAX_FEEDBACK_BYTES: usize = 256 * 1024;
/// An event carries at most this many bytes of an answer.
const MAX_RAW_BYTES: usize = 4 * 1024;

/// One round that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Its number, from 1.
    pub iteration: u32,
    /// Hash of its review.
    pub review: Hash,
    /// What the reviewer decided.
    pub verdict: Verdict,
    /// Its scores.
    pub scores: Scores,
    /// Position in the chain of the reviewer that answered, from 0.
    pub reviewer: usize,
    /// The artifact that it is about; `None` where nobody looks.
    pub artifact: Option<BaseState>,
    /// Whether its reviewer leaves the decision to a person.
    pub escalated: bool,
    /// What it is worth.
    pub(crate) standing: Standing,
    /// What a command of the project said of it, where one is run.
    pub check: Option<CheckResult>,
    /// Who answered.
    pub by: Option<ModelId>,
    /// When the answer was read.
    pub at: Timestamp,
    /// Hash of the areas with the ids that the reviewer gave them, if it did.
    pub areas: Option<Hash>,
    /// What was decided on its feedback, as far as that is known.
    pub decided: Option<Decided>,
    /// Hash of the ledger of findings after it, where there is one.
    pub ledger: Option<Hash>,
    /// The session to go on in, if the reviewer can be asked again in it.
    pub conversation: Option<Conversation>,
}

impl Round {
    /// Whether no check of the project failed.
    pub(super) fn passes_check(&self) -> bool {
        self.check.is_none_or(|check| check.passed)
    }

    /// The round as a later reviewer is told of it.
    pub(super) fn past(&self) -> PastReview {
        PastReview {
            iteration: self.iteration,
            review: self.review,
            areas: self.areas,
            decisions: self.decided.map(|decided| decided.decisions),
            ledger: self.ledger,
        }
    }
}

/// What the review machine tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewNotice {
    /// The loop began.
    Started(Arc<Subject>),
    /// A reviewer's answer was read.
    Iteration(Arc<Subject>, Round),
    /// The answer needed repairs.
    Repaired {
        /// Number of the round.
        iteration: u32,
        /// How many.
        repairs: u32,
    },
    /// A call of a model ended.
    Called {
        /// Who was called.
        role: AgentRole,
        /// Number of the round.
        iteration: u32,
        /// Who answered, if anybody did.
        by: Option<ModelId>,
        /// What it consumed, if that is known.
        usage: Option<Usage>,
    },
    /// A call gave nothing and is tried again.
    Retried {
        /// Who was called.
        role: AgentRole,
        /// Number of the round.
        iteration: u32,
        /// How the call ended.
        error: AgentError,
        /// The time until then.
        pause: Duration,
    },
    /// A reviewer gave no answer, and the next of the chain is asked.
    Replaced {
        /// Number of the round.
        iteration: u32,
        /// How the last call ended.
        error: AgentError,
        /// The reviewer that is asked now.
        by: String,
    },
    /// Facts forbid the pass that the reviewer gave.
    Overruled {
        /// Number of the round.
        iteration: u32,
        /// How many.
        facts: u32,
    },
    /// An answer could not be read, or edits in it do not fit.
    Malformed {
        /// What the loop is about.
        subject: Arc<Subject>,
        /// Hash of the answer.
        answer: Hash,
        /// Why, rendered.
        parse_error: String,
        /// Number of the malformed answer within its round, from 1.
        retry_number: u32,
    },
    /// A reviewer gave no answer.
    ReviewerFailed {
        /// What the loop is about.
        subject: Arc<Subject>,
        /// Number of the round.
        iteration: u32,
        /// How the call ended.
        error: AgentError,
    },
    /// Feedback goes to the applier.
    Feedback(Arc<Subject>, Round, Besides),
    /// An applier decided on the feedback of a round.
    Decided {
        /// The round.
        round: Round,
        /// What else it was asked for.
        besides: Besides,
        /// What it decided.
        decided: Decided,
    },
    /// The items of a round were joined with the findings before.
    Findings {
        /// Number of the round.
        iteration: u32,
        /// Hash of the ledger.
        ledger: Hash,
        /// How many findings there are of each kind.
        counts: FindingCounts,
        /// Findings that come back again and again.
        repeated: Vec<FindingId>,
    },
    /// A finding comes back again and again.
    RepeatedIssue {
        /// Number of the round.
        iteration: u32,
        /// Hash of the ledger.
        ledger: Hash,
        /// The finding.
        finding: FindingId,
    },
    /// A reviewer acknowledged other decisions than it was told.
    Unacknowledged {
        /// Number of the round.
        iteration: u32,
        /// How they differ.
        difference: AckDifference,
    },
    /// Persons let the artifact pass.
    Approved {
        /// What the loop is about.
        subject: Arc<Subject>,
        /// Who.
        by: String,
    },
    /// A review passed.
    Passed(Arc<Subject>, Round),
    /// The loop cannot pass.
    Blocked {
        /// What the loop is about.
        subject: Arc<Subject>,
        /// Why, as a closed code.
        code: BlockCode,
        /// Why, in words.
        reason: String,
        /// Every round.
        rounds: Vec<Round>,
        /// The round whose artifact is on disk, where it was looked for.
        best: Option<BestRound>,
    },
}

impl Round {
    /// What counts of it for progress.
    pub(crate) fn attained(&self) -> Attained {
        Attained {
            standing: self.standing,
            first_choice: self.reviewer == 0,
        }
    }
}

impl Notice for ReviewNotice {
    fn event(self, texts: &Texts) -> Result<Event, MissingText> {
        Ok(match self {
            Self::Started(subject) => Event::ReviewStarted(ReviewStarted {
                feature: subject.feature.clone(),
                prd_path: subject.prd_path.clone(),
                specs_path: subject.specs_path.clone(),
            }),
            Self::Iteration(subject, round) => {
                let review = load_review(texts, &round.review)?;
                let verdict = review.verdict();
                let (feedback, truncated) = capped(review.feedback().to_vec());
                Event::ReviewIteration(ReviewIteration {
                    feature: subject.feature.clone(),
                    iteration: round.iteration,
                    verdict,
                    scores: round.scores,
                    feedback,
                    truncated,
                    artifact: round.artifact.map(|base| base.artifact),
                    check: round
                        .check
                        .map(|check| load_json(texts, &check.report))
                        .transpose()?,
                })
            }
            Self::Repaired { iteration, repairs } => {
                Event::AnswerRepaired(AnswerRepaired { iteration, repairs })
            }
            Self::Called {
                role,
                iteration,
                by,
                usage,
            } => Event::CallEnded(CallEnded {
                role,
                iteration,
                by,
                usage,
            }),
            Self::Retried {
                role,
                iteration,
                error,
                pause,
            } => Event::CallRetried(CallRetried {
                role,
                iteration,
                error,
                pause_ms: u64::try_from(pause.as_millis()).unwrap_or(u64::MAX),
            }),
            Self::Replaced {
                iteration,
                error,
                by,
            } => Event::ReviewerReplaced(ReviewerReplaced {
                iteration,
                error,
                by,
            }),
            Self::Overruled { iteration, facts } => {
                Event::PassOverruled(PassOverruled { iteration, facts })
            }
            Self::Malformed {
                subject,
                answer,
                parse_error,
                retry_number,
            } => Event::ReviewMalformed(ReviewMalformed {
                feature: subject.feature.clone(),
                raw_output: tail(&texts.get(&answer)?, MAX_RAW_BYTES),
                raw_output_hash: answer,
                parse_error,
                retry_number,
            }),
            Self::ReviewerFailed {
                subject,
                iteration,
                error,
            } => Event::ReviewerFailed(ReviewerFailed {
                feature: subject.feature.clone(),
                iteration,
                error,
            }),
            Self::Feedback(subject, round, besides) => {
                let items = items_of(texts, &round.past(), &besides)?.items();
                let (feedback, truncated) = capped(items);
                Event::ReviewFeedback(ReviewFeedbackGiven {
                    feature: subject.feature.clone(),
                    iteration: round.iteration,
                    feedback,
                    scores: round.scores,
                    truncated,
                })
            }
            Self::Decided {
                round,
                besides,
                decided,
            } => {
                let besides = besides.without_reminder();
                let items = items_of(texts, &round.past(), &besides)?;
                let decisions = load_json(texts, &decided.decisions)?;
                let (feedback, truncated) = capped_by(past_items(&items, &decisions), |past| {
                    let decision = past.decision.as_ref();
                    let words = decision.and_then(|taken| taken.decision.explanation());
                    size(&past.item) + words.map_or(0, str::len)
                });
                Event::FeedbackDecided(FeedbackDecided {
                    iteration: round.iteration,
                    counts: decided.counts,
                    feedback,
                    truncated,
                })
            }
            Self::Findings {
                iteration,
                ledger,
                counts,
                repeated,
            } => {
                let ledger: Ledger = load_json(texts, &ledger)?;
                let bytes = |finding: &Finding| finding.issue.len() + finding.suggestion.len();
                let (findings, truncated) = capped_by(ledger.latest(), bytes);
                Event::FindingsJoined(FindingsJoined {
                    iteration,
                    findings,
                    counts,
                    repeated,
                    truncated,
                })
            }
            Self::RepeatedIssue {
                iteration,
                ledger,
                finding,
            } => {
                let known: Ledger = load_json(texts, &ledger)?;
                let mut known = known.findings().iter();
                let found = known.find(|known| known.id == finding);
                Event::RepeatedIssue(RepeatedIssue {
                    iteration,
                    finding: found.cloned().ok_or_else(|| MissingText::Damaged {
                        hash: ledger,
                        message: format!("it has no finding {finding}"),
                    })?,
                })
            }
            Self::Unacknowledged {
                iteration,
                difference,
            } => Event::FeedbackUnacknowledged(FeedbackUnacknowledged {
                iteration,
                difference,
            }),
            Self::Approved { subject, by } => Event::ReviewApproved(ReviewApproved {
                feature: subject.feature.clone(),
                by,
            }),
            Self::Passed(subject, round) => Event::ReviewPassed(ReviewPassed {
                feature: subject.feature.clone(),
                prd_path: subject.prd_path.clone(),
                specs_path: subject.specs_path.clone(),
                iterations: round.iteration,
                scores: round.scores,
            }),
            Self::Blocked {
                subject,
                code,
                reason,
                rounds,
                best,
            } => Event::ReviewBlocked(ReviewBlocked {
                feature: subject.feature.clone(),
                code,
                reason,
                iterations: rounds
                    .iter()
                    .map(|round| history(texts, round))
                    .collect::<Result<_, _>>()?,
                recovery_actions: subject.recovery_actions.clone(),
                current_specs_path: subject.specs_path.clone(),
                best,
            }),
        })
    }
}

/// The value of a text.
pub(crate) fn load_json<T: DeserializeOwned>(texts: &Texts, hash: &Hash) -> Result<T, MissingText> {
    serde_json::from_slice(&texts.get(hash)?).map_err(|error| MissingText::Damaged {
        hash: *hash,
        message: error.to_string(),
    })
}

/// The review of a hash.
pub(crate) fn load_review(texts: &Texts, hash: &Hash) -> Result<Review, MissingText> {
    load_json(texts, hash)
}

/// What an applier is asked for, with the ids of the items. Those of the round
/// have the same ids whatever it is asked for besides; those that do not count
/// by the ledger are left out.
pub(crate) fn items_of(
    texts: &Texts,
    past: &PastReview,
    besides: &Besides,
) -> Result<Areas, MissingText> {
    items_of_review(texts, &load_review(texts, &past.review)?, past, besides)
}

/// Like [`items_of`] with the review of the round.
pub(crate) fn items_of_review(
    texts: &Texts,
    review: &Review,
    past: &PastReview,
    besides: &Besides,
) -> Result<Areas, MissingText> {
    let given = past.areas.map(|hash| load_json(texts, &hash)).transpose()?;
    let said = besides.people.map(|hash| load_json(texts, &hash));
    let guidance = guidance(said.transpose()?.unwrap_or_default());
    let items = besides.with(review.feedback(), &guidance);
    let items = Areas::of(&items, &given.unwrap_or_default());
    let ledger: Option<Ledger> = past
        .ledger
        .map(|hash| load_json(texts, &hash))
        .transpose()?;
    let settled: BTreeSet<_> = ledger.iter().flat_map(Ledger::not_for_appliers).collect();
    let mut areas = Vec::from(items);
    areas.retain(|area| !settled.contains(area.id()));
    Areas::new(areas).map_err(|error| MissingText::Damaged {
        hash: past.review,
        message: error.to_string(),
    })
}

/// Items with what was decided on each.
pub(crate) fn past_items(items: &Areas, decisions: &Decisions) -> Vec<PastItem> {
    let decisions = decisions.as_slice().iter();
    let by_id: BTreeMap<_, _> = decisions
        .map(|taken| (taken.decision.id(), taken))
        .collect();
    let past = items.as_slice().iter().map(|area| PastItem {
        item: area.item(),
        decision: by_id.get(area.id()).copied().cloned(),
    });
    past.collect()
}

/// A round as a session records it.
pub(crate) fn history(texts: &Texts, round: &Round) -> Result<IterationHistory, MissingText> {
    Ok(IterationHistory {
        iteration: round.iteration,
        result: Some(load_review(texts, &round.review)?),
        timestamp: round.at,
    })
}

/// As many items as an event carries, and whether any were left out.
fn capped(items: Vec<ReviewFeedback>) -> (Vec<ReviewFeedback>, bool) {
    capped_by(items, size)
}

/// As many items of such sizes as an event carries.
fn capped_by<T>(mut items: Vec<T>, size: impl Fn(&T) -> usize) -> (Vec<T>, bool) {
    let all = items.len();
    let mut bytes = 0;
    let fitting = items
        .iter()
        .take(MAX_ITEMS)
        .take_while(|item| {
            bytes += size(item);
            bytes <= MAX_FEEDBACK_BYTES
        })
        .count();
    items.truncate(fitting);
    (items, fitting < all)
}

/// Bytes of the texts of an item.
pub(crate) fn size(item: &ReviewFeedback) -> usize {
    item.section().len() + item.issue().len() + item.suggestion().len()
}

/// The last `max` bytes as text, cut at a character.
pub(crate) fn tail(bytes: &[u8], max: usize) -> String {
    let mut start = bytes.len().saturating_sub(max);
    while start < bytes.len() && bytes[start] & 0xc0 == 0x80 {
        start += 1;
    }
    String::from_utf8_lossy(&bytes[start..]).into_owned()
}
