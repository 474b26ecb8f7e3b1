//! Objects of the Agent Feedback Protocol: from text to checked values.
//!
//! These functions take exact JSON, as programs write it. What a model wrote is
//! read by [`parse_and_validate_with`](crate::parse_and_validate_with) in the
//! dialect `afp`.

mod decode;
mod error;
mod response;

use review_types::afp::{AppliedFeedback, FeedbackRequest, FeedbackResponse, Message};

use crate::parse::{Inexact, Node, exact};
pub(crate) use decode::Decoder;
pub use error::{AfpError, AfpFault, JsonPath, Segment};
pub(crate) use response::{Head, Status, is_form};

/// Reads a request.
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
/// [`AfpError`] names the first member that fails, in the order of the protocol;
/// what is missing comes after what is wrong.
pub fn read_request(text: &[u8]) -> Result<FeedbackRequest, AfpError> {
    read(text, Decoder::read)
}

/// Reads a response.
///
/// # Errors
/// As [`read_request`].
pub fn read_response(text: &[u8]) -> Result<FeedbackResponse, AfpError> {
    read(text, Decoder::response)
}

/// Reads one line of the stream that a response travels in.
///
/// # Errors
/// As [`read_request`].
pub fn read_message(text: &[u8]) -> Result<Message, AfpError> {
    read(text, Decoder::read)
}

/// Reads what became of feedback.
///
/// # Errors
/// As [`read_request`].
pub fn read_applied_feedback(text: &[u8]) -> Result<AppliedFeedback, AfpError> {
    read(text, Decoder::read)
}

/// The number of the iteration that a text names, though all else in it may be
/// wrong: a refusal repeats it.
#[must_use]
pub fn iteration_of(text: &[u8]) -> Option<review_types::afp::Iteration> {
    read(text, |decoder, node| decoder.member(node, "iteration")).ok()
}

fn read<'t, T>(
    text: &'t [u8],
    decode: impl FnOnce(&mut Decoder<'t>, &Node<'t>) -> Result<T, AfpError>,
) -> Result<T, AfpError> {
    let text = std::str::from_utf8(text)
        .map_err(|error| AfpError::json("no UTF-8", error.valid_up_to()))?;
    let node = exact(text).map_err(|Inexact { what, at }| AfpError::json(what, at))?;
    decode(&mut Decoder::exact(text), &node)
}
