//! Messages of users that a model may take for corrections.

use review_agents::{Inquiry, MessagesPrompt};
use review_learning::capture::{Candidate, Captured};
use review_learning::corrections::CorrectionType;
use serde_json::{Value as Json, json};

use super::{LearnError, LessonWriter};
use crate::consultation::Unanswered;

impl LessonWriter {
    /// Asks once which messages are corrections, and returns those; `Err` with the reason
    /// in the result where the answer cannot be used.
    ///
    /// # Errors
    /// When a signal came.
    pub async fn corrections_among<'c>(
        &mut self,
        candidates: &'c [Candidate],
    ) -> Result<Result<Vec<(&'c Candidate, Captured)>, String>, LearnError> {
        let messages = candidates.iter().enumerate().map(|(id, candidate)| {
            let remark = &candidate.remark;
            json!({"id": id, "agent_did": remark.action, "message": remark.verbatim})
        });
        let messages: Json = messages.collect();
        let prompt = MessagesPrompt {
            messages: &messages,
            types: CorrectionType::WORDS,
        };
        let reply = match self.consultation.ask(Inquiry::Messages(prompt)).await {
            Ok(reply) => reply,
            Err(Unanswered::Interrupted) => return Err(LearnError::Interrupted),
            Err(why) => return Ok(Err(why.to_string())),
        };
        let captured = |(id, correction_type): (u64, String)| {
            let candidate = candidates.get(usize::try_from(id).ok()?)?;
            let captured = Captured {
                correction_type: correction_type.parse().ok()?,
                remark: candidate.remark.clone(),
            };
            Some((candidate, captured))
        };
        let answer = MessagesPrompt::read(&reply.text);
        let found = answer.and_then(|answer| answer.into_iter().map(captured).collect());
        Ok(found.ok_or_else(|| "the answer of the reviewer names no messages".to_owned()))
    }
}
