//! The rules by which a provider of the Agent Feedback Protocol answers: which
//! request has its turn in a session, and what becomes of a review.
//!
//! Nothing here reads a file or asks a reviewer: the caller learns what to do
//! by an [`Admission`].

mod ids;
mod response;
mod session;
mod stream;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use review::schema::afp::{
    Acknowledgement, AppliedFeedbackAck, ErrorCode, FeedbackRequest, FeedbackResponse, MediaType,
    ProcessingStatus, ProtocolError, ProtocolVersion, ResponseBody, Success, iteration_of,
    read_request, read_response,
};
use review::types::plural;
use review::types::{AppliedFeedback, Decision, Hash, PastItem, PastRound, TakenDecision};
use review_flow::hash_bytes;

pub use response::{Reviewed, SyntaxFault, Unchecked};
pub use session::{Exchange, SessionState};
pub use stream::{Moments, messages};

/// Bytes of a request; a larger one is refused unread.
pub const MAX_REQUEST: usize = 16 * 1024 * 1024;

/// What to do about a request.
#[derive(Debug)]
pub enum Admission {
    /// It is answered already: with a refusal, or as it was answered before.
    Answered(String),
    /// Its artifact is to be reviewed.
    Review(Box<Admitted>),
}

/// A request that has its turn.
#[derive(Debug)]
pub struct Admitted {
    request: FeedbackRequest,
    hash: Hash,
    before: Option<Exchange>,
}

/// The answer to a request that had its turn.
#[derive(Debug)]
pub struct Answered {
    /// The response object as JSON.
    pub response: String,
    /// The session from now on; `None` when the request may be tried again.
    pub exchange: Option<Exchange>,
}

/// Decides about a request in a session.
pub fn admit(request: &[u8], state: SessionState) -> Admission {
    if request.len() > MAX_REQUEST {
        let message = format!("the request has more than {MAX_REQUEST} bytes");
        return refuse(NonZeroU32::MIN, ErrorCode::INVALID_REQUEST, message);
    }
    let read = match read_request(request) {
        Ok(read) => read,
        Err(error) => {
            let iteration = iteration_of(request).unwrap_or(NonZeroU32::MIN);
            return refuse(iteration, ErrorCode::INVALID_REQUEST, error.to_string());
        }
    };
    let hash = hash_bytes(request);
    let iteration = read.iteration;
    if let SessionState::Known(before) = &state
        && before.is_answer_to(iteration, hash)
    {
        return Admission::Answered(before.response().to_owned());
    }
    if let Err(message) = state.turn(iteration) {
        return refuse(iteration, ErrorCode::INVALID_REQUEST, message);
    }
    if !is_reviewed(&read.artifact.media_type) {
        let message = format!(
            "artifacts of type {} are not reviewed here; text, JSON, YAML and TOML are",
            read.artifact.media_type
        );
        return refuse(iteration, ErrorCode::UNSUPPORTED_MEDIA_TYPE, message);
    }
    let before = state.into_exchange();
    let open = before.as_ref().map_or(0, |before| before.last().len());
    if read.applied_feedback.is_none() && open > 0 {
        let items = plural(open, "item", "items");
        let message =
            format!("applied_feedback: is missing; the last response gave {items} to decide on");
        return refuse(iteration, ErrorCode::INVALID_REQUEST, message);
    }
    Admission::Review(Box::new(Admitted {
        request: read,
        hash,
        before,
    }))
}

/// Whether artifacts of a media type can be reviewed.
fn is_reviewed(media_type: &MediaType) -> bool {
    let essence = media_type.essence();
    let Some((kind, subtype)) = essence.split_once('/') else {
        return false;
    };
    let format = subtype.rsplit('+').next().unwrap_or(subtype);
    let format = format.strip_prefix("x-").unwrap_or(format);
    kind == "text" || kind == "application" && matches!(format, "json" | "yaml" | "yml" | "toml")
}

fn refuse(iteration: NonZeroU32, code: ErrorCode, message: String) -> Admission {
    Admission::Answered(refusal(iteration, code, message))
}

/// The response to a request that cannot be worked on, as JSON.
pub fn refused(request: &[u8], code: ErrorCode, message: String) -> String {
    let iteration = iteration_of(request).unwrap_or(NonZeroU32::MIN);
    refusal(iteration, code, message)
}

fn refusal(iteration: NonZeroU32, code: ErrorCode, message: String) -> String {
    let error = ProtocolError { code, message };
    written(&FeedbackResponse {
        protocol_version: ProtocolVersion::V1_2,
        iteration,
        body: ResponseBody::Error { error },
    })
}

#[expect(
    clippy::expect_used,
    reason = "a response consists of strings, numbers and arrays"
)]
fn written(response: &FeedbackResponse) -> String {
    serde_json::to_string(response).expect("strings, numbers and arrays always have a JSON form")
}

impl Admitted {
    /// The request.
    pub fn request(&self) -> &FeedbackRequest {
        &self.request
    }

