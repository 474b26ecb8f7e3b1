//! Runs the checks that the items of a review and earlier findings name as proof.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use review_types::{FeedbackItem, FeedbackItems, NamedCheck, Review, Verdict};

use super::join::JoinParts;
use super::{LoopExecutor, broken, count};
use crate::agent::{Applier, Reviewer};
use crate::check::{CheckOutcome, NamedOutcome};
use crate::ledger::{CheckResults, again_result, join, place_now, places, result, unraised};
use crate::review_loop::LimitReached;
use crate::review_loop::op::{CheckArgs, Checked, JoinArgs, ReviewOut};
use review_flow::{ContentStore, Executed, Step, Stop};

/// Maximum number of checks that are run in a round.
const MAX_CHECKS: usize = 32;

/// The name of the check that is run before each review.
const USUAL: &str = "review.check";

/// The outcomes of checks.
type Outcomes = BTreeMap<NamedCheck, NamedOutcome>;

impl<R: Reviewer, A: Applier> LoopExecutor<'_, R, A> {
    /// Runs each named check once, and notes what that says of the items of the review and
    /// of the findings that were confirmed before.
    pub(super) async fn check(
        &self,
        step: &Step,
        asked: &CheckArgs,
        texts: &ContentStore,
    ) -> Result<Executed<ReviewOut>, Stop> {
        let asked = &asked.join;
        let base = Some(asked.base);
        if let Some(out) = self.changed_since(base, texts)? {
            return Ok(Executed::local(out));
        }
        let parts = self.join_parts(asked, texts).map_err(broken)?;
        let outcomes = match self.outcomes(step, asked, &parts).await? {
            Ok(outcomes) => outcomes,
            Err(cut) => return Ok(Executed::local(ReviewOut::Cut(cut))),
        };
        if let Some(out) = self.changed_since(base, texts)? {
            return Ok(Executed::local(out));
        }
        let (review, results, overruled) = self.proved(asked, &parts, &outcomes);
        let put = |json: serde_json::Result<Vec<u8>>| Ok(texts.put(json.map_err(broken)?));
        Ok(Executed::local(ReviewOut::Checked(Checked {
            verdict: review.verdict(),
            items: count(review.feedback().len()),
            overruled: count(overruled),
            review: put(serde_json::to_vec(&review))?,
            results: put(serde_json::to_vec(&results))?,
        })))
    }

    /// Runs the checks that were confirmed before, and those that items name.
    async fn outcomes(
        &self,
        step: &Step,
        asked: &JoinArgs,
        parts: &JoinParts,
    ) -> Result<Result<Outcomes, LimitReached>, Stop> {
        let before: BTreeSet<_> = parts.ledger.confirmed().map(|(_, named)| named).collect();
        let items = parts.review.feedback().iter().skip(asked.proved as usize);
        let new: BTreeSet<_> = items.filter_map(FeedbackItem::check).collect();
        let new = new.difference(&before).copied();
        let mut outcomes = Outcomes::new();
        for named in before.iter().copied().chain(new) {
            let outcome = match outcomes.len() < MAX_CHECKS {
                true => self.outcome(step, asked.round.iteration, named).await?,
                false => {
                    NamedOutcome::NotRun(format!("at most {MAX_CHECKS} checks are run in a round"))
                }
            };
            if let NamedOutcome::Cut(cut) = outcome {
                return Ok(Err(cut));
            }
            outcomes.insert(named.clone(), outcome);
        }
        Ok(Ok(outcomes))
    }

    async fn outcome(
        &self,
        step: &Step,
        iteration: u32,
        named: &NamedCheck,
    ) -> Result<NamedOutcome, Stop> {
        if *named == NamedCheck::Check(USUAL.to_owned())
            && let Some(checked) = self.checked(step, iteration).await?
        {
            return Ok(match checked {
                CheckOutcome::Ran(report) => match report.failure {
                    Some(failure) => NamedOutcome::Fails(failure),
                    None => NamedOutcome::Passes,
                },
                CheckOutcome::Cut(cut) => NamedOutcome::Cut(cut),
            });
        }
        match self.named {
            Some(checks) => checks.run(step, named).await,
            None => Ok(NamedOutcome::NotRun(
                "no check can be named here".to_owned(),
            )),
        }
    }

    /// Returns the review with an item for each finding that is still confirmed, the
    /// results, and the number of confirmed items that overrule a pass.
    fn proved(
        &self,
        asked: &JoinArgs,
        parts: &JoinParts,
        outcomes: &Outcomes,
    ) -> (Review, CheckResults, usize) {
        let mut results = results(asked, parts, outcomes);
        let mut items = parts.review.feedback().to_vec();
        let joined = |items: &[FeedbackItem], results: &CheckResults| {
            let items = FeedbackItems::numbered(items.to_vec());
            let input = self.join_input(asked, parts, &items, results);
            join((*parts.ledger).clone(), &input)
        };
        let (ledger, mut came_of) = joined(&items, &results);
        let unraised = unraised(&ledger, &came_of.findings, &results);
        let review = Arc::unwrap_or_clone(Arc::clone(&parts.review));
        let mut raised_again = Vec::new();
        for (item, check) in unraised {
            results.items.insert(items.len(), check);
            items.push(item.clone());
            raised_again.push(item);
        }
        if !raised_again.is_empty() {
            (_, came_of) = joined(&items, &results);
        }
        let review = review.with_items(raised_again);
        let is_confirmed =
            |at: &&usize| results.items.get(at).is_some_and(|check| check.confirms());
        let blocking = came_of.blocking.iter().filter(is_confirmed).count();
        match (review.verdict(), blocking) {
            (Verdict::NeedsRevision, _) | (Verdict::Pass, 0) => (review, results, 0),
            (Verdict::Pass, _) => (review.as_revision(), results, blocking),
        }
    }
}

/// Returns what the outcomes say of each item and of each finding that was confirmed
/// before.
fn results(asked: &JoinArgs, parts: &JoinParts, outcomes: &Outcomes) -> CheckResults {
    let (items, files) = (parts.review.feedback(), &*parts.files);
    let named = |item: &FeedbackItem| {
        let named = item.check()?;
        Some((named.clone(), outcomes.get(named)?))
    };
    let placed = items.iter().zip(places(items, files)).enumerate();
    let of_items = placed.skip(asked.proved as usize);
    let of_items = of_items.filter_map(|(at, (item, place))| {
        let (named, outcome) = named(item)?;
        Some((at, result(&named, outcome, Some(&place), files)))
    });
    let of_findings = parts.ledger.confirmed().filter_map(|(finding, named)| {
        let place = place_now(finding, files);
        let now = result(named, outcomes.get(named)?, place.as_ref(), files);
        let now = again_result(finding.confirmed_by(), now);
        Some((finding.id.clone(), now))
    });
    CheckResults {
        items: of_items.collect(),
        findings: of_findings.collect(),
    }
}
