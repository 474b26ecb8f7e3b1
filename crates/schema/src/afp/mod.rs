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

mod acknowledgement;
mod decode;
mod error;
mod media_type;
mod message;
mod read_response;
mod refusal;
mod request;
mod response;

#[cfg(doc)]
use review_types::FeedbackItem;
use review_types::{AppliedFeedback, Iteration};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::parse::{Inexact, Node, exact};
pub use acknowledgement::{Acknowledgement, AppliedFeedbackAck, ProcessingStatus};
pub(crate) use decode::Decoder;
pub use error::{AfpError, AfpFault, JsonPath, Segment};
pub use media_type::MediaType;
pub use message::{Cost, Message, MessageKind, Part, PartBody, TextTime, Tokens};
pub(crate) use read_response::{Head, is_form};
pub use refusal::{ErrorCode, ProtocolError};
pub use request::{Artifact, AskedCriterion, FeedbackRequest, ReviewAsk, ReviewRetry};
pub use response::{
    Confidence, ConfidenceLevel, FeedbackResponse, FeedbackSummary, PositivePoint, ProtocolVersion,
    ResponseBody, ReviewOutcome, Success,
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
/// assert_eq!(error.to_string(), "artifact: is missing");
/// # Ok::<(), review_schema::afp::AfpError>(())
/// ```
///
/// # Errors
/// [`AfpError`] is the first invalid field, in the order of the protocol; missing
/// fields come after invalid ones.
pub fn read_request(text: &[u8]) -> Result<FeedbackRequest, AfpError> {
    read(text, Decoder::read)
}

/// Parses a response.
///
/// # Errors
/// See [`read_request`].
pub fn read_response(text: &[u8]) -> Result<FeedbackResponse, AfpError> {
    read(text, Decoder::response)
}

/// Parses one line of the stream that contains a response.
///
/// # Errors
/// See [`read_request`].
pub fn read_message(text: &[u8]) -> Result<Message, AfpError> {
    read(text, Decoder::read)
}

/// Parses the decisions on feedback.
///
/// # Errors
/// See [`read_request`].
pub fn read_applied_feedback(text: &[u8]) -> Result<AppliedFeedback, AfpError> {
    read(text, Decoder::read)
}

/// Returns the number of the iteration in a request, even if the rest of it is
/// invalid: an error response repeats it.
#[must_use]
pub fn iteration_of(text: &[u8]) -> Option<Iteration> {
    read(text, |decoder, node| decoder.member(node, "iteration")).ok()
}

fn read<'t, T>(
    text: &'t [u8],
    decode: impl FnOnce(&mut Decoder<'t>, &Node<'t>) -> Result<T, AfpError>,
) -> Result<T, AfpError> {
    let text = std::str::from_utf8(text)
        .map_err(|error| AfpError::json("invalid UTF-8", error.valid_up_to()))?;
    let node = exact(text).map_err(|Inexact { what, at }| AfpError::json(what, at))?;
    decode(&mut Decoder::exact(text), &node)
}

/// Deserializes a string that is not blank.
fn filled<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.trim().is_empty() {
        return Err(D::Error::custom("cannot be empty"));
    }
    Ok(text)
}
