//! Carries out the steps of the review machine with a reviewer and an applier.

use std::collections::BTreeSet;

use review_events::Seed;
use review_schema::SchemaError;
use review_types::afp::{Areas, Decisions, Iteration, PastRound};
use review_types::{AgentError, Failure, Finding, FindingStatus, Hash, Manifest, ModelId, Usage};

use super::answer::{AnswerReader, Answered, Asked, refusal};
use super::config::{LoopConfig, Subject};
use super::joining::{ToJoin, load_said};
use super::machine::ReviewMachine;
use super::notice::{items_of, load_json, load_review, past_items, size, tail};
use super::op::{BaseState, Conversation, Decided, News, PastReview, RetryOf, ReviewOp, ReviewOut};
use crate::agent::{
    AnswerContent, Applier, ApplyReport, ApplyRequest, FollowUp, Malformed, Retry, ReviewAnswer,
    ReviewRequest, Reviewer,
};
use crate::artifact::{Artifact, Snapshot};
use crate::budget::Allowance;
use crate::decided::{self, FileVersions};
use crate::engine::{Executed, Executor, Halt, MissingText, Step, Texts, nonce, session_id};
use crate::facts::{Checked, Fact, FactFinder};
use crate::feedback::Besides;
use crate::ledger::Ledger;
use crate::people::{Heard, Inbox, Said, guidance};

/// Bytes of the feedback of all rounds before that a reviewer is told.
const MAX_HISTORY: usize = 64 * 1024;

/// Bytes of a malformed answer that go back to the reviewer.
const RETRY_TAIL: usize = 2 * 1024;

/// A reviewer is told of at most so many findings.
const MAX_FINDINGS: usize = 64;

/// Which review is asked for, and of whom.
#[derive(Default)]
pub(super) struct Wanted {
    /// Number of the round, from 1.
    pub(super) iteration: u32,
    /// Position of the reviewer in the chain, from 0.
    pub(super) reviewer: u32,
    /// The answer before, if it was malformed.
    pub(super) retry: Option<RetryOf>,
    /// The last rounds before, in order.
    pub(super) history: Vec<PastReview>,
    /// Hash of the ledger of findings, if there is one.
    pub(super) ledger: Option<Hash>,
    /// What the call may consume.
    pub(super) allowance: Allowance,
    /// The session to go on in.
    pub(super) conversation: Option<Conversation>,
    /// Hash of what persons said, if they did.
    pub(super) people: Option<Hash>,
}

/// What a reviewer is told beside what it is asked.
#[derive(Default)]
pub(super) struct Told {
    pub(super) retry: Option<Retry>,
    pub(super) facts: Vec<Fact>,
    pub(super) history: Vec<PastRound>,
    pub(super) findings: Vec<Finding>,
    pub(super) follow_up: Option<FollowUp>,
    pub(super) guidance: Vec<String>,
}

/// Which feedback is to be applied.
struct Feedback {
    past: PastReview,
    besides: Besides,
    /// The answer before, if it was malformed.
    retry: Option<RetryOf>,
    /// What the call may consume.
    allowance: Allowance,
}

/// Carries out the steps of one review loop.
pub struct LoopExecutor<'a, R, A> {
    reviewer: R,
    applier: A,
    subject: Subject,
    answers: AnswerReader,
    criteria: review_criteria::Criteria,
    seed: Seed,
    /// Rounds that somebody else had before.
    history: Vec<PastRound>,
    artifact: Option<&'a dyn Artifact>,
    facts: Option<&'a dyn FactFinder>,
    inbox: Option<&'a dyn Inbox>,
}

impl<'a, R: Reviewer, A: Applier> LoopExecutor<'a, R, A> {
    /// An executor for the loop of `config`, whose ids derive from `seed`.
    /// Without an `artifact` nobody notices that it changes.
    #[must_use]
    pub fn new(
        config: &LoopConfig,
        seed: Seed,
        reviewer: R,
        applier: A,
        artifact: Option<&'a dyn Artifact>,
    ) -> Self {
        Self {
            reviewer,
            applier,
            subject: (*config.subject).clone(),
            answers: AnswerReader::new(config),
            criteria: config.criteria.clone(),
            history: config.history.clone(),
            seed,
            artifact,
            facts: None,
            inbox: None,
        }
    }

