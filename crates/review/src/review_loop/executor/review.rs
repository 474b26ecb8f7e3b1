//! Calls the reviewer, and parses its answer.

use std::num::NonZeroU32;
use std::sync::{Arc, PoisonError};

use review_events::{AnswerRemark, CheckReport};
use review_schema::SchemaError;
use review_schema::actionable::ActionableFeedback;
use review_types::{
    AgentError, Decisions, Failure, FeedbackItem, Finding, FindingChange, FindingStatus, Hash,
    Manifest, PastRound, Review, Score,
};

use super::{LoopExecutor, broken, executed, failed, failed_within, put_json, retry_with_tail};
use crate::agent::{AnswerContent, Applier, FollowUp, ReviewRequest, Reviewer};
use crate::check::CheckOutcome;
use crate::count;
use crate::delivery::{PromptSent, Undelivered, end_mark};
use crate::facts::Fact;
use crate::feedback::ExtraItems;
use crate::ledger::{FileSections, Ledger, text_at};
use crate::pass::{Settled, settle};
use crate::people::guidance;
use crate::review_loop::answer::{Expected, ParsedAnswer, refusal};
use crate::review_loop::items::{items_of_review, past_items, size};
use crate::review_loop::load::load_comments;
use crate::review_loop::op::{
    BaseState, CheckResult, Conversation, PastReview, ReadReview, RetryOf, ReviewArgs, ReviewOut,
};
use crate::wording::{EarlierReview, VagueAnswer, with_earlier};
use review_flow::{ContentStore, Executed, MissingContent, Nonce, Step, Stop, session_id, step_id};

/// Maximum number of bytes of feedback in the history of a request.
const MAX_HISTORY: usize = 64 * 1024;

/// Maximum number of findings in a request.
const MAX_FINDINGS: usize = 64;