    /// The previous rounds that are known: those that the request names, else the last ones
    /// of the session, at most `window`.
    pub fn history(&self, window: NonZeroU32) -> Vec<PastRound> {
        let asked = self.request.review.as_ref();
        match asked.map(|asked| &*asked.feedback_history) {
            Some(history @ [_, ..]) => history.to_vec(),
            Some([]) | None => {
                let mut rounds = self.rounds();
                let old = rounds.len().saturating_sub(window.get() as usize);
                rounds.drain(..old);
                rounds
            }
        }
    }

    /// The rounds of the session, each with the decisions on its feedback.
    fn rounds(&self) -> Vec<PastRound> {
        let before = self.before.as_ref();
        let before = before.map_or(&[][..], Exchange::rounds).iter().cloned();
        before.chain(self.last_round()).collect()
    }

    fn last_round(&self) -> Option<PastRound> {
        let before = self.before.as_ref()?;
        let response = read_response(before.response().as_bytes()).ok()?;
        let ResponseBody::Success(success) = response.body else {
            return None;
        };
        let decisions: BTreeMap<_, _> = self
            .decisions()
            .iter()
            .map(|decision| (decision.id(), decision))
            .collect();
        let items = success.feedback().areas_for_improvement.iter();
        Some(PastRound {
            iteration: response.iteration,
            verdict: success.verdict(),
            feedback: items
                .map(|(id, item)| PastItem {
                    item: item.clone(),
                    decision: decisions.get(id).map(|decision| TakenDecision {
                        decision: (*decision).clone(),
                        inferred: false,
                        written_code: None,
                    }),
                })
                .collect(),
        })
    }

    /// What the requester should know of its decisions, though the review goes
    /// on.
    pub fn warnings(&self) -> Vec<String> {
        let decisions = self.decisions();
        let unexplained = decisions.iter().filter(|item| item.lacks_explanation());
        let mut warnings: Vec<String> = unexplained
            .map(|item| format!("the partial decision on {} has no explanation", item.id()))
            .collect();
        let decided: BTreeSet<_> = decisions.iter().map(Decision::id).collect();
        let last = self.before.iter().flat_map(Exchange::last);
        let missing = last.filter(|id| !decided.contains(id));
        warnings.extend(missing.map(|id| format!("no decision on {id}")));
        warnings
    }

    /// The answer when the artifact was reviewed.
    pub fn answer(self, reviewed: Reviewed<'_>) -> Answered {
        let (iteration, ack) = (self.request.iteration, self.ack());
        let asked = self.request.review.as_ref();
        let ids = asked.map(|asked| (asked.review_id.clone(), asked.end_id.clone()));
        let given = self.before.as_ref().map_or(&[][..], Exchange::given);
        match reviewed.into_success(ack, ids, given) {
            Ok(success) => self.succeed(iteration, success),
            Err(error) => self.fail(error.to_string()),
        }
    }

    /// The answer when nothing in the reviewer looked at the content: it is not a verdict,
    /// and says so.
    pub fn answer_unchecked(self, unchecked: Unchecked) -> Answered {
        let (iteration, ack) = (self.request.iteration, self.ack());
        let given = self.before.as_ref().map_or(&[][..], Exchange::given);
        match unchecked.into_success(ack, given) {
            Ok(success) => self.succeed(iteration, success),
            Err(error) => self.fail(error.to_string()),
        }
    }

    fn succeed(self, iteration: NonZeroU32, success: Success) -> Answered {
        let items = success.feedback().areas_for_improvement.clone();
        let response = written(&FeedbackResponse {
            protocol_version: ProtocolVersion::V1_2,
            iteration,
            body: ResponseBody::Success(success),
        });
        let (rounds, hash) = (self.rounds(), self.hash);
        let exchange = Exchange::after(
            self.before,
            iteration,
            hash,
            response.clone(),
            &items,
            rounds,
        );
        Answered {
            response,
            exchange: Some(exchange),
        }
    }

    /// The answer when the review failed. The session stays as it was, so that
    /// the request may be tried again.
    pub fn fail(self, message: String) -> Answered {
        Answered {
            response: refusal(self.request.iteration, ErrorCode::INTERNAL_ERROR, message),
            exchange: None,
        }
    }

    fn decisions(&self) -> &[Decision] {
        let applied = self.request.applied_feedback.as_ref();
        applied.map_or(&[], AppliedFeedback::items)
    }

    /// The acknowledgement of the decisions, if the request reports any.
    fn ack(&self) -> Option<AppliedFeedbackAck> {
        self.request.applied_feedback.as_ref()?;
        let acknowledge = |item: &Decision| {
            let before = self.before.as_ref();
            let is_known = before.is_some_and(|before| before.has_given(item.id()));
            Acknowledgement {
                id: item.id().clone(),
                processing_status: if is_known {
                    ProcessingStatus::Acknowledged
                } else {
                    ProcessingStatus::UnknownId
                },
            }
        };
        Some(AppliedFeedbackAck {
            items: self.decisions().iter().map(acknowledge).collect(),
        })
    }
}

#[cfg(test)]
mod tests;