    /// Hears what persons say through `inbox`.
    #[must_use]
    pub fn with_inbox(self, inbox: &'a dyn Inbox) -> Self {
        Self {
            inbox: Some(inbox),
            ..self
        }
    }

    /// Tells the reviewer what `facts` finds out, and counts no pass against a
    /// fact that blocks.
    #[must_use]
    pub fn with_facts(self, facts: Option<&'a dyn FactFinder>) -> Self {
        Self { facts, ..self }
    }

    pub(super) fn request(&self, step: Step, wanted: &Wanted, told: Told) -> ReviewRequest {
        ReviewRequest {
            feature: self.subject.feature.clone(),
            prd_path: self.subject.prd_path.clone(),
            specs_path: self.subject.specs_path.clone(),
            criteria: self.criteria.clone(),
            iteration: wanted.iteration,
            reviewer: wanted.reviewer,
            dialect: self.answers.dialect(wanted.reviewer),
            review_id: nonce(&self.seed, &step.name, "review_id"),
            nonce: nonce(&self.seed, &step.name, "artifact"),
            session_id: session_id(&self.seed, &step.name, step.attempt, "session"),
            retry: told.retry,
            facts: told.facts,
            history: told.history,
            findings: told.findings,
            allowance: wanted.allowance,
            follow_up: told.follow_up,
            guidance: told.guidance,
            step,
        }
    }

    /// What is known of the artifact as it is now.
    pub(super) async fn known(&self) -> Result<Vec<Fact>, AgentError> {
        match self.facts {
            Some(finder) => finder.facts().await,
            None => Ok(Vec::new()),
        }
    }

    pub(super) async fn ask(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        self.reviewer.review(request).await
    }

    /// Reads the text of an answer.
    pub(super) fn read(&self, answer: &[u8], asked: &Asked) -> Result<Answered, SchemaError> {
        self.answers.read(answer, asked)
    }

    /// What a reviewer is told of the rounds before.
    fn history(&self, wanted: &Wanted, texts: &Texts) -> Result<Vec<PastRound>, MissingText> {
        let mut history = self.history.clone();
        history.extend(past_rounds(&wanted.history, texts)?);
        Ok(history)
    }

