//! What an API said during one call, in the terms of all of them.

use crate::stream::{Consumption, Observed, ReportedError, StopReason};

/// The part of the answer that has arrived.
pub(super) struct Reply {
    text: String,
    limit: usize,
    stop: Option<StopReason>,
    is_over: bool,
    seen: Observed,
}

impl Reply {
    /// Nothing said yet, of an answer of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            text: String::new(),
            limit,
            stop: None,
            is_over: false,
            seen: Observed::default(),
        }
    }

    /// Keeps the last line of the answer as well.
    pub(super) fn watch(&mut self) {
        self.seen.latest = Some(Box::default());
    }

    /// Appends to the answer.
    pub(super) fn say(&mut self, text: &str) {
        self.seen.show_piece(text);
        if text.len() > self.limit - self.text.len() {
            self.seen.long_text = Some(self.limit as u64);
            self.text = String::new();
        }
        if self.seen.long_text.is_none() {
            self.text.push_str(text);
        }
    }

    /// The answer so far.
    pub(super) fn said(&self) -> &str {
        &self.text
    }

    /// Notes why the model stopped. That it declined is never taken back.
    pub(super) fn stop(&mut self, reason: StopReason) {
        if self.stop != Some(StopReason::Refusal) {
            self.stop = Some(reason);
        }
    }

    /// Notes the event after which nothing comes.
    pub(super) fn end(&mut self) {
        self.is_over = true;
    }

    /// Notes the error that ends the call; the first one counts.
    pub(super) fn fail(&mut self, error: ReportedError) {
        self.seen.error.get_or_insert(error);
        self.is_over = true;
    }

    /// Notes the model that answers.
    pub(super) fn model(&mut self, name: Option<&str>) {
        self.seen.note_model(name.unwrap_or_default());
    }

    /// What the call consumed so far.
    pub(super) fn usage(&mut self) -> &mut Consumption {
        self.seen.usage.get_or_insert_default()
    }

    /// What was observed so far.
    pub(super) fn seen(&self) -> &Observed {
        &self.seen
    }

    /// Notes an event longer than `limit` bytes.
    pub(super) fn too_long(&mut self, limit: usize) {
        self.seen.long_line = Some(limit as u64);
    }

    /// Notes a line or an event that the API does not have.
    pub(super) fn unread(&mut self) {
        self.seen.unread_lines += 1;
    }

    /// Whether nothing that comes can make it an answer.
    pub(super) fn is_hopeless(&self) -> bool {
        self.seen.long_text.is_some() || self.seen.long_line.is_some()
    }

    /// Whether nothing that comes can matter.
    pub(super) fn is_over(&self) -> bool {
        self.is_over || self.is_hopeless()
    }

    /// Whether the model said why it stopped, or the call failed.
    pub(super) fn is_decided(&self) -> bool {
        self.stop.is_some() || self.is_over()
    }

    /// Whether anything was no event of the API.
    pub(super) fn is_foreign(&self) -> bool {
        self.seen.unread_lines > 0
    }

    /// All that was observed.
    pub(super) fn finish(mut self) -> Observed {
        self.seen.terminal = self.stop;
        if self.stop.is_some() && self.seen.long_text.is_none() {
            self.seen.text = Some(self.text);
        }
        if !self.seen.is_blank() {
            self.seen.usage = self.seen.usage.take().filter(Consumption::is_known);
        }
        self.seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_may_be_as_long_as_the_limit_and_no_longer() {
        let mut reply = Reply::new(4);
        reply.say("ab");
        reply.say("cd");
        reply.stop(StopReason::Stop);
        assert!(!reply.is_over());
        assert_eq!(reply.finish().text.as_deref(), Some("abcd"));
        let mut reply = Reply::new(4);
        reply.say("abc");
        reply.say("de");
        reply.say("f");
        reply.stop(StopReason::Stop);
        assert!(reply.is_over());
        let seen = reply.finish();
        assert_eq!((seen.text, seen.long_text), (None, Some(4)));
    }

    #[test]
    fn an_answer_counts_once_the_model_has_stopped() {
        let mut reply = Reply::new(4);
        reply.say("ab");
        assert!(!reply.is_decided());
        let seen = reply.finish();
        assert_eq!((seen.text, seen.terminal), (None, None));
        let mut reply = Reply::new(4);
        reply.stop(StopReason::Refusal);
        reply.stop(StopReason::Stop);
        assert!(reply.is_decided());
        assert_eq!(reply.finish().terminal, Some(StopReason::Refusal));
    }

    #[test]
    fn zero_usage_of_an_answer_is_unknown() {
        for (text, is_known) in [("", true), ("a", false)] {
            let mut reply = Reply::new(4);
            reply.say(text);
            reply.usage().output = 0;
            reply.stop(StopReason::Stop);
            assert_eq!(reply.finish().usage.is_some(), is_known, "{text}");
        }
    }
}
