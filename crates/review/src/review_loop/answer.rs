//! Parses the content of an answer into a review, by the dialect of its reviewer.

use std::num::NonZeroU32;

use review_schema::actionable::ActionableFeedback;
use review_schema::afp::AppliedFeedbackAck;
use review_schema::afp::{ErrorCode, ResponseBody, Success};
use review_schema::{Dialect, EndMark, Field, Options, SchemaError, parse_and_validate_with};
use review_types::{
    AckDifference, AgentError, FailedBy, Failure, FeedbackId, Finding, Review, Verdict,
};

use crate::agent::ReviewRequest;
use crate::delivery::{Receiver, is_mark};
use crate::pass::{PassDoubt, PassProof};

/// What an answer must match.
pub(super) struct Expected {
    pub(super) request: ReviewRequest,
    /// The files of the artifact, where it is tracked.
    files: Vec<String>,
}

/// A parsed answer.
pub(super) struct ParsedAnswer {
    pub(super) review: Review,
    pub(super) repairs: usize,
    pub(super) acks: AckDifference,
    /// Whether the reviewer leaves the decision to a human.
    pub(super) escalated: bool,
    /// The actionable-feedback document that contained the review.
    pub(super) document: Option<Box<ActionableFeedback>>,
    /// The mark that it names as the end of its prompt, if any.
    pub(super) end_mark: Option<EndMark>,
    /// Why its pass is doubted.
    pub(super) doubt: Option<PassDoubt>,
}

impl From<Review> for ParsedAnswer {
    fn from(review: Review) -> Self {
        Self {
            review,
            repairs: 0,
            acks: AckDifference::default(),
            escalated: false,
            document: None,
            end_mark: None,
            doubt: None,
        }
    }
}

impl Expected {
    /// Returns what the answer to a request about these files must match.
    pub(super) fn of(request: &ReviewRequest, files: Vec<String>) -> Self {
        Self {
            request: request.clone(),
            files,
        }
    }

    /// Returns whether an answer names the mark at the end of its prompt.
    fn is_end(&self, mark: Option<&EndMark>) -> bool {
        matches!(mark, Some(EndMark::Named(named)) if is_mark(named, &self.request.end_id))
    }

    /// Checks that a document is about this round and this target.
    fn check_document(&self, document: &ActionableFeedback) -> Result<(), SchemaError> {
        let given = document.iteration.number.get();
        let round = self.request.iteration;
        if given != round {
            let message = format!("must be {round}, the number of this round, got {given}");
            return Err(SchemaError::of(Field::at("iteration.number"), message));
        }
        let path = document.target.path.trim();
        let expected = self.targets().first().copied();
        let Some(expected) = expected.filter(|_| !self.names(path)) else {
            return Ok(());
        };
        let message = format!("must be {expected}, which is reviewed, got {path}");
        Err(SchemaError::of(Field::at("target.path"), message))
    }

    /// Returns the names of the artifact and its files.
    fn targets(&self) -> Vec<&str> {
        let ReviewRequest {
            spec,
            path,
            feature,
            ..
        } = &self.request;
        let names = [spec, path, feature].into_iter().chain(&self.files);
        let names = names.map(String::as_str);
        names.filter(|name| !name.is_empty()).collect()
    }

    /// Returns whether a path names the artifact, a folder that it is in, or a file in it.
    fn names(&self, path: &str) -> bool {
        let is_in_folder = |known| self.files.is_empty() && is_of(path, known);
        let mut known = self.targets().into_iter();
        known.any(|known| is_of(known, path) || is_in_folder(known))
    }
}