    async fn review(
        &self,
        step: Step,
        mut wanted: Wanted,
        base: Option<BaseState>,
        texts: &Texts,
    ) -> Result<Executed<ReviewOut>, Halt> {
        if step.attempt > 1
            && let Some(out) = self.changed_since(base, texts)?
        {
            return Ok(Executed::local(out));
        }
        let retry = wanted.retry.take();
        let retry = retry
            .map(|retry| retry_with_tail(retry, texts))
            .transpose()?;
        let facts = match self.known().await {
            Ok(facts) => facts,
            Err(error) => return Ok(failed(error)),
        };
        let told = Told {
            retry,
            facts: facts.clone(),
            history: self.history(&wanted, texts).map_err(broken)?,
            findings: known_findings(wanted.ledger, texts).map_err(broken)?,
            follow_up: follow_up(&wanted, texts).map_err(broken)?,
            guidance: guidance(load_said(wanted.people, texts).map_err(broken)?),
        };
        let request = self.request(step, &wanted, told);
        let asked = Asked::of(&request);
        let answer = self.ask(request).await;
        if let Err(error) = &answer
            && matches!(error.failure, Failure::ReviewerWrote { .. })
        {
            return Ok(failed(error.clone()));
        }
        if let Some(out) = self.changed_since(base, texts)? {
            return Ok(Executed::local(out));
        }
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return Ok(failed_within(&wanted.allowance, error)),
        };
        let out = match answer.content {
            AnswerContent::Review(review) => read_out(review.into(), &facts, texts)?,
            AnswerContent::NothingChecked { needs } => ReviewOut::NothingChecked { needs },
            AnswerContent::Text(bytes) => match self.read(&bytes, &asked) {
                Ok(answered) => {
                    texts.put(bytes);
                    read_out(answered, &facts, texts)?
                }
                Err(SchemaError {
                    code: Some(code),
                    message,
                    ..
                }) => {
                    texts.put(bytes);
                    ReviewOut::Failed(AgentError {
                        usage: answer.usage,
                        session: answer.session.clone(),
                        ..refusal(code, &message)
                    })
                }
                Err(error) => ReviewOut::Malformed {
                    field: error.field.to_string(),
                    message: error.message.to_string(),
                    answer: texts.put(bytes),
                },
            },
        };
        Ok(executed(out, answer.by, answer.session, answer.usage))
    }

    async fn apply(
        &self,
        step: Step,
        mut feedback: Feedback,
        base: Option<BaseState>,
        texts: &Texts,
    ) -> Result<Executed<ReviewOut>, Halt> {
        if step.attempt > 1 {
            self.undo(base, texts)?;
        } else if let Some(out) = self.changed_since(base, texts)? {
            return Ok(Executed::local(out));
        }
        let items = items_of(texts, &feedback.past, &feedback.besides).map_err(broken)?;
        let retry = feedback.retry.take();
        let retry = retry
            .map(|retry| retry_with_tail(retry, texts))
            .transpose()?;
        let request = ApplyRequest {
            feature: self.subject.feature.clone(),
            prd_path: self.subject.prd_path.clone(),
            specs_path: self.subject.specs_path.clone(),
            iteration: feedback.past.iteration,
            items,
            nonce: nonce(&self.seed, &step.name, "artifact"),
            session_id: session_id(&self.seed, &step.name, step.attempt, "session"),
            retry,
            allowance: feedback.allowance,
            step,
        };
        match self.applier.apply(request).await {
            Ok(ApplyReport {
                malformed: Some(Malformed { field, message }),
                text,
                by,
                session,
                usage,
                ..
            }) => {
                self.undo(base, texts)?;
                let answer = texts.put(text);
                let out = ReviewOut::Malformed {
                    field,
                    message,
                    answer,
                };
                Ok(executed(out, by, session, usage))
            }
            Ok(report) if !report.strayed.is_empty() => {
                texts.put(report.text);
                self.undo(base, texts)?;
                let paths = report.strayed;
                let out = ReviewOut::Strayed { paths };
                Ok(executed(out, report.by, report.session, report.usage))
            }
            Ok(report) => {
                let after = self
                    .snapshot(Some(texts))?
                    .map(|now| base_state(&now, texts));
                let after = after.transpose()?;
                let out = ReviewOut::Applied {
                    after,
                    decided: self.decided(&feedback, &report.text, (base, after), texts)?,
                };
                texts.put(report.text);
                Ok(executed(out, report.by, report.session, report.usage))
            }
            Err(error) => {
                self.undo(base, texts)?;
                Ok(failed_within(&feedback.allowance, error))
            }
        }
    }

    /// What the applier decided on each item: what its report says, and else
    /// what changed between two states of the artifact.
    fn decided(
        &self,
        feedback: &Feedback,
        report: &[u8],
        states: (Option<BaseState>, Option<BaseState>),
        texts: &Texts,
    ) -> Result<Option<Decided>, Halt> {
        let besides = feedback.besides.without_reminder();
        let items = items_of(texts, &feedback.past, &besides).map_err(broken)?;
        let stated = decided::stated(&items, report);
        let files = match (self.artifact, states) {
            (Some(artifact), (Some(before), Some(after))) if stated.len() < items.len() => {
                Some(versions(artifact, (before, after), texts)?)
            }
            _ => None,
        };
        let taken = decided::decisions(&items, stated, files.as_deref());
        if taken.is_empty() {
            return Ok(None);
        }
        let decisions = Decisions::new(taken).map_err(broken)?;
        let json = serde_json::to_vec(&decisions).map_err(broken)?;
        Ok(Some(Decided {
            decisions: texts.put(json),
            counts: decisions.counts(),
        }))
    }

    /// What persons said since `heard`, added to what was heard before.
    fn listen(&self, heard: Heard, before: Option<Hash>, texts: &Texts) -> Result<News, Halt> {
        let mut said = load_said(before, texts).map_err(broken)?;
        let (new, heard) = match self.inbox {
            Some(inbox) => inbox.read(heard).map_err(broken)?,
            None => (Vec::new(), heard),
        };
        let approved_by = new.iter().find_map(|said| match said {
            Said::Approved { by } => Some(by.clone()),
            Said::Guided { .. } | Said::Settled(_) => None,
        });
        said.extend(new);
        let people = match said.is_empty() {
            true => None,
            false => Some(texts.put(serde_json::to_vec(&said).map_err(broken)?)),
        };
        Ok(News {
            heard,
            people,
            count: u32::try_from(said.len()).unwrap_or(u32::MAX),
            approved_by,
        })
    }

    fn snapshot(&self, texts: Option<&Texts>) -> Result<Option<Snapshot>, Halt> {
        self.artifact
            .map(|artifact| artifact.snapshot(texts))
            .transpose()
            .map_err(|error| Halt::Broken(format!("the artifact cannot be read: {error}")))
    }

    /// The output that ends the run when somebody else changed the artifact.
    fn changed_since(
        &self,
        base: Option<BaseState>,
        texts: &Texts,
    ) -> Result<Option<ReviewOut>, Halt> {
        let Some(base) = base else { return Ok(None) };
        let Some(now) = self.snapshot(None)? else {
            return Ok(None);
        };
        if now.hash == base.artifact {
            return Ok(None);
        }
        let before = manifest(base, texts)?;
        let found = now.manifest.difference(&before);
        Ok(Some(ReviewOut::Changed { found }))
    }

    /// Puts the artifact of a round back, but for files that are not as in any
    /// of the `known` manifests.
    fn put_back(
        &self,
        to: BaseState,
        base: BaseState,
        known: &[Manifest],
        texts: &Texts,
    ) -> Result<ReviewOut, Halt> {
        let (Some(artifact), Some(now)) = (self.artifact, self.snapshot(Some(texts))?) else {
            let (after, left) = (None, Vec::new());
            return Ok(ReviewOut::Restored { after, left });
        };
        let wanted = manifest(to, texts)?;
        let (wanted, left) = if now.hash == base.artifact {
            (wanted, Vec::new())
        } else {
            sparing(&wanted, &now.manifest, known)
        };
        artifact
            .restore(&wanted, texts)
            .map_err(|error| Halt::Broken(format!("the artifact cannot be put back: {error}")))?;
        let after = self.snapshot(Some(texts))?;
        let after = after.map(|now| base_state(&now, texts)).transpose()?;
        Ok(ReviewOut::Restored { after, left })
    }

    /// Puts the artifact back to where the apply started, keeping what is
    /// found as a text.
    fn undo(&self, base: Option<BaseState>, texts: &Texts) -> Result<(), Halt> {
        let (Some(artifact), Some(base)) = (self.artifact, base) else {
            return Ok(());
        };
        let Some(now) = self.snapshot(Some(texts))? else {
            return Ok(());
        };
        if now.hash == base.artifact {
            return Ok(());
        }
        artifact
            .restore(&manifest(base, texts)?, texts)
            .map_err(|error| Halt::Broken(format!("the artifact cannot be put back: {error}")))
    }
}

