//! Reads what an API sends back, as it arrives.

use review_process::Redactor;
use review_process::redact::Redaction;
use serde_json::Value as Json;

use super::exchange::MAX_ERROR;
use super::message::error_message;
use super::profile::Api;
use super::reply::Reply;
use super::sse::{Sse, SseReader};
use crate::activity::{CallWatch, UsageOf};
use crate::stream::{
    ErrorCode, Fault, IsSpent, Observed, ReportedError, RetryAfter, StreamLimits, lasting_status,
};

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
    /// The lines that are not events of a stream, as many as are read of an error.
    foreign: Vec<u8>,
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
                foreign: Vec::new(),
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

    /// All that was observed, and the answer so far. `cut` says why the
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
        let (reply, foreign) = (&mut clean.reply, &mut clean.foreign);
        clean.events.finish(&mut |event| match event {
            Sse::Data(data) => {
                if (api.row().event)(data, reply).is_err() {
                    tracing::debug!("the stream ends within an event");
                }
            }
            // What was cut in two is nothing foreign.
            Sse::Foreign(line) if is_started && !line.starts_with(b"error:") => {}
            Sse::Foreign(line) => {
                keep(line, foreign);
                reply.unread();
            }
            Sse::TooLong => reply.unread(),
        });
        if !foreign.is_empty() && !reply.is_decided() {
            reply.fail(foreign_error(&String::from_utf8_lossy(foreign)));
        }
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
        let (is_started, foreign) = (&mut self.is_started, &mut self.foreign);
        self.events.push(bytes, &mut |event| match event {
            Sse::Data(data) => {
                *is_started = true;
                if (api.row().event)(data, reply).is_err() {
                    reply.unread();
                }
            }
            Sse::Foreign(line) => {
                keep(line, foreign);
                reply.unread();
            }
            Sse::TooLong => reply.too_long(limit),
        });
    }
}

/// Keeps a line that is not an event.
fn keep(line: &[u8], foreign: &mut Vec<u8>) {
    let room = MAX_ERROR - foreign.len();
    let line = line.iter().chain(b"\n");
    foreign.extend(line.take(room));
}

/// The error of the service in a body that is not a stream, if it is one.
fn foreign_error(body: &str) -> ReportedError {
    let json = || serde_json::from_str(body.get(body.find('{')?..)?).ok();
    let json: Option<Json> = json();
    let Some(error) = json.as_ref().and_then(error_of) else {
        return ReportedError::new(Fault::Request, &error_message(body));
    };
    let status = ["code", "status", "type"].iter().find_map(|name| {
        let code: ErrorCode = serde_json::from_value(error.get(name)?.clone()).ok()?;
        code.status()
    });
    let mut error = ReportedError::new(Fault::Service, &error_message(body));
    error.status = lasting_status(status, body).or(status);
    error.retry_after = RetryAfter::in_body(body);
    error
}

/// The error that a body is, or that one of its fields is.
fn error_of(body: &Json) -> Option<&Json> {
    let named = body.get("error").filter(|error| !error.is_null());
    named.or_else(|| Some(body).filter(|body| body.get("message").is_some_and(Json::is_string)))
}
