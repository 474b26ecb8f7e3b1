//! Converts a response of the Agent Feedback Protocol to a review.

use review_types::{NoFeedback, Review, Scores, Verdict};

use super::{Judge, Rejection, holds_dots, no_object};
use crate::afp::{
    AfpError, AfpFault, Decoder, FeedbackResponse, Head, ProtocolVersion, ResponseBody,
    ReviewOutcome, Segment, Success, is_form,
};
use crate::form::{Mention, is_placeholder};
use crate::parse::{Answer, KeyForm, Kind, KnownField, Node, Value};
use crate::{AfpKey, Field, ItemKey, RepairCode, SchemaError};

/// The content of a response, and its review.
type ResponseReview = (Review, Option<Box<FeedbackResponse>>);

impl<'a> Judge<'a> {
    /// Parses the object of an answer as a response, and returns the verdict that it
    /// mentions, even if it is invalid.
    pub(super) fn response(
        &mut self,
        answer: &Answer<'_>,
    ) -> (Mention, Result<ResponseReview, Rejection>) {
        let Some(node) = self.object(answer) else {
            return (Mention::Unclear, Err(no_object(answer).into()));
        };
        let read = self.read_response(&node, answer);
        let mention = match &read {
            Ok((review, _)) => review.verdict().into(),
            Err(Rejection::Template(_)) => Mention::None,
            Err(Rejection::Invalid(_)) => self.mention(answer).max(Mention::Unclear),
        };
        (mention, read)
    }

    fn read_response(
        &mut self,
        node: &Node<'a>,
        answer: &Answer<'_>,
    ) -> Result<ResponseReview, Rejection> {
        let mut decoder = Decoder::repairing(self.text);
        let head: Head = decoder
            .read(node)
            .map_err(|error| self.fault(node, &error))?;
        if let Some(expected) = self.options.iteration
            && head.iteration != expected
        {
            let got = head.iteration;
            let message = format!("expected iteration {expected} as in the request, found {got}");
            return Err(SchemaError::new(Field::Afp(AfpKey::Iteration), message)
                .at(node.span.start)
                .into());
        }
        let error = decoder
            .refusal(node, head)
            .map_err(|error| self.fault(node, &error))?;
        if let Some(error) = error {
            return Err(SchemaError::refused(&error).at(node.span.start).into());
        }
        self.read_success(node, answer, head, decoder)
    }

    fn read_success(
        &mut self,
        node: &Node<'a>,
        answer: &Answer<'_>,
        head: Head,
        mut decoder: Decoder<'a>,
    ) -> Result<ResponseReview, Rejection> {
        let extension = decoder.find(node, "review");
        let extension = extension.map_err(|error| self.fault(node, &error))?;
        let outcome = extension
            .map(|node| self.outcome(node, answer).map(|outcome| (node, outcome)))
            .transpose()?;
        if let Some(areas) = areas_of(node)
            && items(areas).is_some_and(|items| !items.is_empty() && items.iter().all(is_form))
        {
            let message = "contains nothing but placeholders";
            let error = SchemaError::new(Field::Feedback, message).at(areas.span.start);
            return Err(Rejection::Template(error));
        }
        let success = decoder.success(node, outcome);
        let success = success.map_err(|error| self.fault(node, &error))?;
        self.note_repairs(decoder);
        let review = self.review_of(&success, node)?;
        let response = FeedbackResponse {
            protocol_version: ProtocolVersion,
            iteration: head.iteration,
            body: ResponseBody::Success(success),
        };
        Ok((review, Some(Box::new(response))))
    }

    fn review_of(&self, success: &Success, node: &Node<'_>) -> Result<Review, SchemaError> {
        let areas = areas_of(node);
        let at = areas.map_or(node.span.start, |areas| areas.span.start);
        let unsure = |NoFeedback| {
            let message = "the confidence is low and areas_for_improvement is empty: name what \
                           to improve, or say medium or high";
            SchemaError::new(Field::Feedback, message).at(at)
        };
        let review = success.review().map_err(unsure)?;
        if review.verdict() == Verdict::Pass && success.outcome().is_none() {
            if self.options.requires_scores() {
                let message = "score object is required";
                return Err(SchemaError::new(Field::Score, message).at(node.span.start));
            }
            // An empty array with a comment is not lossless.
            if !areas.is_some_and(|areas| self.is_bare_list(areas)) {
                let message = "something is missing from the array, so it cannot be a pass";
                return Err(SchemaError::new(Field::Feedback, message).at(at));
            }
        }
        Ok(review)
    }

    /// Returns whether an array contains only white space.
    fn is_bare_list(&self, list: &Node<'_>) -> bool {
        let raw = self.text.get(list.span.clone()).unwrap_or_default();
        let bare = raw.bytes().filter(|byte| !byte.is_ascii_whitespace());
        bare.eq(*b"[]")
    }