impl<R: Reviewer, A: Applier> Executor<ReviewMachine> for LoopExecutor<'_, R, A> {
    async fn exec(
        &self,
        step: Step,
        op: ReviewOp,
        texts: &Texts,
    ) -> Result<Executed<ReviewOut>, Halt> {
        match op {
            ReviewOp::Review {
                iteration,
                retry,
                base,
                reviewer,
                history,
                ledger,
                allowance,
                conversation,
                people,
            } => {
                let wanted = Wanted {
                    iteration,
                    reviewer,
                    retry,
                    history,
                    ledger,
                    allowance,
                    conversation,
                    people,
                };
                self.review(step, wanted, base, texts).await
            }
            ReviewOp::Apply {
                iteration,
                review,
                areas,
                below,
                base,
                dropped,
                unchanged,
                retry,
                ledger,
                allowance,
                people,
            } => {
                let besides = Besides {
                    below,
                    dropped,
                    unchanged,
                    people,
                };
                let past = PastReview {
                    iteration,
                    review,
                    areas,
                    decisions: None,
                    ledger,
                };
                let feedback = Feedback {
                    past,
                    besides,
                    retry,
                    allowance,
                };
                self.apply(step, feedback, base, texts).await
            }
            ReviewOp::Inbox { heard, people } => {
                let news = self.listen(heard, people, texts)?;
                Ok(Executed::local(ReviewOut::News(news)))
            }
            ReviewOp::Join {
                round,
                passed,
                before,
                ledger,
                base,
                people,
                noted,
            } => {
                let to_join = ToJoin {
                    round,
                    passed,
                    before,
                    ledger,
                    base,
                    people,
                    noted,
                };
                let joined = to_join.join(self.artifact, texts).map_err(broken)?;
                Ok(Executed::local(joined))
            }
            ReviewOp::Restore { to, base, rounds } => {
                let known = rounds.iter().chain([&base.manifest]);
                let known = known.map(|hash| load_manifest(hash, texts));
                let known = known.collect::<Result<Vec<_>, _>>()?;
                self.put_back(to, base, &known, texts).map(Executed::local)
            }
        }
    }
}

