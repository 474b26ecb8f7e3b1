//! The Agent Feedback Protocol 1.2: what one agent asks another, and what that
//! one answers.
//!
//! The values are legal by construction. Reading them from text, with the path
//! of whatever is wrong, is the work of crate `schema`.

mod applied;
mod area;
mod decisions;
mod error;
mod message;
mod name;
mod request;
mod response;

pub use applied::{
    AckDifference, Acknowledgement, AppliedFeedback, AppliedFeedbackAck, Decision, DecisionStatus,
    ProcessingStatus, Unexplained,
};
pub use area::{Area, Areas};
pub use decisions::{DecisionCounts, Decisions, TakenDecision};
pub use error::{ErrorCode, ProtocolError};
pub use message::{Cost, Message, MessageKind, Part, PartBody, TextTime, Tokens};
pub use name::{FeedbackId, MediaType, ReasonCode, RepeatedId, SessionId};
pub use request::{
    Artifact, AskedCriterion, FeedbackRequest, PastItem, PastRound, ReviewAsk, ReviewRetry,
};
pub use response::{
    Confidence, ConfidenceLevel, FeedbackResponse, FeedbackSummary, Iteration, PositivePoint,
    ProtocolVersion, ResponseBody, ReviewOutcome, Success,
};
