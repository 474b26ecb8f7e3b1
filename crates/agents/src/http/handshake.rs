//! Whether an API can be asked, without asking a model.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

use super::Connections;
use super::profile::HttpProfile;
use super::request::{self, RequestError};

/// The time in which an API answers.
const LIMIT: Duration = Duration::from_secs(15);

/// An API that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HandshakeError {
    /// It cannot be asked at all.
    #[error("{0}")]
    Request(String),
    /// No server answers at its address.
    #[error("no answer from {url}: {message}")]
    NoAnswer {
        /// The address.
        url: String,
        /// Why.
        message: String,
    },
    /// The key is refused.
    #[error("{url} refuses the key, with status {status}")]
    Refused {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
    },
}

impl From<RequestError> for HandshakeError {
    fn from(error: RequestError) -> Self {
        Self::Request(error.to_string())
    }
}

/// Has the API of `profile` list its models, which costs nothing, and returns
/// the HTTP status. A server without such a list can still be used.
///
/// # Errors
/// [`HandshakeError`] when it cannot be used.
pub async fn handshake(
    profile: &HttpProfile,
    connections: &Connections,
    variables: &BTreeMap<OsString, OsString>,
) -> Result<u16, HandshakeError> {
    let request = request::list_models(profile, variables)?;
    let base = profile.base_url();
    let url = base.to_string();
    let client = connections.client(&base);
    let client = client.map_err(|error| HandshakeError::Request(error.to_string()))?;
    let answered = tokio::time::timeout(LIMIT, client.execute(request)).await;
    let no_answer = |message| HandshakeError::NoAnswer {
        url: url.clone(),
        message,
    };
    let response = match answered {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return Err(no_answer(super::call::chain(error))),
        Err(_) => return Err(no_answer(format!("it said nothing for {LIMIT:.0?}"))),
    };
    match response.status().as_u16() {
        status @ (401 | 403) => Err(HandshakeError::Refused { url, status }),
        status => Ok(status),
    }
}
