//! Asks the reviewer, and reads its answer.

use std::sync::{Arc, PoisonError};

use review_events::CheckReport;
use review_schema::SchemaError;
use review_types::{
    AgentError, Decisions, Failure, FeedbackItem, Finding, FindingChange, FindingStatus, Hash,
    Iteration, PastRound, Review,
};

use super::{LoopExecutor, broken, count, executed, failed, failed_within, retry_with_tail};
use crate::agent::{
    AnswerContent, Applier, FollowUp, Retry, ReviewAnswer, ReviewRequest, Reviewer,
};
use crate::check::Checking;
use crate::facts::{Checked, Fact};
use crate::feedback::Besides;
use crate::ledger::{FileSections, Ledger, text_at};
use crate::people::guidance;
use crate::review_loop::answer::{Answered, Asked, refusal};
use crate::review_loop::items::{items_of_review, past_items, size};
use crate::review_loop::load::load_said;
use crate::review_loop::op::{
    CheckResult, Contradiction, Conversation, PastReview, ReadReview, ReviewOut, ToReview,
};
use review_flow::{ContentStore, Executed, MissingText, Step, Stop, nonce, session_id};

/// Bytes of the feedback of all rounds before that a reviewer is told.
const MAX_HISTORY: usize = 64 * 1024;

/// A reviewer is told of at most so many findings.
const MAX_FINDINGS: usize = 64;

/// What a reviewer is told beside what it is asked.
#[derive(Default)]
pub(in crate::review_loop) struct Told {
    pub(in crate::review_loop) retry: Option<Retry>,
    pub(in crate::review_loop) facts: Vec<Fact>,
    pub(in crate::review_loop) history: Vec<PastRound>,
    pub(in crate::review_loop) findings: Vec<Finding>,
    pub(in crate::review_loop) follow_up: Option<FollowUp>,
    pub(in crate::review_loop) guidance: Vec<String>,
}

