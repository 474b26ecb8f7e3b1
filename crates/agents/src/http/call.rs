//! One exchange with an API as it is made.

use std::time::Duration;

use reqwest::Request;
use review_process::Redactor;
use review_types::error_chain;

use super::exchange::{End, Exchange, Exchanged, Next};
use super::wait::Wait;

/// The longest wait for the end of a stream whose answer is complete: a
/// connection is used again only when all that was sent is read.
const LINGER: Duration = Duration::from_secs(1);

/// A request, and the client that sends it.
pub(super) struct Sending<'a> {
    pub(super) client: &'a reqwest::Client,
    pub(super) request: Request,
}

impl Sending<'_> {
    /// Sends the request and reads what comes back.
    pub(super) async fn send(self, mut wait: Wait, mut exchange: Exchange<'_>) -> Exchanged {
        let end = self.receive(&mut wait, &mut exchange).await;
        exchange.end(end)
    }

    async fn receive(self, wait: &mut Wait, exchange: &mut Exchange<'_>) -> End {
        let redactor = exchange.redactor();
        let mut response = match wait.part(self.client.execute(self.request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return End::Cut(redacted(error, redactor)),
            Err(ending) => return End::Ours(ending),
        };
        exchange.head(response.status().as_u16(), response.headers());
        loop {
            let bytes = match wait.part(response.chunk()).await {
                Ok(Ok(Some(bytes))) => bytes,
                Ok(Ok(None)) => return End::Whole,
                Ok(Err(error)) => return End::Cut(redacted(error, redactor)),
                Err(ending) => return End::Ours(ending),
            };
            match exchange.chunk(&bytes) {
                Next::Part => {}
                Next::Rest => wait.shorten(LINGER),
                Next::Nothing => return End::Whole,
            }
        }
    }
}

/// The message of an error, secrets replaced.
fn redacted(error: reqwest::Error, redactor: &Redactor) -> String {
    let text = redactor.redact(chain(error).as_bytes());
    String::from_utf8_lossy(&text).into_owned()
}

/// An error with its causes, without the address that it was met at.
pub(super) fn chain(error: reqwest::Error) -> String {
    error_chain(&error.without_url())
}
