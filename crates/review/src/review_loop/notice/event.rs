//! Converts the notices of the review machine to events.

use std::sync::Arc;

use review_events::{
    ArtifactUndone, CallEnded, CallRetried, Event, FeedbackDecided, FeedbackUnacknowledged,
    FindingsJoined, KeptText, RepeatedIssue, ReviewApproved, ReviewBlocked, ReviewFeedbackGiven,
    ReviewIteration, ReviewMalformed, ReviewPassed, ReviewStarted, ReviewerFailed,
    ReviewerReplaced, RunEvent,
};
use review_types::{Decisions, FeedbackItem, Finding, FindingId, Hash, Manifest, PastItem, Review};

use serde_json::Value;

use super::ReviewNotice;
use crate::feedback::ExtraItems;
use crate::ledger::Ledger;
use crate::review_loop::config::Subject;
use crate::review_loop::items::{items_of, past_items, size};
use crate::review_loop::load::{history, load_tail};
use crate::review_loop::op::Decided;
use crate::review_loop::round::Round;
use review_flow::{ContentStore, MissingContent, Notice};

/// Maximum number of items of feedback in an event.
const MAX_ITEMS: usize = 64;
/// Maximum number of bytes of feedback in an event.
const MAX_FEEDBACK_BYTES: usize = 256 * 1024;
/// Maximum number of bytes of an answer in an event.
const MAX_RAW_BYTES: usize = 4 * 1024;

impl Notice for ReviewNotice {
    type Event = RunEvent;

    fn event(self, texts: &ContentStore) -> Result<RunEvent, MissingContent> {
        self.into_event(texts).map(RunEvent::from)
    }
}

