//! Joins a round with the findings of earlier rounds.

use std::sync::Arc;

use review_types::{Decisions, FeedbackItems, Hash, Manifest, ReasonCode, Review};

use super::{LoopExecutor, broken, count};
use crate::agent::{Applier, Reviewer};
use crate::ledger::{
    Answer, CheckResults, FileSections, FindingDecision, JoinInput, Ledger, add_quoted, join,
};
use crate::people::user_decisions;
use crate::review_loop::load::load_comments;
use crate::review_loop::op::{BaseState, JoinArgs, Joined, PastReview, ReviewOut};
use review_flow::{ContentStore, MissingContent, Stop};

/// Maximum number of findings in the result for the machine.
const MAX_NAMED: usize = 16;

/// What the join of a round needs.
pub(super) struct JoinParts {
    pub(super) review: Arc<Review>,
    pub(super) ledger: Arc<Ledger>,
    pub(super) files: Vec<FileSections>,
    answers: Vec<Answer>,
    user_decisions: Vec<FindingDecision>,
    checks: Arc<CheckResults>,
}

impl<R: Reviewer, A: Applier> LoopExecutor<'_, R, A> {
    /// Joins a round with the earlier findings, and stores the ledger.
    pub(super) fn join(&self, asked: &JoinArgs, texts: &ContentStore) -> Result<ReviewOut, Stop> {
        self.joined(asked, texts).map_err(broken)
    }

    fn joined(&self, asked: &JoinArgs, texts: &ContentStore) -> Result<ReviewOut, MissingContent> {
        let parts = self.join_parts(asked, texts)?;
        let items = FeedbackItems::numbered(parts.review.feedback().to_vec());
        let joining = match asked.unread {
            true => add_quoted,
            false => join,
        };
        let input = self.join_input(asked, &parts, &items, &parts.checks);
        let (ledger, came_of) = joining((*parts.ledger).clone(), &input);
        Ok(ReviewOut::Joined(Joined {
            ledger: put(texts, &ledger, asked.round.review)?,
            counts: ledger.counts(),
            blocking: count(came_of.blocking.len()),
            unproved: count(came_of.unproved),
            confirmed: count(ledger.confirmed().count()),
            below_fail_level: count(came_of.below_fail_level),
            quotes: came_of.quotes,
            only_below: came_of.only_below,
            settled: came_of.settled,
            closed: count(came_of.closed),
            disputed: first(came_of.disputed),
            upheld: first(came_of.upheld),
            repeated: first(came_of.repeated),
            waived_by: first(came_of.waived_by),
        }))
    }

    /// Loads what the join of a round needs.
    pub(super) fn join_parts(
        &self,
        asked: &JoinArgs,
        texts: &ContentStore,
    ) -> Result<JoinParts, MissingContent> {
        let comments = load_comments(texts, asked.people)?;
        let ledger = asked.ledger.map(|hash| texts.value(&hash)).transpose()?;
        let checks = asked.checks.map(|hash| texts.value(&hash)).transpose()?;
        Ok(JoinParts {
            review: texts.value(&asked.round.review)?,
            ledger: ledger.unwrap_or_default(),
            answers: answers(asked.before.as_ref(), texts)?,
            user_decisions: user_decisions(&comments, asked.noted as usize),
            files: self.files(asked.base, texts)?,
            checks: checks.unwrap_or_default(),
        })
    }

    /// Returns the round of a join with these items and results of checks.
    pub(super) fn join_input<'p>(
        &'p self,
        asked: &JoinArgs,
        parts: &'p JoinParts,
        items: &'p FeedbackItems,
        checks: &'p CheckResults,
    ) -> JoinInput<'p> {
        JoinInput {
            iteration: asked.round.iteration,
            verdict: parts.review.verdict(),
            passed: asked.passed,
            scores_pass: asked.scores_pass,
            fail_level: self.fail_level,
            evidence: self.evidence,
            items,
            answers: &parts.answers,
            user_decisions: &parts.user_decisions,
            files: &parts.files,
            proved: asked.proved as usize,
            checks,
            rebased: asked.rebased,
            memory: &self.memory,
        }
    }

    /// Returns the reviewed files with their sections.
    pub(super) fn files(
        &self,
        base: BaseState,
        texts: &ContentStore,
    ) -> Result<Vec<FileSections>, MissingContent> {
        let manifest: Arc<Manifest> = texts.value(&base.manifest)?;
        let scope = self.scope.map(|hash| texts.value(&hash));
        let scope: Option<Arc<Manifest>> = scope.transpose()?;
        let files = manifest.files().iter().map(|file| {
            let text = texts.get(&file.hash)?;
            let artifact = self.artifact;
            let sections = artifact.map(|artifact| artifact.sections(&file.path, &text));
            let sections = sections.unwrap_or_default().into_iter();
            let sections = sections.map(|section| (section.headings, section.span));
            let sections = FileSections::new(&file.path, text, sections);
            let Some(scope) = &scope else {
                return Ok(sections);
            };
            let base = scope.get(&file.path).map(|file| texts.get(&file.hash));
            Ok(sections.since(&base.transpose()?.unwrap_or_default()))
        });
        files.collect()
    }
}

/// Returns the decisions on the items of the previous round.
fn answers(
    before: Option<&PastReview>,
    texts: &ContentStore,
) -> Result<Vec<Answer>, MissingContent> {
    let decisions = before.and_then(|before| before.decisions);
    let decisions = decisions.map(|hash| texts.value(&hash));
    let decisions: Arc<Decisions> = decisions.transpose()?.unwrap_or_default();
    let answers = decisions.as_slice().iter().map(|taken| {
        let decision = &taken.decision;
        let code = decision.reason_code();
        Answer {
            id: decision.id().clone(),
            status: decision.status(),
            why: decision
                .explanation()
                .or(code.map(ReasonCode::as_str))
                .map(str::to_owned),
            reason_code: code.cloned(),
            inferred: taken.inferred,
        }
    });
    Ok(answers.collect())
}

fn put(texts: &ContentStore, ledger: &Ledger, about: Hash) -> Result<Hash, MissingContent> {
    let json = serde_json::to_vec(ledger).map_err(|error| MissingContent::Damaged {
        hash: about,
        message: error.to_string(),
    })?;
    Ok(texts.put(json))
}

fn first<T>(mut named: Vec<T>) -> Vec<T> {
    named.truncate(MAX_NAMED);
    named
}
