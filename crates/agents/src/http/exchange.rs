//! One exchange with an API, part by part.

use reqwest::header::HeaderMap;
use review_process::Redactor;

use super::message::error_message;
use super::reading::Reading;
use crate::ending::Ending;
use crate::stream::{Fault, Observed, ReportedError, RetryAfter, lasting_status};

/// Bytes that are read of an error.
pub(super) const MAX_ERROR: usize = 64 * 1024;

/// An exchange that came to its end, as a program that ended well.
const DONE: Ending = Ending::Exited(0);

/// An exchange whose parts arrive.
pub(super) struct Exchange<'a> {
    reading: Reading<'a>,
    redactor: &'a Redactor,
    error: Option<ErrorReply>,
}

/// The answer of a service that did not do what it was asked.
struct ErrorReply {
    status: u16,
    retry_after: Option<RetryAfter>,
    body: Vec<u8>,
}

/// What follows a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Another part.
    Part,
    /// Nothing that matters: the answer is complete.
    Rest,
    /// Nothing that is read.
    Nothing,
}

/// Why no part comes any more.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The last part was read, or the last that is read.
    Whole,
    /// The service or the way to it failed, as this message says.
    Cut(String),
    /// We ended it.
    Ours(Ending),
}

/// The result of an exchange.
pub(super) struct Exchanged {
    pub(super) ending: Ending,
    pub(super) seen: Observed,
    /// What the model had said when the exchange ended.
    pub(super) said: String,
}

impl<'a> Exchange<'a> {
    /// An exchange whose answer is read by `reading`.
    pub(super) fn new(reading: Reading<'a>, redactor: &'a Redactor) -> Self {
        Self {
            reading,
            redactor,
            error: None,
        }
    }

    /// What replaces secrets in it.
    pub(super) fn redactor(&self) -> &'a Redactor {
        self.redactor
    }

    /// Takes the head of the response.
    pub(super) fn head(&mut self, status: u16, headers: &HeaderMap) {
        if !(200..300).contains(&status) {
            self.error = Some(ErrorReply {
                status,
                retry_after: RetryAfter::of_headers(Some(status), |name| {
                    headers.get(name)?.to_str().ok()
                }),
                body: Vec::new(),
            });
        }
    }

    /// Takes the next bytes of its body.
    pub(super) fn chunk(&mut self, bytes: &[u8]) -> Next {
        if let Some(error) = &mut self.error {
            let room = MAX_ERROR - error.body.len();
            error.body.extend(bytes.iter().take(room));
            return match error.body.len() {
                MAX_ERROR => Next::Nothing,
                _ => Next::Part,
            };
        }
        if !self.reading.is_over() {
            self.reading.push(bytes);
        }
        if self.reading.is_hopeless() {
            Next::Nothing
        } else if self.reading.is_over() {
            Next::Rest
        } else {
            Next::Part
        }
    }

    /// The result.
    pub(super) fn end(self, end: End) -> Exchanged {
        let is_over = self.reading.is_over();
        let (ending, cut) = match end {
            End::Ours(Ending::Limit { .. }) if is_over => (DONE, None),
            End::Ours(ending) => (ending, None),
            End::Whole => (DONE, Some("the stream ended within the answer".to_owned())),
            End::Cut(message) => (DONE, Some(message)),
        };
        let error = self.error.filter(|_| ending == DONE);
        let cut = cut.filter(|_| error.is_none());
        let (mut seen, said) = self.reading.finish(cut.as_deref());
        if let Some(error) = error {
            seen.error = Some(error.reported(self.redactor));
        }
        Exchanged { ending, seen, said }
    }
}

impl ErrorReply {
    fn reported(self, redactor: &Redactor) -> ReportedError {
        let body = redactor.redact(&self.body);
        let body = String::from_utf8_lossy(&body);
        let told = Some(self.status);
        let status = lasting_status(told, &body).or(told);
        let mut error = ReportedError::new(Fault::Service, &error_message(&body)).status(status);
        error.retry_after = self.retry_after.or_else(|| RetryAfter::in_body(&body));
        error
    }
}