impl<R: Reviewer, A: Applier> LoopExecutor<'_, R, A> {
    /// Returns the request of a review without what came before it.
    pub(in crate::review_loop) fn request(
        &self,
        step: Step,
        asked: &ReviewArgs,
        facts: Vec<Fact>,
    ) -> ReviewRequest {
        let reviewer = usize::try_from(asked.reviewer).unwrap_or(usize::MAX);
        ReviewRequest {
            criteria: self.config.criteria.clone(),
            iteration: asked.iteration,
            reviewer: asked.reviewer,
            dialect: self.config.dialect(reviewer),
            review_id: step_id(&self.seed, &step.name, "review_id"),
            end_id: end_mark(&step_id(&self.seed, &step.name, "end_id")),
            nonce: Nonce::new(&self.seed, &step.name, "artifact"),
            session_id: session_id(&self.seed, &step.name, step.attempt, "session"),
            facts,
            history: self.config.history.clone(),
            memory_key: self.config.memory.key.clone(),
            allowance: asked.allowance,
            fail_level: self.config.fail_level,
            unproved_left: asked.unproved_left,
            step,
            ..ReviewRequest::new(&self.config.subject)
        }
    }

    /// Returns the facts about the current artifact.
    pub(in crate::review_loop) async fn known(&self) -> Result<Vec<Fact>, AgentError> {
        match self.parts.facts {
            Some(finder) => finder.facts().await,
            None => Ok(Vec::new()),
        }
    }

    /// Adds what came before a review to its request.
    fn add_context(
        &self,
        request: &mut ReviewRequest,
        asked: &ReviewArgs,
        texts: &ContentStore,
    ) -> Result<(), MissingContent> {
        let retry = asked.retry.as_ref();
        let retry = retry.map(|retry| retry_with_tail(retry, texts));
        request.retry = retry.transpose()?;
        request.history.extend(past_rounds(&asked.history, texts)?);
        request.findings = self.known_findings(asked, texts)?;
        request.follow_up = follow_up(asked, texts)?;
        request.guidance = guidance(&load_comments(texts, asked.comments)?);
        Ok(())
    }

    /// Returns the findings for a reviewer: those that are not fixed, and those that a
    /// user waived. A finding whose text a user changed is marked as an open
    /// question.
    fn known_findings(
        &self,
        asked: &ReviewArgs,
        texts: &ContentStore,
    ) -> Result<Vec<Finding>, MissingContent> {
        let ledger = asked.ledger.map(|hash| texts.value(&hash)).transpose()?;
        let ledger: Arc<Ledger> = ledger.unwrap_or_default();
        let findings = ledger.latest().into_iter();
        let is_gone = |status| matches!(status, FindingStatus::Fixed | FindingStatus::Reworded);
        let unmet = findings.filter(|finding| !is_gone(finding.status));
        let findings = unmet.take(MAX_FINDINGS).cloned().collect();
        match asked.base {
            Some(base) if asked.rebased => Ok(questioned(findings, &self.files(base, texts)?)),
            _ => Ok(findings),
        }
    }

    pub(super) async fn review(
        &self,
        step: Step,
        asked: ReviewArgs,
        texts: &ContentStore,
    ) -> Result<Executed<ReviewOut>, Stop> {
        if step.attempt > 1
            && let Some(out) = self.changed_since(asked.base, texts)?
        {
            return Ok(Executed::local(out));
        }
        let check = match self.checked(&step, asked.iteration).await? {
            Some(CheckOutcome::Cut(cut)) => return Ok(Executed::local(ReviewOut::Cut(cut))),
            Some(CheckOutcome::Ran(report)) => Some(report),
            None => None,
        };
        let facts = match self.known().await {
            Ok(facts) => facts,
            Err(error) => return Ok(failed(error)),
        };
        let known = KnownFacts { facts, check };
        let mut request = self.request(step, &asked, known.all());
        self.add_context(&mut request, &asked, texts)
            .map_err(broken)?;
        let expected = Expected::of(&request, self.paths(asked.base, texts)?);
        let answer = self.reviewer.review(request).await;
        if let Err(error) = &answer
            && matches!(error.failure, Failure::WroteFiles { .. })
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
            AnswerContent::Review(review) => {
                ReviewOut::Read(self.read_out(review.into(), None, &asked, &known, texts)?)
            }
            AnswerContent::NothingChecked { needs } => ReviewOut::NothingChecked { needs },
            AnswerContent::Text(bytes) => {
                let receiver = answer.sent.map(|sent| sent.receiver);
                let read = expected.read(&bytes, receiver);
                let end_mark = read.as_ref().ok().and_then(|read| read.end_mark.as_ref());
                let end_id = &expected.request.end_id;
                let undelivered = answer
                    .sent
                    .and_then(|sent| Undelivered::of(sent, end_mark, end_id));
                let left_unread = answer.sent.and_then(PromptSent::left_unread);
                let hash = texts.put(bytes);
                match read {
                    Ok(answered) => ReviewOut::Read(ReadReview {
                        undelivered,
                        left_unread,
                        ..self.read_out(answered, Some(hash), &asked, &known, texts)?
                    }),
                    Err(SchemaError {
                        code: Some(code),
                        message,
                        ..
                    }) => ReviewOut::Failed(AgentError {
                        usage: answer.usage,
                        session: answer.session.clone(),
                        ..refusal(&code, &message)
                    }),
                    Err(error) => ReviewOut::Malformed {
                        answer: RetryOf {
                            field: error.field.to_string(),
                            message: error.message,
                            answer: hash,
                        },
                        undelivered,
                    },
                }
            }
        };
        Ok(executed(out, answer.by, answer.session, answer.usage))
    }

    /// Returns the paths of the artifact, where it is tracked.
    fn paths(&self, base: Option<BaseState>, texts: &ContentStore) -> Result<Vec<String>, Stop> {
        let Some(base) = base else {
            return Ok(Vec::new());
        };
        let manifest: Arc<Manifest> = texts.value(&base.manifest).map_err(broken)?;
        let files = manifest.files().iter();
        Ok(files.map(|file| file.path.to_string()).collect())
    }

    /// Returns the result of the check of the project, which runs once in a round.
    pub(super) async fn checked(
        &self,
        step: &Step,
        iteration: u32,
    ) -> Result<Option<CheckOutcome>, Stop> {
        let Some(check) = self.parts.check else {
            return Ok(None);
        };
        let known = || self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let report = known().clone();
        if let Some((_, report)) = report.filter(|(round, _)| *round == iteration) {
            return Ok(Some(CheckOutcome::Ran(report)));
        }
        let checking = check.check(step).await?;
        if let CheckOutcome::Ran(report) = &checking {
            *known() = Some((iteration, report.clone()));
        }
        Ok(Some(checking))
    }

    /// Returns a review, parsed from `answer` if that is given, after its check against
    /// the facts.
    fn read_out(
        &self,
        answered: ParsedAnswer,
        answer: Option<Hash>,
        asked: &ReviewArgs,
        known: &KnownFacts,
        texts: &ContentStore,
    ) -> Result<ReadReview, Stop> {
        let ParsedAnswer {
            review,
            repairs,
            acks,
            escalated,
            document,
            end_mark: _,
            doubt,
        } = answered;
        let review = match asked.earlier {
            Some(EarlierReview {
                review: hash,
                proved,
            }) => {
                let earlier: Arc<Review> = texts.value(&hash).map_err(broken)?;
                with_earlier(review, &earlier, proved as usize)
            }
            None => review,
        };
        let has_ids = review.feedback().iter().any(|item| item.id().is_some());
        let Settled {
            review,
            contradicted,
            proved,
        } = settle(
            review,
            self.config.fail_level,
            &known.facts,
            known.failing().as_ref(),
        );
        let repaired = (repairs > 0).then(|| AnswerRemark::Repaired(count(repairs)));
        let document = document.map(|document| {
            let stored = put_json(texts, &document)?;
            Ok::<_, Stop>((overall(&document), stored))
        });
        let (overall, document) = document.transpose()?.unzip();
        let reviewer = usize::try_from(asked.reviewer).unwrap_or(usize::MAX);
        let dialect = self.config.dialect(reviewer);
        let vague = answer.and_then(|answer| VagueAnswer::of(&review, proved, dialect, answer));
        let check = known.check.as_ref().map(|report| {
            Ok::<_, Stop>(CheckResult {
                passed: report.passed(),
                report: put_json(texts, report)?,
            })
        });
        Ok(ReadReview {
            verdict: review.verdict(),
            scores: review.score().clone(),
            overall,
            items: count(review.feedback().len()),
            review: put_json(texts, &review)?,
            answer,
            undelivered: None,
            left_unread: None,
            doubt,
            remarks: repaired.into_iter().chain(contradicted).collect(),
            has_ids,
            acks,
            check: check.transpose()?,
            proved: count(proved),
            vague,
            document,
            escalated,
        })
    }
}

