//! Requests.

use review_types::actionable::Severity;
use review_types::afp::{
    Artifact, AskedCriterion, FeedbackRequest, PastItem, PastRound, ReviewAsk, ReviewRetry,
};
use review_types::{BlankField, ReviewFeedback, Verdict};

use super::{Decoder, Result};
use crate::afp::error::{AfpError, AfpFault};
use crate::parse::Node;

impl<'t> Decoder<'t> {
    pub(crate) fn request(&mut self, object: &Node<'t>) -> Result<FeedbackRequest> {
        Ok(FeedbackRequest {
            protocol_version: self.version(object)?,
            iteration: self.only_iteration(object)?,
            artifact: self.member(object, "artifact", Self::artifact)?,
            applied_feedback: self.optional(object, "applied_feedback", Self::applied_feedback)?,
            review: self.optional(object, "review", Self::ask)?,
        })
    }

    fn artifact(&mut self, object: &Node<'t>) -> Result<Artifact> {
        Ok(Artifact {
            media_type: self.member(object, "media_type", Self::name)?,
            content: self.member(object, "content", Self::filled)?,
            artifact_ref: self.optional(object, "artifact_ref", Self::string)?,
        })
    }

    fn ask(&mut self, object: &Node<'t>) -> Result<ReviewAsk> {
        Ok(ReviewAsk {
            review_id: self.member(object, "review_id", Self::filled)?,
            instructions: self.optional(object, "instructions", Self::string)?,
            criteria: self.maybe_list(object, "criteria", Self::criterion)?,
            open_findings: self.maybe_list(object, "open_findings", Self::item)?,
            feedback_history: self.maybe_list(object, "feedback_history", Self::past_round)?,
            guidance: self.maybe_list(object, "guidance", Self::string)?,
            retry: self.optional(object, "retry", Self::retry)?,
        })
    }

    /// The items of a list that may be missing.
    fn maybe_list<T>(
        &mut self,
        object: &Node<'t>,
        key: &'static str,
        decode: impl FnMut(&mut Self, &Node<'t>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let list = self.optional(object, key, |decoder, list| decoder.list(list, decode));
        Ok(list?.unwrap_or_default())
    }

    fn criterion(&mut self, object: &Node<'t>) -> Result<AskedCriterion> {
        Ok(AskedCriterion {
            name: self.member(object, "name", Self::name)?,
            description: self.member(object, "description", Self::string)?,
            min_score: self.member(object, "min_score", Self::score)?,
        })
    }

    fn past_round(&mut self, object: &Node<'t>) -> Result<PastRound> {
        Ok(PastRound {
            iteration: self.only_iteration(object)?,
            verdict: self.member(object, "verdict", Self::verdict)?,
            feedback: self.member(object, "feedback", |decoder, list| {
                decoder.list(list, Self::past_item)
            })?,
        })
    }

    fn past_item(&mut self, object: &Node<'t>) -> Result<PastItem> {
        Ok(PastItem {
            item: self.item(object)?,
            decision: self.optional(object, "decision", Self::taken_decision)?,
        })
    }

    fn retry(&mut self, object: &Node<'t>) -> Result<ReviewRetry> {
        Ok(ReviewRetry {
            field: self.member(object, "field", Self::string)?,
            message: self.member(object, "message", Self::string)?,
            tail: self.member(object, "tail", Self::string)?,
        })
    }

    fn item(&mut self, object: &Node<'t>) -> Result<ReviewFeedback> {
        let section = self.member(object, "section", Self::filled)?;
        let issue = self.member(object, "issue", Self::filled)?;
        let suggestion = self.member(object, "suggestion", Self::filled)?;
        let severity: Option<Severity> = self.optional(object, "severity", Self::word)?;
        let item = ReviewFeedback::new(section, issue, suggestion).map_err(|BlankField(key)| {
            AfpError::new(AfpFault::Blank, object.span.clone()).in_key(key)
        })?;
        Ok(match severity {
            Some(severity) => item.with_severity(severity),
            None => item,
        })
    }

    pub(super) fn verdict(&mut self, node: &Node<'t>) -> Result<Verdict> {
        let text = self.string(node)?;
        text.parse().map_err(|_| {
            let word = review_types::UnknownWord {
                known: crate::VALID_VERDICTS.join(" "),
                got: crate::judge::shorten(&text),
            };
            AfpError::new(word, node.span.clone())
        })
    }
}