/// The `wanted` manifest with those files as they are `now` that are so in none
/// of the `known` manifests, and the paths of these.
fn sparing(wanted: &Manifest, now: &Manifest, known: &[Manifest]) -> (Manifest, Vec<String>) {
    let is_ours = |path: &str| {
        let hash = |manifest: &Manifest| manifest.get(path).map(|file| file.hash);
        known.iter().any(|manifest| hash(manifest) == hash(now))
    };
    let paths = wanted.files().iter().chain(now.files());
    let paths: BTreeSet<&str> = paths.map(|file| &*file.path).collect();
    let (ours, left): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| is_ours(path));
    let kept = left.iter().filter_map(|path| now.get(path));
    let files = ours.iter().filter_map(|path| wanted.get(path)).chain(kept);
    let left = left.iter().map(|path| (*path).to_owned());
    (files.cloned().collect(), left.collect())
}

/// The state of an artifact for the machine; its manifest becomes a text.
///
/// # Errors
/// [`Halt::Broken`] when the manifest has no JSON form.
pub fn base_state(snapshot: &Snapshot, texts: &Texts) -> Result<BaseState, Halt> {
    let manifest = serde_json::to_vec(&snapshot.manifest).map_err(broken)?;
    Ok(BaseState {
        artifact: snapshot.hash,
        manifest: texts.put(manifest),
    })
}

fn manifest(base: BaseState, texts: &Texts) -> Result<Manifest, Halt> {
    load_manifest(&base.manifest, texts)
}

fn load_manifest(hash: &Hash, texts: &Texts) -> Result<Manifest, Halt> {
    let text = texts.get(hash).map_err(broken)?;
    serde_json::from_slice(&text).map_err(broken)
}

/// The files of the artifact in two states of it.
fn versions(
    artifact: &dyn Artifact,
    (before, after): (BaseState, BaseState),
    texts: &Texts,
) -> Result<Vec<FileVersions>, Halt> {
    let (before, after) = (manifest(before, texts)?, manifest(after, texts)?);
    let text = |manifest: &Manifest, path: &str| match manifest.get(path) {
        Some(file) => texts
            .get(&file.hash)
            .map(|text| text.to_vec())
            .map_err(broken),
        None => Ok(Vec::new()),
    };
    let gone = before.files().iter();
    let gone = gone.filter(|file| after.get(&file.path).is_none());
    let files = after.files().iter().chain(gone).map(|file| {
        let path = file.path.as_str();
        let (old, new) = (text(&before, path)?, text(&after, path)?);
        Ok(FileVersions {
            path: path.to_owned(),
            old_sections: artifact.sections(path, &old),
            new_sections: artifact.sections(path, &new),
            old,
            new,
        })
    });
    files.collect()
}