/// Returns whether a path is the end of `known`, or names a folder that it is in.
fn is_of(known: &str, path: &str) -> bool {
    let bare = |path: &str| {
        path.trim_start_matches("./")
            .trim_end_matches('/')
            .to_owned()
    };
    let (known, path) = (bare(known), bare(path));
    let is_in = |inner: &str, outer: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let is_end = |long: &str, end: &str| {
        let rest = long.strip_suffix(end);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let is_folder = path == "." && !known.starts_with('/');
    !path.is_empty() && (is_folder || is_in(&known, &path) || is_end(&known, &path))
}

/// The id of an item that raises a finding again.
fn id_of(finding: &Finding) -> Option<FeedbackId> {
    FeedbackId::new(finding.id.as_str()).ok()
}

impl Expected {
    /// Parses the content of an answer.
    pub(super) fn read(
        &self,
        answer: &[u8],
        receiver: Option<Receiver>,
    ) -> Result<ParsedAnswer, SchemaError> {
        let dialect = self.request.dialect;
        let is_response = dialect == Dialect::Afp;
        let follow_up = self.request.follow_up.as_ref();
        let iteration = follow_up.map_or(NonZeroU32::MIN, |follow_up| follow_up.iteration);
        let parsed = parse_and_validate_with(
            answer,
            &Options {
                dialect,
                criteria: self.request.criteria.names(),
                review_id: Some(self.request.review_id.clone()),
                iteration: is_response.then_some(iteration),
                findings: self.request.findings.iter().filter_map(id_of).collect(),
                ..Options::default()
            },
        )?;
        if let Some(document) = &parsed.document {
            self.check_document(document)?;
        }
        let escalated = parsed.is_escalated();
        let proof = PassProof {
            receiver,
            takes_ids: !is_response || parsed.has_outcome(),
            has_review_id: parsed.has_review_id,
            has_end_id: self.is_end(parsed.end_mark.as_ref()),
            is_alone: parsed.is_alone,
        };
        let passes = parsed.review.verdict() == Verdict::Pass;
        let doubt = PassDoubt::of(proof).filter(|_| passes);
        let success = parsed.response.and_then(|response| match response.body {
            ResponseBody::Success(success) => Some(success),
            ResponseBody::Error { .. } => None,
        });
        let ack = success.as_ref().and_then(Success::applied_feedback_ack);
        let applied = follow_up.map(|follow_up| &follow_up.applied_feedback);
        let applied = applied.filter(|_| is_response);
        Ok(ParsedAnswer {
            review: parsed.review,
            repairs: parsed.repairs.len(),
            acks: applied.map_or_else(AckDifference::default, |applied| {
                ack.unwrap_or(&AppliedFeedbackAck::default())
                    .compare(applied)
            }),
            escalated,
            document: parsed.document,
            end_mark: parsed.end_mark,
            doubt,
        })
    }
}

/// Returns the failure of a call whose answer is an error. Only an internal failure
/// of the reviewer may be transient.
pub(super) fn refusal(code: &ErrorCode, message: &str) -> AgentError {
    let failure = if *code == ErrorCode::UNSUPPORTED_MEDIA_TYPE {
        Failure::ModelError { status: Some(415) }
    } else if code.is_retryable() {
        Failure::ModelError { status: None }
    } else {
        FailedBy::Protocol.into()
    };
    AgentError::new(failure, format!("the reviewer reported {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review_loop::Subject;

    #[test]
    fn a_media_type_that_is_not_supported_is_not_asked_about_again() {
        let failure = |code| refusal(&code, "no").failure;
        let unsupported = Failure::ModelError { status: Some(415) };
        assert_eq!(failure(ErrorCode::UNSUPPORTED_MEDIA_TYPE), unsupported);
        let internal = Failure::ModelError { status: None };
        assert_eq!(failure(ErrorCode::INTERNAL_ERROR), internal);
        assert_eq!(
            failure(ErrorCode::INVALID_REQUEST),
            FailedBy::Protocol.into()
        );
    }

    #[test]
    fn a_target_is_the_artifact_or_a_folder_or_file_of_it() {
        let expected = |path: &str, files: &[&str]| {
            let subject = Subject::new("", "", path);
            let files = files.iter().map(|one| (*one).to_owned()).collect();
            Expected::of(&ReviewRequest::new(&subject), files)
        };
        let one = expected("handbook.md", &["handbook.md"]);
        let folder = expected("docs", &["docs/a.md", "docs/b/c.md"]);
        let untracked = expected("docs", &[]);
        for (asked, path, is_named) in [
            (&one, "handbook.md", true),
            (&one, "./handbook.md", true),
            (&one, ".", true),
            (&one, "", false),
            (&one, "/", false),
            (&one, "/srv/x/handbook.md", false),
            (&one, "docs/handbook.md", false),
            (&folder, "docs", true),
            (&folder, "docs/", true),
            (&folder, "docs/b", true),
            (&folder, "b/c.md", true),
            (&folder, "docs/other.md", false),
            (&folder, "other.md", false),
            (&untracked, "docs/other.md", true),
            (&untracked, "src/other.md", false),
        ] {
            assert_eq!(asked.names(path), is_named, "{path}");
        }
    }
}
