//! Matches a round with the findings of earlier rounds.

use std::sync::Arc;

use review_types::{Decisions, FeedbackItems, Manifest, ReasonCode, Review};

use super::LoopExecutor;
use crate::agent::{Applier, Reviewer};
use crate::ledger::{Answer, FileSections, Ledger, ReviewedRound, match_findings};
use crate::people::user_decisions;
use crate::review_loop::load::load_comments;
use crate::review_loop::op::{BaseState, LedgerArgs, LedgerUpdate, PastReview, ReviewOut};
use review_flow::{ContentStore, MissingContent};

impl<R: Reviewer, A: Applier> LoopExecutor<'_, R, A> {
    /// Matches a round with the earlier findings, and stores the ledger.
    pub(super) fn update_ledger(
        &self,
        asked: &LedgerArgs,
        texts: &ContentStore,
    ) -> Result<ReviewOut, MissingContent> {
        let review: Arc<Review> = texts.value(&asked.round.review)?;
        let comments = load_comments(texts, asked.people)?;
        let ledger: Option<Arc<Ledger>> =
            asked.ledger.map(|hash| texts.value(&hash)).transpose()?;
        let (ledger, round) = match_findings(
            ledger.map(Arc::unwrap_or_clone).unwrap_or_default(),
            &ReviewedRound {
                iteration: asked.round.iteration,
                verdict: review.verdict(),
                passed: asked.passed,
                scores_pass: asked.scores_pass,
                fail_level: self.config.fail_level,
                items: &FeedbackItems::numbered(review.feedback().to_vec()),
                answers: &answers(asked.before.as_ref(), texts)?,
                user_decisions: &user_decisions(&comments, asked.noted as usize),
                files: &self.files(asked.base, texts)?,
                proved: asked.proved as usize,
                rebased: asked.rebased,
                memory: &self.config.memory,
            },
        );
        let counts = ledger.counts();
        let json = serde_json::to_vec(&ledger).map_err(|error| MissingContent::Damaged {
            hash: asked.round.review,
            message: error.to_string(),
        })?;
        Ok(ReviewOut::Ledger(LedgerUpdate {
            ledger: texts.put(json),
            counts,
            round,
        }))
    }

    /// Returns the files of a state of the artifact with their sections.
    pub(super) fn files(
        &self,
        base: BaseState,
        texts: &ContentStore,
    ) -> Result<Vec<FileSections>, MissingContent> {
        let manifest: Arc<Manifest> = texts.value(&base.manifest)?;
        let scope = self.config.scope.map(|hash| texts.value(&hash));
        let scope: Option<Arc<Manifest>> = scope.transpose()?;
        let files = manifest.files().iter().map(|file| {
            let text = texts.get(&file.hash)?;
            let artifact = self.parts.artifact;
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
