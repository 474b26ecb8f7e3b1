//! Reads what an API sends back, as it arrives.

use review_process::Redactor;
use review_process::redact::Redaction;

use super::profile::Api;
use super::reply::Reply;
use super::sse::{Sse, SseReader};
use crate::activity::{CallWatch, UsageOf};
use crate::stream::{Fault, IsSpent, Observed, ReportedError, StreamLimits};

/// What arrives of one answer: secrets are replaced before anybody sees it.
pub(super) struct Reading<'a> {
    redaction: Redaction<'a>,
    clean: Clean,
    watch: Option<WatchedReply<'a>>,
}

/// Who watches an answer, and what the call consumed by what was observed.
pub(super) struct WatchedReply<'a> {
    pub(super) call: CallWatch<'a>,
    pub(super) usage: Box<UsageOf<'a>>,
}

struct Clean {
    api: Api,
    limit: usize,
    events: SseReader,
    reply: Reply,
    is_spent: Option<IsSpent>,
    is_started: bool,
}

impl<'a> Reading<'a> {
    /// Reads events of `api`.
    pub(super) fn new(api: Api, limits: StreamLimits, redactor: &'a Redactor) -> Self {
        Self {
            redaction: redactor.start(),
            clean: Clean {
                api,
                limit: limits.line,
                events: SseReader::new(limits.line),
                reply: Reply::new(limits.text),
                is_spent: None,
                is_started: false,
            },
            watch: None,
        }
    }

    /// Reports what arrives to those who watch.
    pub(super) fn watched(mut self, watch: Option<WatchedReply<'a>>) -> Self {
        if watch.is_some() {
            self.clean.reply.watch();
        }
        self.watch = watch;
        self
    }

    /// Makes an answer hopeless once `is_spent` is true of it.
    pub(super) fn until(mut self, is_spent: Option<IsSpent>) -> Self {
        self.clean.is_spent = is_spent;
        self
    }

    /// Takes the next bytes of the answer.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let clean = &mut self.clean;
        self.redaction.push(bytes, &mut |bytes| clean.push(bytes));
        let seen = self.clean.reply.seen();
        if let (Some(watch), Some(latest)) = (&self.watch, &seen.latest) {
            let usage = (watch.usage)(seen);
            watch.call.report(latest, seen.model.as_deref(), usage);
        }
    }

    /// Whether nothing that comes can matter.
    pub(super) fn is_over(&self) -> bool {
        self.clean.reply.is_over()
    }

    /// Whether nothing that comes can make it an answer.
    pub(super) fn is_hopeless(&self) -> bool {
        let Clean {
            reply, is_spent, ..
        } = &self.clean;
        let is_spent = is_spent
            .as_ref()
            .is_some_and(|is_spent| is_spent(reply.seen()));
        reply.is_hopeless() || (is_spent && !reply.is_decided())
    }

    /// All that was observed, and what was said of the answer. `cut` says why the
    /// service ended the stream; it counts when the answer was not complete.
    /// Without it the end is our own.
    pub(super) fn finish(self, cut: Option<&str>) -> (Observed, String) {
        let Self {
            redaction,
            mut clean,
            ..
        } = self;
        redaction.finish(&mut |bytes| clean.push(bytes));
        let (api, is_started) = (clean.api, clean.is_started);
        let reply = &mut clean.reply;
        clean.events.finish(&mut |event| match event {
            Sse::Data(data) => {
                if (api.row().event)(data, reply).is_err() {
                    tracing::debug!("the stream ends within an event");
                }
            }
            // What was cut in two is nothing foreign.
            Sse::Foreign if is_started => {}
            Sse::Foreign | Sse::TooLong => reply.unread(),
        });
        if let Some(why) = cut
            && !reply.is_decided()
            && !reply.is_foreign()
        {
            reply.fail(ReportedError::new(Fault::Service, why));
        }
        let said = clean.reply.said().to_owned();
        (clean.reply.finish(), said)
    }
}

impl Clean {
    fn push(&mut self, bytes: &[u8]) {
        let (api, limit, reply) = (self.api, self.limit, &mut self.reply);
        let is_started = &mut self.is_started;
        self.events.push(bytes, &mut |event| match event {
            Sse::Data(data) => {
                *is_started = true;
                if (api.row().event)(data, reply).is_err() {
                    reply.unread();
                }
            }
            Sse::Foreign => reply.unread(),
            Sse::TooLong => reply.too_long(limit),
        });
    }
}
