//! Applies the feedback of a round with the applier.

use review_schema::UnreadableDecision;
use review_types::{Decisions, FeedbackItems};

use super::{LoopExecutor, base_state, broken, executed, failed_within, put_json, retry_with_tail};
use crate::agent::{Applier, ApplyReport, ApplyRequest, Malformed, OutOfScopeChange, Reviewer};
use crate::decided::{self, StatedDecisions};
use crate::review_loop::items::items_of;
use crate::review_loop::op::{ApplyArgs, BaseState, Decided, RetryOf, ReviewOut};
use review_flow::{ContentStore, Executed, Nonce, Step, Stop, session_id};

impl<R: Reviewer, A: Applier> LoopExecutor<'_, R, A> {
    pub(super) async fn apply(
        &self,
        step: Step,
        asked: ApplyArgs,
        texts: &ContentStore,
    ) -> Result<Executed<ReviewOut>, Stop> {
        let base = asked.base;
        let mut undone = Vec::new();
        if step.attempt > 1 && !step.was_stopped {
            undone = self.undo(base, texts)?;
        } else if let Some(out) = self.changed_since(base, texts)? {
            return Ok(Executed::local(out));
        }
        let (round, extras) = (&asked.round, &asked.extras);
        let items = items_of(texts, round, extras).map_err(broken)?;
        // The reminder needs no decision.
        let to_decide = match extras.unchanged {
            true => items_of(texts, round, &extras.without_reminder()).map_err(broken)?,
            false => items.clone(),
        };
        let retry = asked.retry.as_ref();
        let retry = retry.map(|retry| retry_with_tail(retry, texts));
        let request = ApplyRequest {
            iteration: round.iteration,
            nonce: Nonce::new(&self.seed, &step.name, "artifact"),
            session_id: session_id(&self.seed, &step.name, step.attempt, "session"),
            retry: retry.transpose().map_err(broken)?,
            allowance: asked.allowance,
            step,
            ..ApplyRequest::new(&self.config.subject, items)
        };
        let executed = match self.applier.apply(request).await {
            Ok(report) => self.applied(report, &to_decide, &asked, texts),
            Err(error) => Ok(Executed {
                undone: self.undo(base, texts)?,
                ..failed_within(&asked.allowance, error)
            }),
        };
        executed.map(|executed| {
            undone.extend(executed.undone);
            Executed { undone, ..executed }
        })
    }

    /// Handles the state of the artifact after the call of an applier. Its changes are
    /// undone if the artifact cannot be read or it changed files out of scope.
    fn applied(
        &self,
        report: ApplyReport,
        items: &FeedbackItems,
        asked: &ApplyArgs,
        texts: &ContentStore,
    ) -> Result<Executed<ReviewOut>, Stop> {
        let base = asked.base;
        let ApplyReport {
            text,
            out_of_scope,
            malformed,
            by,
            session,
            usage,
        } = report;
        let mut undone = Vec::new();
        let stated = decided::stated(items, &text);
        let unreadable = stated.unreadable.first().filter(|_| asked.insists);
        let malformed = malformed.or_else(|| unreadable.map(unreadable_decision));
        let out = if let Some(Malformed { field, message }) = malformed {
            undone = self.undo(base, texts)?;
            ReviewOut::Malformed {
                answer: RetryOf {
                    field,
                    message,
                    answer: texts.put(text),
                },
                undelivered: None,
            }
        } else if !out_of_scope.is_empty() {
            texts.put(text);
            undone = self.undo(base, texts)?;
            outside(out_of_scope)
        } else {
            let after = self.left_by_applier(texts)?;
            let after = after.map(|now| base_state(&now, texts)).transpose()?;
            let out = ReviewOut::Applied {
                after,
                decided: self.decided(items, stated, (base, after), texts)?,
            };
            texts.put(text);
            out
        };
        Ok(Executed {
            undone,
            ..executed(out, by, session, usage)
        })
    }

    /// Returns the applier's decision on each item: stated in its report, or else
    /// inferred from the difference between two states of the artifact.
    fn decided(
        &self,
        items: &FeedbackItems,
        stated: StatedDecisions,
        states: (Option<BaseState>, Option<BaseState>),
        texts: &ContentStore,
    ) -> Result<Option<Decided>, Stop> {
        let files = |base: BaseState| self.files(base, texts).map_err(broken);
        let files = match states {
            (Some(before), Some(after))
                if self.parts.artifact.is_some() && stated.len() < items.len() =>
            {
                Some((files(before)?, files(after)?))
            }
            _ => None,
        };
        let files = files.as_ref();
        let files = files.map(|(before, after)| [before.as_slice(), after.as_slice()]);
        let taken = decided::decisions(items, stated, files);
        if taken.is_empty() {
            return Ok(None);
        }
        let decisions = Decisions::new(taken).map_err(broken)?;
        Ok(Some(Decided {
            decisions: put_json(texts, &decisions)?,
            counts: decisions.counts(),
        }))
    }
}

/// Returns the fault of a report with a decision that cannot be read.
fn unreadable_decision(unreadable: &UnreadableDecision) -> Malformed {
    let UnreadableDecision { id, message } = unreadable;
    let (field, subject) = match id {
        Some(id) => (format!("applied_feedback.items[{id}]"), "the decision"),
        None => ("applied_feedback".to_owned(), "it"),
    };
    Malformed {
        field,
        message: format!(
            "{subject} {message}; report your decisions as one JSON object; all edits were \
             undone, so make them again"
        ),
    }
}

/// Returns the files outside the artifact that an applier changed.
fn outside(strays: Vec<OutOfScopeChange>) -> ReviewOut {
    let (put_back, left): (Vec<_>, Vec<_>) = strays.into_iter().partition(|one| one.is_put_back);
    let paths = |strays: Vec<OutOfScopeChange>| strays.into_iter().map(|one| one.path).collect();
    ReviewOut::OutOfScope {
        paths: paths(left),
        put_back: paths(put_back),
    }
}
