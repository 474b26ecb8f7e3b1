//! The notices of the review machine, and their events.
//!
//! A notice is an event, or what an event is made of whose text is stored by its hash.

use std::sync::Arc;

use review_events::{
    AnswerRemark, ArtifactUndone, Event, FeedbackDecided, FindingsJoined, KeptText, RepeatedIssue,
    ReviewBlocked, ReviewFeedbackGiven, ReviewIteration, RunEvent, UnprovedRounds,
};
use review_types::{Decisions, Finding, FindingId, Hash, Manifest, PastItem, Review};

use serde_json::Value;

use super::items::{items_of, past_items, size};
use super::load::{history, load_tail};
use super::op::{Decided, LedgerUpdate};
use super::round::Round;
use crate::feedback::ExtraItems;
use crate::ledger::Ledger;
use review_flow::{ContentStore, MissingContent, Notice};

/// Maximum number of items of feedback in an event.
const MAX_ITEMS: usize = 64;
/// Maximum number of bytes of feedback in an event.
const MAX_FEEDBACK_BYTES: usize = 256 * 1024;
/// Maximum number of bytes of an answer in an event.
const MAX_RAW_BYTES: usize = 4 * 1024;

/// A notice of the review machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewNotice {
    /// An event. The content of a malformed answer is loaded by its hash.
    Event(Event),
    /// A reviewer's answer was parsed.
    Iteration(Round, Vec<AnswerRemark>),
    /// Feedback goes to the applier.
    Feedback(Round, ExtraItems),
    /// An applier decided on the feedback of a round, with these extra items.
    Decided(Round, ExtraItems, Decided),
    /// Changes of an applier were undone because its call failed or was interrupted.
    Undone {
        /// Number of the round.
        iteration: u32,
        /// Hash of the manifest that was restored.
        base: Hash,
        /// Hash of the manifest that was found.
        found: Hash,
    },
    /// The items of a round were matched with the earlier findings.
    Findings {
        /// Number of the round.
        iteration: u32,
        /// The ledger after it.
        update: LedgerUpdate,
        /// The number of rounds that brought only new, unproved findings.
        unproved_rounds: UnprovedRounds,
    },
    /// A finding is raised repeatedly.
    RepeatedIssue {
        /// Number of the round.
        iteration: u32,
        /// Hash of the ledger.
        ledger: Hash,
        /// The finding.
        finding: FindingId,
    },
    /// The loop ended without a pass; its rounds are loaded.
    Blocked(ReviewBlocked, Vec<Round>),
}

impl Notice for ReviewNotice {
    type Event = RunEvent;

    fn event(self, texts: &ContentStore) -> Result<RunEvent, MissingContent> {
        self.with_text(texts).map(RunEvent::from)
    }
}

