//! Decisions on feedback and their acknowledgements.

use review_types::afp::{
    Acknowledgement, AppliedFeedback, AppliedFeedbackAck, Decision, TakenDecision,
};

use super::{Decoder, Result};
use crate::afp::error::AfpError;
use crate::parse::Node;

impl<'t> Decoder<'t> {
    pub(crate) fn applied_feedback(&mut self, object: &Node<'t>) -> Result<AppliedFeedback> {
        let mut spans = Vec::new();
        let items = self.member(object, "items", |decoder, node| {
            decoder.list(node, |decoder, item| {
                spans.push(item.span.clone());
                decoder.decision(item)
            })
        })?;
        AppliedFeedback::new(items).map_err(|repeated| {
            let index = repeated.index;
            let span = spans.get(index).cloned().unwrap_or_default();
            let error = AfpError::new(repeated, span);
            error.in_key("id").in_item(index).in_key("items")
        })
    }

    pub(super) fn taken_decision(&mut self, item: &Node<'t>) -> Result<TakenDecision> {
        Ok(TakenDecision {
            decision: self.decision(item)?,
            inferred: self
                .optional(item, "inferred", Self::flag)?
                .unwrap_or(false),
        })
    }

    pub(crate) fn decision(&mut self, item: &Node<'t>) -> Result<Decision> {
        let id = self.member(item, "id", Self::name)?;
        let status = self.member(item, "status", Self::word)?;
        let reason_code = self.optional(item, "reason_code", Self::name)?;
        let explanation = self.optional(item, "explanation", Self::string)?;
        Decision::new(id, status, reason_code, explanation)
            .map_err(|error| AfpError::new(error, item.span.clone()))
    }

    pub(super) fn ack(&mut self, object: &Node<'t>) -> Result<AppliedFeedbackAck> {
        let items = self.member(object, "items", |decoder, node| {
            decoder.list(node, |decoder, item| {
                Ok(Acknowledgement {
                    id: decoder.member(item, "id", Self::name)?,
                    processing_status: decoder.member(item, "processing_status", Self::word)?,
                })
            })
        })?;
        Ok(AppliedFeedbackAck { items })
    }
}