impl<R: Reviewer, A: Applier> LoopExecutor<'_, R, A> {
    pub(in crate::review_loop) fn request(
        &self,
        step: Step,
        asked: &ToReview,
        told: Told,
    ) -> ReviewRequest {
        ReviewRequest {
            feature: self.subject.feature.clone(),
            prd_path: self.subject.prd_path.clone(),
            specs_path: self.subject.specs_path.clone(),
            criteria: self.criteria.clone(),
            iteration: asked.iteration,
            reviewer: asked.reviewer,
            dialect: self.answers.dialect(asked.reviewer),
            review_id: nonce(&self.seed, &step.name, "review_id"),
            nonce: nonce(&self.seed, &step.name, "artifact"),
            session_id: session_id(&self.seed, &step.name, step.attempt, "session"),
            retry: told.retry,
            facts: told.facts,
            history: told.history,
            memory_key: self.memory.key.clone(),
            findings: told.findings,
            allowance: asked.allowance,
            follow_up: told.follow_up,
            guidance: told.guidance,
            fail_level: self.fail_level,
            unproved_left: asked.unproved_left,
            step,
        }
    }

    /// What is known of the artifact as it is now.
    pub(in crate::review_loop) async fn known(&self) -> Result<Vec<Fact>, AgentError> {
        match self.facts {
            Some(finder) => finder.facts().await,
            None => Ok(Vec::new()),
        }
    }

    pub(in crate::review_loop) async fn ask(
        &self,
        request: ReviewRequest,
    ) -> Result<ReviewAnswer, AgentError> {
        self.reviewer.review(request).await
    }

    /// Reads the text of an answer.
    pub(in crate::review_loop) fn read(
        &self,
        answer: &[u8],
        asked: &Asked,
    ) -> Result<Answered, SchemaError> {
        self.answers.read(answer, asked)
    }

    fn told(
        &self,
        asked: &ToReview,
        facts: &[Fact],
        texts: &ContentStore,
    ) -> Result<Told, MissingText> {
        let retry = asked.retry.as_ref();
        let mut history = self.history.clone();
        history.extend(past_rounds(&asked.history, texts)?);
        Ok(Told {
            retry: retry
                .map(|retry| retry_with_tail(retry, texts))
                .transpose()?,
            facts: facts.to_vec(),
            history,
            findings: self.known_findings(asked, texts)?,
            follow_up: follow_up(asked, texts)?,
            guidance: guidance(&load_said(texts, asked.people)?),
        })
    }

    /// The findings that a reviewer is told of: those that are not met, and those
    /// that a user waived. Where a user changed the text of one, it is an open
    /// question.
    fn known_findings(
        &self,
        asked: &ToReview,
        texts: &ContentStore,
    ) -> Result<Vec<Finding>, MissingText> {
        let ledger = asked.ledger.map(|hash| texts.value(&hash)).transpose()?;
        let ledger: Arc<Ledger> = ledger.unwrap_or_default();
        let findings = ledger.latest().into_iter();
        let unmet = findings.filter(|finding| finding.status != FindingStatus::Fixed);
        let findings = unmet.take(MAX_FINDINGS).cloned().collect();
        match asked.base {
            Some(base) if asked.rebased => Ok(questioned(findings, &self.files(base, texts)?)),
            _ => Ok(findings),
        }
    }

    pub(super) async fn review(
        &self,
        step: Step,
        asked: ToReview,
        texts: &ContentStore,
    ) -> Result<Executed<ReviewOut>, Stop> {
        if step.attempt > 1
            && let Some(out) = self.changed_since(asked.base, texts)?
        {
            return Ok(Executed::local(out));
        }
        let check = match self.checked(&step, asked.iteration).await? {
            Some(Checking::Cut(cut)) => return Ok(Executed::local(ReviewOut::Cut(cut))),
            Some(Checking::Ran(report)) => Some(report),
            None => None,
        };
        let facts = match self.known().await {
            Ok(facts) => facts,
            Err(error) => return Ok(failed(error)),
        };
        let failing = check.as_ref().and_then(CheckReport::item);
        let known = Known { facts, failing };
        let told = self.told(&asked, &known.all(), texts).map_err(broken)?;
        let request = self.request(step, &asked, told);
        let expected = Asked::of(&request);
        let answer = self.ask(request).await;
        if let Err(error) = &answer
            && matches!(error.failure, Failure::ReviewerWrote { .. })
        {
            return Ok(failed(error.clone()));
        }
        if let Some(out) = self.changed_since(asked.base, texts)? {
            return Ok(Executed::local(out));
        }
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return Ok(failed_within(&asked.allowance, error)),
        };
        let out = match answer.content {
            AnswerContent::Review(review) => self.read_out(review.into(), None, &known, texts)?,
            AnswerContent::NothingChecked { needs } => ReviewOut::NothingChecked { needs },
            AnswerContent::Text(bytes) => {
                let read = self.read(&bytes, &expected);
                let hash = texts.put(bytes);
                match read {
                    Ok(answered) => self.read_out(answered, Some(hash), &known, texts)?,
                    Err(SchemaError {
                        code: Some(code),
                        message,
                        ..
                    }) => ReviewOut::Failed(AgentError {
                        usage: answer.usage,
                        session: answer.session.clone(),
                        ..refusal(code, &message)
                    }),
                    Err(error) => ReviewOut::Malformed {
                        field: error.field.to_string(),
                        message: error.message.to_string(),
                        answer: hash,
                    },
                }
            }
        };
        let out = with_check(out, check.as_ref(), texts)?;
        Ok(executed(out, answer.by, answer.session, answer.usage))
    }

    /// What the check of the project says, which is run once in a round.
    async fn checked(&self, step: &Step, iteration: u32) -> Result<Option<Checking>, Stop> {
        let Some(check) = self.check else {
            return Ok(None);
        };
        let known = || self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let report = known().clone();
        if let Some((_, report)) = report.filter(|(round, _)| *round == iteration) {
            return Ok(Some(Checking::Ran(report)));
        }
        let checking = check.check(step).await?;
        if let Checking::Ran(report) = &checking {
            *known() = Some((iteration, report.clone()));
        }
        Ok(Some(checking))
    }

    /// A review that was read from `answer`, if it was written, in the light of
    /// what is known.
    fn read_out(
        &self,
        answered: Answered,
        answer: Option<Hash>,
        known: &Known,
        texts: &ContentStore,
    ) -> Result<ReviewOut, Stop> {
        let Answered {
            review,
            repairs,
            acks,
            escalated,
        } = answered;
        let has_ids = review.feedback().iter().any(|item| item.id().is_some());
        let contradiction = Contradiction::of(&review, self.fail_level, answer);
        let review = match contradiction {
            Some(_) => review.as_revision(),
            None => review,
        };
        let Checked { review, overruled } = Checked::new(review, &known.facts);
        let review = review.revised(known.failing.iter().cloned().collect());
        let json = serde_json::to_vec(&review).map_err(broken)?;
        Ok(ReviewOut::Read(ReadReview {
            verdict: review.verdict(),
            scores: review.score().clone(),
            items: count(review.feedback().len()),
            review: texts.put(json),
            repairs: count(repairs),
            has_ids,
            acks,
            check: None,
            overruled: count(overruled),
            proved: count(known.blocking()),
            contradiction,
            escalated,
        }))
    }
}