impl ReviewNotice {
    fn with_text(self, texts: &ContentStore) -> Result<Event, MissingContent> {
        Ok(match self {
            Self::Event(Event::ReviewMalformed(mut malformed)) => {
                malformed.raw_output = load_tail(texts, &malformed.raw_output_hash, MAX_RAW_BYTES)?;
                Event::ReviewMalformed(malformed)
            }
            Self::Event(event) => event,
            Self::Iteration(round, remarks) => Event::ReviewIteration(ReviewIteration {
                remarks,
                ..round.reported(texts)?
            }),
            Self::Feedback(round, extras) => {
                let items = items_of(texts, &round.past(), &extras)?;
                let (feedback, truncated) = capped(items.into(), size);
                Event::ReviewFeedback(ReviewFeedbackGiven {
                    iteration: round.iteration,
                    feedback,
                    scores: round.read.scores,
                    truncated,
                })
            }
            Self::Decided(round, extras, decided) => {
                let items = items_of(texts, &round.past(), &extras.without_reminder())?;
                let decisions: Arc<Decisions> = texts.value(&decided.decisions)?;
                let (feedback, truncated) = capped(past_items(&items, &decisions), past_size);
                Event::FeedbackDecided(FeedbackDecided {
                    iteration: round.iteration,
                    counts: decided.counts,
                    feedback,
                    truncated,
                })
            }
            Self::Undone {
                iteration,
                base,
                found,
            } => {
                let base: Arc<Manifest> = texts.value(&base)?;
                let found: Arc<Manifest> = texts.value(&found)?;
                let files = found.unlike(&base).map(|file| KeptText {
                    path: file.path.clone(),
                    text: file.hash,
                });
                let (files, truncated) = capped(files.collect(), |file| file.path.len());
                Event::ArtifactUndone(ArtifactUndone {
                    iteration,
                    files,
                    truncated,
                })
            }
            Self::Findings {
                iteration,
                update,
                unproved_rounds,
            } => {
                let ledger: Arc<Ledger> = texts.value(&update.ledger)?;
                let bytes = |finding: &&Finding| finding.issue.len() + finding.suggestion.len();
                let (findings, truncated) = capped(ledger.latest(), bytes);
                Event::FindingsJoined(FindingsJoined {
                    iteration,
                    findings: findings.into_iter().cloned().collect(),
                    counts: update.counts,
                    below_fail_level: update.round.below_fail_level,
                    unproved_rounds,
                    truncated,
                })
            }
            Self::RepeatedIssue {
                iteration,
                ledger,
                finding,
            } => Event::RepeatedIssue(RepeatedIssue {
                iteration,
                finding: found(&ledger, &finding, texts)?,
            }),
            Self::Blocked(mut blocked, rounds) => {
                let iterations = rounds.iter().map(|round| history(texts, round));
                blocked.iterations = iterations.collect::<Result<_, _>>()?;
                Event::ReviewBlocked(blocked)
            }
        })
    }
}

impl Round {
    /// Returns the round as it is reported.
    ///
    /// # Errors
    /// [`MissingContent`] when its review is not stored.
    pub fn reported(self, texts: &ContentStore) -> Result<ReviewIteration, MissingContent> {
        let review: Arc<Review> = texts.value(&self.read.review)?;
        let check = self.read.check.map(|check| texts.value(&check.report));
        let (feedback, truncated) = capped(review.feedback().to_vec(), size);
        Ok(ReviewIteration {
            iteration: self.iteration,
            verdict: review.verdict(),
            scores: self.read.scores,
            feedback,
            deductions: review.deductions().to_vec(),
            document: self
                .read
                .document
                .map(|hash| document(&hash, texts))
                .transpose()?
                .flatten(),
            truncated,
            artifact: self.artifact.map(|base| base.artifact),
            check: check.transpose()?.map(Arc::unwrap_or_clone),
            left_unread: self.read.left_unread,
            remarks: Vec::new(),
        })
    }
}

/// Returns a reviewer's document, unless it is too large for an event.
fn document(hash: &Hash, texts: &ContentStore) -> Result<Option<Value>, MissingContent> {
    if texts.get(hash)?.len() > MAX_FEEDBACK_BYTES {
        return Ok(None);
    }
    let document: Arc<Value> = texts.value(hash)?;
    Ok(Some(Arc::unwrap_or_clone(document)))
}

/// Returns a finding of a ledger.
fn found(ledger: &Hash, id: &FindingId, texts: &ContentStore) -> Result<Finding, MissingContent> {
    let known: Arc<Ledger> = texts.value(ledger)?;
    let mut findings = known.findings().iter();
    let found = findings.find(|finding| finding.id == *id);
    found.cloned().ok_or_else(|| MissingContent::Damaged {
        hash: *ledger,
        message: format!("it has no finding {id}"),
    })
}

/// Returns the size of an item with the decision on it.
fn past_size(past: &PastItem) -> usize {
    let decision = past.decision.as_ref();
    let words = decision.and_then(|taken| taken.decision.explanation());
    size(&past.item) + words.map_or(0, str::len)
}

/// Returns the items of these sizes that fit in an event, and whether any were left out.
fn capped<T>(mut items: Vec<T>, size: impl Fn(&T) -> usize) -> (Vec<T>, bool) {
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
