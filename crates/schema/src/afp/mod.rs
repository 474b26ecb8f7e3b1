//! The Agent Feedback Protocol 1.2: the requests of one agent, the responses of
//! another, and how both are parsed.
//!
//! The values are valid by construction, and feedback is [`FeedbackItem`] everywhere
//! but in JSON, where it has the names of the protocol: aspect, description and
//! recommendation.
//!
//! These functions accept exact JSON, as programs write it. The output of a model is
//! parsed by [`parse_and_validate_with`](crate::parse_and_validate_with) in the
//! dialect `afp`.

mod exact;
mod message;
mod refusal;
mod request;
mod response;

use std::num::NonZeroU32;

#[cfg(doc)]
use review_types::FeedbackItem;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::judge::{Judge, Rejection};
use crate::{Dialect, Options, SchemaError};
pub use message::{Message, MessageKind, Part, PartBody, TextTime, Tokens};
pub use refusal::{ErrorCode, ProtocolError};
pub use request::{Artifact, FeedbackRequest, MediaType, ReviewAsk, ReviewRetry};
pub use response::{
    Acknowledgement, AppliedFeedbackAck, Confidence, ConfidenceLevel, FeedbackResponse,
    FeedbackSummary, PositivePoint, ProcessingStatus, ProtocolVersion, ResponseBody, ReviewOutcome,
    Success,
};

/// Parses a request.
///
/// ```
/// use review_schema::afp::read_request;
///
/// let request = br#"{"protocol_version": "1.2", "iteration": 1,
///     "artifact": {"media_type": "text/markdown", "content": "Plan"}}"#;
/// assert_eq!(read_request(request)?.artifact.content, "Plan");
///
/// let error = read_request(br#"{"protocol_version": "1.2", "iteration": 1}"#).unwrap_err();
/// assert_eq!((error.field.as_str(), &*error.message), ("artifact", "is missing"));
/// # Ok::<(), review_schema::SchemaError>(())
/// ```
///
/// # Errors
/// [`SchemaError`] is the first invalid field, by the order of their names; missing fields come
/// after invalid ones.
pub fn read_request(text: &[u8]) -> Result<FeedbackRequest, SchemaError> {
    exact::value(text)
}

/// Parses a response.
///
/// # Errors
/// [`SchemaError`] is the first invalid field, in the order of the protocol.
pub fn read_response(text: &[u8]) -> Result<FeedbackResponse, SchemaError> {
    let (text, node) = exact::tree(text)?;
    let options = Options {
        dialect: Dialect::Afp,
        criteria: Vec::new(),
        ..Options::default()
    };
    let mut judge = Judge::exact(text, &options);
    let response = judge
        .feedback_response(&node)
        .map_err(Rejection::into_error)?;
    match judge.notes.exact_error() {
        Some(error) => Err(error),
        None => Ok(response),
    }
}

/// Returns the number of the iteration in a request, even if the rest of it is
/// invalid: an error response repeats it.
#[must_use]
pub fn iteration_of(text: &[u8]) -> Option<NonZeroU32> {
    #[derive(Deserialize, Serialize)]
    struct Head {
        iteration: NonZeroU32,
    }
    let head: Head = exact::value(text).ok()?;
    Some(head.iteration)
}

/// Deserializes a string that is not blank.
fn filled<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.trim().is_empty() {
        return Err(D::Error::custom("cannot be empty"));
    }
    Ok(text)
}