impl ReviewNotice {
    fn into_event(self, texts: &ContentStore) -> Result<Event, MissingContent> {
        Ok(match self {
            Self::Started {
                subject,
                max_iterations,
            } => Event::ReviewStarted(ReviewStarted {
                feature: subject.feature.clone(),
                spec: subject.spec.clone(),
                path: subject.path.clone(),
                max_iterations,
            }),
            Self::Iteration(subject, round, remarks) => Event::ReviewIteration(ReviewIteration {
                remarks,
                ..round.reported(&subject, texts)?
            }),
            Self::Called {
                role,
                iteration,
                by,
                usage,
                took_ms,
            } => Event::CallEnded(CallEnded {
                role,
                task: None,
                iteration,
                by,
                usage,
                took_ms,
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
            Self::Malformed {
                subject,
                answer,
                parse_error,
                retry_number,
            } => Event::ReviewMalformed(ReviewMalformed {
                feature: subject.feature.clone(),
                raw_output: load_tail(texts, &answer, MAX_RAW_BYTES)?,
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
            Self::Feedback(subject, round, extras) => {
                Event::ReviewFeedback(given(&subject, round, &extras, texts)?)
            }
            Self::Decided {
                round,
                extras,
                decided,
            } => Event::FeedbackDecided(taken(&round, &extras, decided, texts)?),
            Self::Undone {
                iteration,
                base,
                found,
            } => Event::ArtifactUndone(undone(iteration, &base, &found, texts)?),
            Self::Findings {
                iteration,
                ledger,
                counts,
                repeated,
                below_fail_level,
                quotes,
                unproved_rounds,
            } => {
                let (findings, truncated) = latest(&ledger, texts)?;
                Event::FindingsJoined(FindingsJoined {
                    iteration,
                    findings,
                    counts,
                    repeated,
                    below_fail_level,
                    quotes,
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
                spec: subject.spec.clone(),
                path: subject.path.clone(),
                iterations: round.iteration,
                scores: round.scores,
            }),
            Self::Blocked {
                subject,
                code,
                reason,
                rounds,
                best,
                applier_error,
            } => {
                let iterations = rounds.iter().map(|round| history(texts, round));
                Event::ReviewBlocked(ReviewBlocked {
                    feature: subject.feature.clone(),
                    code,
                    reason,
                    iterations: iterations.collect::<Result<_, _>>()?,
                    recovery_actions: subject.recovery_actions.clone(),
                    path: subject.path.clone(),
                    best,
                    applier_error,
                })
            }
        })
    }
}

impl Round {
    /// Returns the round as it is reported.
    ///
    /// # Errors
    /// [`MissingContent`] when its review is not stored.
    pub fn reported(
        self,
        subject: &Subject,
        texts: &ContentStore,
    ) -> Result<ReviewIteration, MissingContent> {
        let review: Arc<Review> = texts.value(&self.review)?;
        let check = self.check.map(|check| texts.value(&check.report));
        let (feedback, truncated) = capped(review.feedback().to_vec());
        Ok(ReviewIteration {
            feature: subject.feature.clone(),
            iteration: self.iteration,
            verdict: review.verdict(),
            scores: self.scores,
            feedback,
            deductions: review.deductions().to_vec(),
            document: self
                .document
                .map(|hash| document(&hash, texts))
                .transpose()?
                .flatten(),
            truncated,
            artifact: self.artifact.map(|base| base.artifact),
            check: check.transpose()?.map(Arc::unwrap_or_clone),
            left_unread: self.left_unread,
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

/// Returns the event for the feedback of a round on its way to the applier.
fn given(
    subject: &Subject,
    round: Round,
    extras: &ExtraItems,
    texts: &ContentStore,
) -> Result<ReviewFeedbackGiven, MissingContent> {
    let items = items_of(texts, &round.past(), extras)?;
    let (feedback, truncated) = capped(items.into());
    Ok(ReviewFeedbackGiven {
        feature: subject.feature.clone(),
        iteration: round.iteration,
        feedback,
        scores: round.scores,
        truncated,
    })
}

/// Returns the event for the feedback of a round with its decisions.
fn taken(
    round: &Round,
    extras: &ExtraItems,
    decided: Decided,
    texts: &ContentStore,
) -> Result<FeedbackDecided, MissingContent> {
    let items = items_of(texts, &round.past(), &extras.without_reminder())?;
    let decisions: Arc<Decisions> = texts.value(&decided.decisions)?;
    let bytes = |past: &PastItem| {
        let decision = past.decision.as_ref();
        let words = decision.and_then(|taken| taken.decision.explanation());
        size(&past.item) + words.map_or(0, str::len)
    };
    let (feedback, truncated) = capped_by(past_items(&items, &decisions), bytes);
    Ok(FeedbackDecided {
        iteration: round.iteration,
        counts: decided.counts,
        feedback,
        truncated,
    })
}

/// Returns the event for the files of an applier that were undone.
fn undone(
    iteration: u32,
    base: &Hash,
    found: &Hash,
    texts: &ContentStore,
) -> Result<ArtifactUndone, MissingContent> {
    let (base, found): (Arc<Manifest>, Arc<Manifest>) = (texts.value(base)?, texts.value(found)?);
    let files = found.unlike(&base).map(|file| KeptText {
        path: file.path.clone(),
        text: file.hash,
    });
    let (files, truncated) = capped_by(files.collect(), |file| file.path.len());
    Ok(ArtifactUndone {
        iteration,
        files,
        truncated,
    })
}

/// Returns the findings of a ledger that fit in an event, the most recent first,
/// and whether any were left out.
fn latest(ledger: &Hash, texts: &ContentStore) -> Result<(Vec<Finding>, bool), MissingContent> {
    let ledger: Arc<Ledger> = texts.value(ledger)?;
    let bytes = |finding: &&Finding| finding.issue.len() + finding.suggestion.len();
    let (findings, truncated) = capped_by(ledger.latest(), bytes);
    Ok((findings.into_iter().cloned().collect(), truncated))
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

/// Returns the items that fit in an event, and whether any were left out.
fn capped(items: Vec<FeedbackItem>) -> (Vec<FeedbackItem>, bool) {
    capped_by(items, size)
}

/// Returns the number of items of these sizes that fit in an event.
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