/// The rounds before, as a reviewer is told of them: the last ones, as far as
/// there is room.
fn past_rounds(history: &[PastReview], texts: &Texts) -> Result<Vec<PastRound>, MissingText> {
    let mut room = MAX_HISTORY;
    let mut rounds = Vec::new();
    for past in history.iter().rev() {
        let review = load_review(texts, &past.review)?;
        let items = items_of(texts, past, &Besides::default())?;
        let decisions = past.decisions.map(|hash| load_json(texts, &hash));
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

/// The findings that a reviewer is told of: those that are not met, and those
/// that a person waived.
fn known_findings(ledger: Option<Hash>, texts: &Texts) -> Result<Vec<Finding>, MissingText> {
    let ledger: Option<Ledger> = ledger.map(|hash| load_json(texts, &hash)).transpose()?;
    let mut findings = ledger.unwrap_or_default().latest();
    findings.retain(|finding| finding.status != FindingStatus::Fixed);
    findings.truncate(MAX_FINDINGS);
    Ok(findings)
}

fn retry_with_tail(retry: RetryOf, texts: &Texts) -> Result<Retry, Halt> {
    let answer = texts.get(&retry.answer).map_err(broken)?;
    Ok(Retry {
        field: retry.field,
        message: retry.message,
        tail: tail(&answer, RETRY_TAIL),
    })
}

/// What a follow-up says, if the review is one.
fn follow_up(wanted: &Wanted, texts: &Texts) -> Result<Option<FollowUp>, MissingText> {
    let Some(Conversation { session, iteration }) = wanted.conversation.clone() else {
        return Ok(None);
    };
    let last = wanted.history.last();
    let areas = last.and_then(|last| last.areas);
    let areas: Option<Areas> = areas.map(|hash| load_json(texts, &hash)).transpose()?;
    let decisions = last.and_then(|last| last.decisions);
    let decisions: Option<Decisions> = decisions.map(|hash| load_json(texts, &hash)).transpose()?;
    let iteration = Iteration::new(iteration).and_then(Iteration::next);
    Ok(iteration.map(|iteration| FollowUp {
        session,
        iteration,
        applied_feedback: decisions
            .unwrap_or_default()
            .reported(&areas.unwrap_or_default()),
    }))
}

fn read_out(answered: Answered, facts: &[Fact], texts: &Texts) -> Result<ReviewOut, Halt> {
    let Answered {
        review,
        repairs,
        areas,
        acks,
        escalated,
    } = answered;
    let Checked { review, overruled } = Checked::new(review, facts);
    let json = serde_json::to_vec(&review).map_err(broken)?;
    let areas = match areas.is_empty() {
        true => None,
        false => Some(texts.put(serde_json::to_vec(&areas).map_err(broken)?)),
    };
    Ok(ReviewOut::Read {
        verdict: review.verdict(),
        scores: review.score().clone(),
        items: u32::try_from(review.feedback().len()).unwrap_or(u32::MAX),
        review: texts.put(json),
        repairs: u32::try_from(repairs).unwrap_or(u32::MAX),
        areas,
        acks,
        overruled: u32::try_from(overruled).unwrap_or(u32::MAX),
        escalated,
    })
}

fn executed(
    out: ReviewOut,
    by: ModelId,
    session: Option<String>,
    usage: Option<Usage>,
) -> Executed<ReviewOut> {
    Executed {
        out,
        by: Some(by),
        session,
        usage,
    }
}

/// A failed call, which a limit of the run has ended when it consumed more than
/// it might.
fn failed_within(allowance: &Allowance, error: AgentError) -> Executed<ReviewOut> {
    let cut = error.usage.and_then(|usage| allowance.cut(&usage));
    let failed = failed(error);
    match cut {
        Some(cut) => Executed {
            out: ReviewOut::Cut(cut),
            ..failed
        },
        None => failed,
    }
}

fn failed(error: AgentError) -> Executed<ReviewOut> {
    let (usage, session) = (error.usage, error.session.clone());
    Executed {
        out: ReviewOut::Failed(error),
        by: None,
        session,
        usage,
    }
}

fn broken(error: impl std::fmt::Display) -> Halt {
    Halt::Broken(error.to_string())
}
