//! A service that takes JSON and answers shortly.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use tokio::time::timeout;

use super::call::chain;
use super::exchange::MAX_ERROR;
use super::{BaseUrl, Connections};
use crate::stream::RetryAfter;

/// A service that takes JSON.
#[derive(Clone, Debug)]
pub struct JsonSink {
    url: BaseUrl,
    headers: HeaderMap,
    connections: Connections,
}

/// What a service answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The HTTP status.
    pub status: u16,
    /// When it may be asked again, if it says so.
    pub retry_after: Option<RetryAfter>,
    /// The start of its answer.
    pub body: Vec<u8>,
}

impl JsonSink {
    /// The service at `url`, which gets these headers. One that cannot be sent is left out.
    pub fn new(url: BaseUrl, headers: impl Iterator<Item = (String, String)>) -> Self {
        let headers = headers.filter_map(|(name, value)| {
            let mut value = HeaderValue::from_str(&value).ok()?;
            value.set_sensitive(true);
            Some((name.parse::<HeaderName>().ok()?, value))
        });
        let mut headers: HeaderMap = headers.collect();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Self {
            url,
            headers,
            connections: Connections::default(),
        }
    }

    /// Its address.
    pub fn url(&self) -> &BaseUrl {
        &self.url
    }

    /// Sends it JSON, and waits so long for its answer.
    ///
    /// # Errors
    /// The reason why an answer is missing, for people.
    pub async fn send(&self, json: Vec<u8>, limit: Duration) -> Result<Accepted, String> {
        let answer = async {
            let client = self.connections.client(&self.url)?;
            let request = client
                .post(self.url.below(&[]))
                .headers(self.headers.clone());
            let mut response = request.body(json).send().await?;
            let status = response.status().as_u16();
            let header = |name: &str| response.headers().get(name)?.to_str().ok();
            let retry_after = RetryAfter::of_headers(Some(status), header);
            let mut body = Vec::new();
            while let Some(part) = response.chunk().await?
                && body.len() < MAX_ERROR
            {
                body.extend(part);
            }
            Ok(Accepted {
                status,
                retry_after,
                body,
            })
        };
        match timeout(limit, answer).await {
            Ok(answer) => answer.map_err(chain),
            Err(_) => Err(format!("no answer within {limit:.0?}")),
        }
    }
}
