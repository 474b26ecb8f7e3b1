//! Joins a round with the findings of earlier rounds.

use std::sync::Arc;

use review_types::{
    Decisions, FeedbackItems, FindingId, FindingStatus, Hash, Manifest, ReasonCode, Review,
};

use super::{LoopExecutor, broken, count};
use crate::agent::{Applier, Reviewer};
use crate::ledger::{Answer, FileSections, JoinInput, Ledger, join};
use crate::people::user_decisions;
use crate::review_loop::load::load_comments;
use crate::review_loop::op::{BaseState, JoinArgs, Joined, PastReview, ReviewOut};
use review_flow::{ContentStore, MissingContent, Stop};

/// Maximum number of findings in the result for the machine.
const MAX_NAMED: usize = 16;

impl<R: Reviewer, A: Applier> LoopExecutor<'_, R, A> {
    /// Joins a round with the earlier findings, and stores the ledger.
    pub(super) fn join(&self, asked: &JoinArgs, texts: &ContentStore) -> Result<ReviewOut, Stop> {
        self.joined(asked, texts).map_err(broken)
    }

    fn joined(&self, asked: &JoinArgs, texts: &ContentStore) -> Result<ReviewOut, MissingContent> {
        let review: Arc<Review> = texts.value(&asked.round.review)?;
        let comments = load_comments(texts, asked.people)?;
        let ledger: Option<Arc<Ledger>> =
            asked.ledger.map(|hash| texts.value(&hash)).transpose()?;
        let (ledger, came_of) = join(
            ledger.map(Arc::unwrap_or_clone).unwrap_or_default(),
            &JoinInput {
                iteration: asked.round.iteration,
                verdict: review.verdict(),
                passed: asked.passed,
                scores_pass: asked.scores_pass,
                fail_level: self.fail_level,
                items: &FeedbackItems::numbered(review.feedback().to_vec()),
                answers: &answers(asked.before.as_ref(), texts)?,
                user_decisions: &user_decisions(&comments, asked.noted as usize),
                files: &self.files(asked.base, texts)?,
                proved: asked.proved as usize,
                rebased: asked.rebased,
                memory: &self.memory,
            },
        );
        Ok(ReviewOut::Joined(Joined {
            ledger: put(texts, &ledger, asked.round.review)?,
            counts: ledger.counts(),
            blocking: count(came_of.blocking.len()),
            unproved: count(came_of.unproved),
            below_fail_level: count(came_of.below_fail_level),
            quotes: came_of.quotes,
            settled: came_of.settled,
            closed: count(came_of.closed),
            disputed: first(came_of.disputed),
            upheld: first(came_of.upheld),
            repeated: first(without_waived(came_of.repeated, &ledger)),
            waived_by: first(came_of.waived_by),
        }))
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

/// Returns the findings that no user waived.
fn without_waived(mut ids: Vec<FindingId>, ledger: &Ledger) -> Vec<FindingId> {
    let is_waived = |id: &FindingId| {
        let mut findings = ledger.findings().iter();
        findings.any(|one| one.id == *id && one.status == FindingStatus::Waived)
    };
    ids.retain(|id| !is_waived(id));
    ids
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_finding_that_a_user_waived_is_not_reported_as_repeated() {
        let finding = |id: &str, status: &str| {
            json!({
                "id": id, "status": status, "section": "Goal", "place": {"headings": []}, "issue": "a",
                "suggestion": "b", "severity": "major", "raised": [1, 2, 3], "repeats": 0,
                "history": [], "out_of_scope": false, "below_fail_level": false,
                "evidence": "unquoted",
            })
        };
        let [open, waived] = ["f-0123456789ab", "f-1123456789ab"];
        let ledger = json!([finding(open, "open"), finding(waived, "waived")]);
        let ledger: Ledger = serde_json::from_value(ledger).unwrap();
        let ids = [open, waived].map(|id| FindingId::new(id).unwrap());
        assert_eq!(without_waived(ids.to_vec(), &ledger), ids[..1]);
    }
}