/// Returns the overall score of a document, from 0 to 100.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a number from 0 to 1, times 100"
)]
fn overall(document: &ActionableFeedback) -> Score {
    let percent = (document.overall_assessment.score.get() * 100.0).round();
    Score::new(percent as i64).unwrap_or(Score::MAX)
}

/// The known facts about the artifact before its review.
struct KnownFacts {
    facts: Vec<Fact>,
    /// The result of the check of the project.
    check: Option<CheckReport>,
}

impl KnownFacts {
    /// Returns the feedback for a failing check of the project.
    fn failing(&self) -> Option<FeedbackItem> {
        self.check.as_ref()?.item()
    }

    /// Returns all facts, including the failing check.
    fn all(&self) -> Vec<Fact> {
        let failing = self.failing().map(|item| Fact { item, blocks: true });
        failing
            .into_iter()
            .chain(self.facts.iter().cloned())
            .collect()
    }
}

/// Returns findings marked for a check by the reviewer after a user changed the artifact.
fn questioned(findings: Vec<Finding>, files: &[FileSections]) -> Vec<Finding> {
    let asked = findings.into_iter().map(|mut finding| {
        if finding.status.counts() && text_at(&finding.place, files) != finding.place.text {
            finding.status = FindingStatus::Open;
            finding.history.push(FindingChange {
                round: finding.raised.last().copied().unwrap_or_default(),
                status: FindingStatus::Open,
                why: Some(
                    "a user changed the artifact there: check whether this still applies".into(),
                ),
                reason_code: None,
                by: None,
                inferred: false,
            });
        }
        finding
    });
    asked.collect()
}

/// Returns the previous rounds for a reviewer: the most recent ones, within the
/// maximum size.
fn past_rounds(
    history: &[PastReview],
    texts: &ContentStore,
) -> Result<Vec<PastRound>, MissingContent> {
    let mut room = MAX_HISTORY;
    let mut rounds = Vec::new();
    for past in history.iter().rev() {
        let review: Arc<Review> = texts.value(&past.review)?;
        let items = items_of_review(texts, &review, past, &ExtraItems::default())?;
        let decisions = past.decisions.map(|hash| texts.value(&hash));
        let mut feedback = past_items(&items, &decisions.transpose()?.unwrap_or_default());
        let fitting = feedback.iter().take_while(|past| {
            let left = room.checked_sub(size(&past.item));
            room = left.unwrap_or(0);
            left.is_some()
        });
        let fitting = fitting.count();
        feedback.truncate(fitting);
        rounds.extend(NonZeroU32::new(past.iteration).map(|iteration| PastRound {
            iteration,
            verdict: review.verdict(),
            feedback,
        }));
    }
    rounds.reverse();
    Ok(rounds)
}

/// Returns the follow-up, if the review is one.
fn follow_up(asked: &ReviewArgs, texts: &ContentStore) -> Result<Option<FollowUp>, MissingContent> {
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
    let iteration = NonZeroU32::new(iteration).and_then(|number| number.checked_add(1));
    let ledger: Option<Arc<Ledger>> = asked.ledger.map(|hash| texts.value(&hash)).transpose()?;
    let decisions = decisions.unwrap_or_default();
    Ok(iteration.map(|iteration| FollowUp {
        session,
        iteration,
        applied_feedback: decisions.reported(items.filter_map(FeedbackItem::id), |id| {
            ledger.as_ref()?.decided_before(id)
        }),
        used,
    }))
}
