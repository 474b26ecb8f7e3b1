//! Matches a round with the findings of earlier rounds.

use std::sync::Arc;

use review_types::{Decisions, FeedbackItems, Manifest, Review};

use super::{LoopExecutor, broken, put_json};
use crate::agent::{Applier, Reviewer};
use crate::ledger::{FileSections, Ledger, ReviewedRound, match_findings};
use crate::people::user_decisions;
use crate::review_loop::load::load_comments;
use crate::review_loop::op::{BaseState, LedgerArgs, LedgerUpdate, ReviewOut};
use review_flow::{ContentStore, MissingContent, Stop};

impl<R: Reviewer, A: Applier> LoopExecutor<'_, R, A> {
    /// Matches a round with the earlier findings, and stores the ledger.
    pub(super) fn update_ledger(
        &self,
        asked: &LedgerArgs,
        texts: &ContentStore,
    ) -> Result<ReviewOut, Stop> {
        let review: Arc<Review> = texts.value(&asked.round.review).map_err(broken)?;
        let comments = load_comments(texts, asked.comments).map_err(broken)?;
        let ledger = asked.ledger.map(|hash| texts.value(&hash)).transpose();
        let ledger: Option<Arc<Ledger>> = ledger.map_err(broken)?;
        let before = asked.before.as_ref().and_then(|before| before.decisions);
        let before = before.map(|hash| texts.value(&hash)).transpose();
        let decisions: Option<Arc<Decisions>> = before.map_err(broken)?;
        let (ledger, round) = match_findings(
            ledger.map(Arc::unwrap_or_clone).unwrap_or_default(),
            &ReviewedRound {
                iteration: asked.round.iteration,
                verdict: review.verdict(),
                passed: asked.passed,
                scores_pass: asked.scores_pass,
                fail_level: self.config.fail_level,
                items: &FeedbackItems::numbered(review.feedback().to_vec()),
                decisions: decisions.unwrap_or_default().as_slice(),
                user_decisions: &user_decisions(&comments, asked.noted as usize),
                files: &self.files(asked.base, texts).map_err(broken)?,
                proved: asked.proved as usize,
                rebased: asked.rebased,
                memory: &self.config.memory,
            },
        );
        Ok(ReviewOut::Ledger(LedgerUpdate {
            ledger: put_json(texts, &ledger)?,
            counts: ledger.counts(),
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