    /// Returns the verdict in addition to the feedback, parsed like that of any answer.
    fn outcome(
        &mut self,
        node: &Node<'a>,
        answer: &Answer<'_>,
    ) -> Result<ReviewOutcome, Rejection> {
        if !matches!(node.value, Value::Object(_)) {
            let message = "expected object with verdict and score";
            return Err(SchemaError::new(Field::Verdict, message)
                .at(node.span.start)
                .into());
        }
        let mut answer = answer.clone();
        answer.span = node.span.clone();
        let verdict = KnownField::find(node, self.text, |name| KeyForm::of(name, "verdict"));
        answer.verdict = verdict.map(|(member, _)| member);
        let score = KnownField::find(node, self.text, KeyForm::of_score);
        answer.score = score.map(|(member, _)| member);
        answer.scores = score.map(|(_, scores)| scores.clone());
        let verdict = self.verdict(&answer)?;
        let score = match verdict {
            Verdict::NeedsRevision if answer.score.is_none() => Scores::default(),
            Verdict::Pass | Verdict::NeedsRevision => self.score(&answer)?,
        };
        let text = |id: Option<KnownField>| {
            let id = id.filter(|id| id.slot.kind == Kind::Text);
            id.map(|id| self.string(id.slot).into_owned())
        };
        Ok(ReviewOutcome {
            review_id: text(answer.review_id),
            end_id: text(answer.end_id),
            verdict,
            score,
        })
    }

    /// Adds the repairs of the decoder. As in any answer, equal duplicates and items dropped
    /// from a pass are allowed in strict mode.
    fn note_repairs(&mut self, decoder: Decoder<'a>) {
        for repair in decoder.into_notes().list() {
            let code = repair.code;
            if matches!(code, RepairCode::DuplicateKey | RepairCode::ItemDropped) {
                self.notes.push(*repair);
                continue;
            }
            self.repaired(code, repair.at, || {
                SchemaError::json(format!("not exact: {}", code.words())).at(repair.at)
            });
        }
    }

    /// Handles an error of the decoder. An object without areas for improvement, whose
    /// error is at a placeholder, is a template.
    fn fault(&self, node: &Node<'_>, error: &AfpError) -> Rejection {
        let raw = self.text.get(error.span.clone()).unwrap_or_default();
        let points_at_form = match &error.fault {
            AfpFault::Word(word) => is_placeholder(&word.got) || word.got.contains('|'),
            AfpFault::Missing | AfpFault::Type { .. } => holds_dots(raw),
            AfpFault::Json { .. }
            | AfpFault::Blank
            | AfpFault::GivenTwice
            | AfpFault::Repeated(_)
            | AfpFault::NoFeedback(_)
            | AfpFault::NoArea(_)
            | AfpFault::Rule(_) => false,
        };
        let error = schema_error(error);
        let says_something = areas_of(node)
            .is_some_and(|areas| items(areas).is_none_or(|items| !items.iter().all(is_form)));
        if points_at_form && !says_something {
            Rejection::Template(error)
        } else {
            Rejection::Invalid(error)
        }
    }
}

fn areas_of<'n, 't>(node: &'n Node<'t>) -> Option<&'n Node<'t>> {
    node.get("feedback")?.get("areas_for_improvement")
}

fn items<'n, 't>(list: &'n Node<'t>) -> Option<&'n [Node<'t>]> {
    match &list.value {
        Value::List(items) => Some(items),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Object(_) => None,
    }
}

/// Converts an error of a response to the error of a review.
fn schema_error(error: &AfpError) -> SchemaError {
    let field = field_of(error.path.segments());
    let path = field.to_string();
    let named = path.rsplit('.').next().unwrap_or_default();
    let last = error
        .path
        .segments()
        .iter()
        .rev()
        .find_map(|segment| match segment {
            Segment::Key(key) => Some(*key),
            Segment::Index(_) => None,
        });
    let message = match last {
        Some(key)
            if named != key && !matches!(error.path.segments().last(), Some(Segment::Index(_))) =>
        {
            format!("{key}: {}", error.fault)
        }
        _ => error.fault.to_string(),
    };
    SchemaError::new(field, message).at(error.span.start)
}

fn field_of(path: &[Segment]) -> Field {
    match path {
        [Segment::Key("protocol_version"), ..] => Field::Afp(AfpKey::ProtocolVersion),
        [Segment::Key("iteration"), ..] => Field::Afp(AfpKey::Iteration),
        [Segment::Key("status"), ..] => Field::Afp(AfpKey::Status),
        [Segment::Key("error"), ..] => Field::Afp(AfpKey::Error),
        [Segment::Key("feedback"), Segment::Key("confidence"), ..] => {
            Field::Afp(AfpKey::Confidence)
        }
        [
            Segment::Key("feedback"),
            Segment::Key("areas_for_improvement"),
            Segment::Index(index),
            rest @ ..,
        ] => Field::Item {
            index: *index,
            key: match rest {
                [Segment::Key("description"), ..] => ItemKey::Issue,
                [Segment::Key("recommendation"), ..] => ItemKey::Suggestion,
                [Segment::Key("severity"), ..] => ItemKey::Severity,
                _ => ItemKey::Section,
            },
        },
        [Segment::Key("feedback"), ..] | [Segment::Key("review"), Segment::Key("evidence"), ..] => {
            Field::Feedback
        }
        _ => Field::Verdict,
    }
}
