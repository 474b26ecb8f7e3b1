//! One exchange with an API.

use std::error::Error as _;
use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Request, Response};
use review_process::Redactor;

use super::message::error_message;
use super::reading::{Log, Reading};
use super::wait::Wait;
use crate::ending::Ending;
use crate::stream::{Fault, Observed, ReportedError, RetryAfter};

/// Bytes that are read of an error.
const MAX_ERROR: usize = 64 * 1024;

/// The longest wait for the end of a stream whose answer is complete: a
/// connection is used again only when all that was sent is read.
const LINGER: Duration = Duration::from_secs(1);

/// The header in which some services give the wait in milliseconds.
const RETRY_AFTER_MS: &str = "retry-after-ms";

/// What came of an exchange.
pub(super) struct Exchanged {
    pub(super) ending: Ending,
    pub(super) seen: Observed,
    pub(super) log: Log,
}

/// Sends a request and reads what comes back.
pub(super) async fn exchange(
    client: &reqwest::Client,
    request: Request,
    mut wait: Wait,
    mut reading: Reading<'_>,
    redactor: &Redactor,
) -> Exchanged {
    let ended = |ending: Ending, seen: (Observed, Log)| Exchanged {
        ending,
        seen: seen.0,
        log: seen.1,
    };
    let response = match wait.part(client.execute(request)).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return ended(DONE, reading.finish(Some(&told(error, redactor)))),
        Err(ending) => return ended(ending, reading.finish(None)),
    };
    if !response.status().is_success() {
        return match read_error(response, &mut wait, redactor).await {
            Ok(error) => {
                let (mut seen, log) = reading.finish(None);
                seen.error = Some(error);
                ended(DONE, (seen, log))
            }
            Err(ending) => ended(ending, reading.finish(None)),
        };
    }
    match read_stream(response, &mut wait, &mut reading).await {
        Ok(()) => ended(
            DONE,
            reading.finish(Some("the stream ended within the answer")),
        ),
        Err(Stopped::Cut(error)) => ended(DONE, reading.finish(Some(&told(error, redactor)))),
        Err(Stopped::Ours(ending)) => ended(ending, reading.finish(None)),
    }
}

/// An exchange that came to its end, as a program that ended well.
const DONE: Ending = Ending::Exited(0);

/// Why a stream is not read to its end.
enum Stopped {
    Cut(reqwest::Error),
    Ours(Ending),
}

async fn read_stream(
    mut response: Response,
    wait: &mut Wait,
    reading: &mut Reading<'_>,
) -> Result<(), Stopped> {
    let mut is_over = false;
    loop {
        match wait.part(response.chunk()).await {
            Ok(Ok(Some(bytes))) if !is_over => reading.push(&bytes),
            Ok(Ok(Some(_))) => {}
            Ok(Ok(None)) => return Ok(()),
            Ok(Err(_)) | Err(Ending::Limit { .. }) if is_over => return Ok(()),
            Ok(Err(error)) => return Err(Stopped::Cut(error)),
            Err(ending) => return Err(Stopped::Ours(ending)),
        }
        if reading.is_hopeless() {
            return Ok(());
        }
        if !is_over && reading.is_over() {
            is_over = true;
            wait.shorten(LINGER);
        }
    }
}

/// Reads the answer of a service that did not do what it was asked.
async fn read_error(
    mut response: Response,
    wait: &mut Wait,
    redactor: &Redactor,
) -> Result<ReportedError, Ending> {
    let status = response.status().as_u16();
    let headers = std::mem::take(response.headers_mut());
    let mut body = Vec::new();
    while let Ok(Some(bytes)) = wait.part(response.chunk()).await? {
        body.extend_from_slice(&bytes);
        if body.len() >= MAX_ERROR {
            body.truncate(MAX_ERROR);
            break;
        }
    }
    let message = error_message(&redactor.redact(&body));
    let mut error = ReportedError::new(Fault::Service, &message).status(Some(status));
    error.retry_after = retry_after(&headers);
    Ok(error)
}

/// How long the service wants to be left alone, in milliseconds where it says
/// so more exactly than in seconds.
fn retry_after(headers: &HeaderMap) -> Option<RetryAfter> {
    let text = |name| headers.get(name)?.to_str().ok();
    let ms = text(RETRY_AFTER_MS).and_then(|ms| ms.trim().parse().ok());
    let exact = ms.map(|ms| RetryAfter::In(Duration::from_millis(ms)));
    exact.or_else(|| text(RETRY_AFTER.as_str())?.parse().ok())
}

/// What an error says, secrets replaced.
fn told(error: reqwest::Error, redactor: &Redactor) -> String {
    let text = chain(error);
    String::from_utf8_lossy(&redactor.redact(text.as_bytes())).into_owned()
}

/// An error with its causes, without the address that it was met at.
pub(super) fn chain(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_come_before_seconds_and_seconds_before_nothing() {
        let headers = |headers: &[(&'static str, &str)]| -> HeaderMap {
            let headers = headers.iter();
            let pair = |(name, value): &(&'static str, &str)| {
                (name.parse().unwrap(), value.parse().unwrap())
            };
            headers.map(pair).collect()
        };
        let wait = |ms| Some(RetryAfter::In(Duration::from_millis(ms)));
        for (given, expected) in [
            (headers(&[("retry-after", "2")]), wait(2000)),
            (
                headers(&[("retry-after", "2"), ("retry-after-ms", "1500")]),
                wait(1500),
            ),
            (
                headers(&[("retry-after", "2"), ("retry-after-ms", "soon")]),
                wait(2000),
            ),
            (headers(&[("retry-after", "soon")]), None),
            (headers(&[]), None),
        ] {
            assert_eq!(retry_after(&given), expected);
        }
    }
}