/// What is known of the artifact before its review.
struct Known {
    facts: Vec<Fact>,
    /// What is to be changed because the check of the project fails.
    failing: Option<FeedbackItem>,
}

impl Known {
    /// All of it as facts.
    fn all(&self) -> Vec<Fact> {
        let failing = self.failing.iter().map(|item| Fact {
            item: item.clone(),
            blocks: true,
        });
        failing.chain(self.facts.iter().cloned()).collect()
    }

    /// How many items of a review are facts: they come first.
    fn blocking(&self) -> usize {
        let blocking = self.facts.iter().filter(|fact| fact.blocks);
        blocking.count() + usize::from(self.failing.is_some())
    }
}

/// Findings as a reviewer is asked about them after a user changed the artifact.
fn questioned(findings: Vec<Finding>, files: &[FileSections]) -> Vec<Finding> {
    let asked = findings.into_iter().map(|mut finding| {
        if finding.status.counts() && text_at(&finding.place, files) != finding.place.text {
            finding.status = FindingStatus::Open;
            finding.history.push(FindingChange {
                round: finding.raised.last().copied().unwrap_or_default(),
                status: FindingStatus::Open,
                why: Some("a user changed the text there: see whether it is still so".into()),
                by: None,
                inferred: false,
            });
        }
        finding
    });
    asked.collect()
}

/// An output with what the check of the project said, where it is a review.
fn with_check(
    out: ReviewOut,
    report: Option<&CheckReport>,
    texts: &ContentStore,
) -> Result<ReviewOut, Stop> {
    match (out, report) {
        (ReviewOut::Read(read), Some(report)) => Ok(ReviewOut::Read(ReadReview {
            check: Some(CheckResult {
                passed: report.passed(),
                report: texts.put(serde_json::to_vec(report).map_err(broken)?),
            }),
            ..read
        })),
        (out, _) => Ok(out),
    }
}

/// The rounds before, as a reviewer is told of them: the last ones, as far as
/// there is room.
fn past_rounds(
    history: &[PastReview],
    texts: &ContentStore,
) -> Result<Vec<PastRound>, MissingText> {
    let mut room = MAX_HISTORY;
    let mut rounds = Vec::new();
    for past in history.iter().rev() {
        let review: Arc<Review> = texts.value(&past.review)?;
        let items = items_of_review(texts, &review, past, &Besides::default())?;
        let decisions = past.decisions.map(|hash| texts.value(&hash));
        let mut feedback = past_items(&items, &decisions.transpose()?.unwrap_or_default());
        let fitting = feedback.iter().take_while(|past| {
            let left = room.checked_sub(size(&past.item));
            room = left.unwrap_or(0);
            left.is_some()
        });
        let fitting = fitting.count();
        feedback.truncate(fitting);
        rounds.extend(Iteration::new(past.iteration).map(|iteration| PastRound {
            iteration,
            verdict: review.verdict(),
            feedback,
        }));
    }
    rounds.reverse();
    Ok(rounds)
}

/// What a follow-up says, if the review is one.
fn follow_up(asked: &ToReview, texts: &ContentStore) -> Result<Option<FollowUp>, MissingText> {
    let Some(conversation) = asked.conversation.clone() else {
        return Ok(None);
    };
    let Conversation {
        session,
        iteration,
        used,
    } = conversation;
    let last = asked.history.last();
    let review = last.map(|last| texts.value(&last.review)).transpose()?;
    let review: Option<Arc<Review>> = review;
    let items = review.iter().flat_map(|review| review.feedback());
    let decisions = last.and_then(|last| last.decisions);
    let decisions: Option<Arc<Decisions>> = decisions.map(|hash| texts.value(&hash)).transpose()?;
    let iteration = Iteration::new(iteration).and_then(Iteration::next);
    Ok(iteration.map(|iteration| FollowUp {
        session,
        iteration,
        applied_feedback: decisions
            .unwrap_or_default()
            .reported(items.filter_map(FeedbackItem::id)),
        used,
    }))
}
