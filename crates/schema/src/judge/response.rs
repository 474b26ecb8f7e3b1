//! Reads a response of the Agent Feedback Protocol.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::str::FromStr;

use review_types::{
    FeedbackId, FeedbackItems, NoFeedback, Scores, UnknownWord, Verdict, closed_list, excerpt,
};

use super::feedback::{Items, quote};
use super::{Answer, Judge, Rejection, holds_dots, id_of};
use crate::afp::{
    Acknowledgement, AppliedFeedbackAck, Confidence, ErrorCode, FeedbackResponse, FeedbackSummary,
    PositivePoint, ProtocolError, ProtocolVersion, ResponseBody, ReviewOutcome, Success,
};
use crate::error::MAX_QUOTED;
use crate::parse::{Node, Value, key_spelling};
use crate::spelling::{ScoreNumber, SeverityWord, is_placeholder};
use crate::{Dialect, Field, RepairCode, SchemaError};

type Read<T> = Result<T, Rejection>;

closed_list!(
    /// The status of a response.
    Status {
        /// It has feedback.
        Success => "success",
        /// It has an error.
        Error => "error",
    }
);

impl Judge<'_> {
    /// Reads the object of an answer as a response.
    pub(super) fn response(&mut self, node: &Node<'_>) -> Read<Answer> {
        let response = self.feedback_response(node)?;
        let success = match &response.body {
            ResponseBody::Success(success) => success,
            ResponseBody::Error { error } => {
                let error = SchemaError::refused(Field::at("error"), error);
                return Err(error.at(node.span.start).into());
            }
        };
        let areas = areas_of(node);
        let at = areas.unwrap_or(node).span.start;
        let unsure = |NoFeedback| {
            let message = "the confidence is low and areas_for_improvement is empty: name what \
                           to improve, or say medium or high";
            SchemaError::of(Field::at(Dialect::Afp.items()), message).at(at)
        };
        let review = success.review().map_err(unsure)?;
        if review.verdict() == Verdict::Pass && success.outcome().is_none() {
            // An empty array with a comment is not lossless.
            let raw = areas.map_or("", |areas| areas.raw(self.text));
            if !raw.split_ascii_whitespace().collect::<String>().eq("[]") {
                let message = "something is missing from the array, so it cannot be a pass";
                let field = Field::at(Dialect::Afp.items());
                return Err(SchemaError::of(field, message).at(at).into());
            }
        }
        Ok(Answer {
            review,
            response: Some(Box::new(response)),
            document: None,
            end_mark: self.end_mark(node),
        })
    }

    /// Reads a response, also one with an error.
    pub(crate) fn feedback_response(&mut self, node: &Node<'_>) -> Read<FeedbackResponse> {
        // With something to improve, it is no template.
        let says_something = areas_of(node)
            .is_some_and(|areas| areas.items().is_none_or(|items| !items.iter().all(is_form)));
        let settled = |rejection| match rejection {
            Rejection::Template(error) if says_something => Rejection::Invalid(error),
            rejection => rejection,
        };
        let field = Field::at("");
        let root = Place { node, field };
        let (iteration, error) = self.head(&root).map_err(settled)?;
        let body = match error {
            Some(error) => ResponseBody::Error { error },
            None => {
                let outcome = self.outcome(&root)?;
                ResponseBody::Success(self.success(&root, outcome).map_err(settled)?)
            }
        };
        Ok(FeedbackResponse {
            protocol_version: ProtocolVersion::V1_2,
            iteration,
            body,
        })
    }

    /// Reads the fields before the actual answer: the iteration, and why feedback is missing,
    /// if the response is an error. A response with an error object is one, whatever its status
    /// says; with an error anywhere else it cannot be read.
    fn head(&mut self, root: &Place<'_, '_>) -> Read<(NonZeroU32, Option<ProtocolError>)> {
        let ProtocolVersion::V1_2 = self.word(root, "protocol_version")?;
        let iteration = self.iteration(root)?;
        let error = match self.word(root, "status")? {
            Status::Error => Some(self.required(root, "error")?),
            Status::Success => self.optional(root, "error")?,
        };
        let Some(error) = error else {
            no_other_error(root.node)?;
            return Ok((iteration, None));
        };
        let error = ProtocolError {
            code: ErrorCode::from(self.text(&error, "code")?),
            message: self.text_or_empty(&error, "message")?,
        };
        Ok((iteration, Some(error)))
    }

    fn iteration(&mut self, root: &Place<'_, '_>) -> Read<NonZeroU32> {
        let found = self.required(root, "iteration")?;
        let number = match found.node.value {
            Value::Number(raw) => ScoreNumber::of(raw),
            _ => None,
        };
        let digits = number.map(|number| format!("{:.0}", number.value));
        let iteration = digits.and_then(|digits| NonZeroU32::new(digits.parse().ok()?));
        let iteration =
            iteration.ok_or_else(|| self.unlike("integer from 1 to 4294967295", &found))?;
        match self.options.iteration {
            Some(expected) if expected != iteration => {
                let message =
                    format!("expected iteration {expected} as in the request, found {iteration}");
                Err(found.error(message).into())
            }
            _ => Ok(iteration),
        }
    }

    /// Reads the verdict in addition to the feedback, as in any answer.
    fn outcome(&mut self, root: &Place<'_, '_>) -> Read<Option<ReviewOutcome>> {
        let Some(extension) = self.optional(root, "review")? else {
            return Ok(None);
        };
        let Place { node, field } = &extension;
        if !node.is_object() {
            return Err(extension
                .error("expected object with verdict and score")
                .into());
        }
        let verdict = self.verdict(node, field)?;
        let mut members = node.members().iter();
        let has_score = members.any(|member| key_spelling(&member.key, "score").is_some());
        let score = match verdict {
            Verdict::NeedsRevision if !has_score => Scores::default(),
            Verdict::Pass | Verdict::NeedsRevision => self.scores(node, field)?,
        };
        let id = |key| {
            id_of(root.node, key, Dialect::Afp)?
                .text()
                .map(str::to_owned)
        };
        Ok(Some(ReviewOutcome {
            review_id: id("review_id"),
            end_id: id("end_id"),
            verdict,
            score,
        }))
    }

    /// Reads the actual answer, with its verdict.
    fn success(&mut self, root: &Place<'_, '_>, outcome: Option<ReviewOutcome>) -> Read<Success> {
        let passes = matches!(&outcome, Some(outcome) if outcome.verdict == Verdict::Pass);
        let extension = root.get("review").filter(|_| outcome.is_some());
        let evidence = match extension {
            Some(extension) => self.optional(&extension, "evidence")?,
            None => None,
        };
        let found = self.required(root, "feedback")?;
        let confidence = self.required(&found, "confidence")?;
        let feedback = FeedbackSummary {
            confidence: Confidence {
                level: self.word(&confidence, "level")?,
                justification: self.text_or_empty(&confidence, "justification")?,
            },
            positive_points: self.positive_points(&found)?,
            areas_for_improvement: self.areas(&found, passes, evidence.as_ref())?,
            general_summary: self.text_or_empty(&found, "general_summary")?,
        };
        if let Some(evidence) = evidence.filter(|_| passes) {
            self.check_evidence(&evidence, &feedback.areas_for_improvement)?;
        }
        let ack = self.acknowledgement(root).unwrap_or_else(|rejection| {
            let (code, at) = (RepairCode::AckDropped, root.node.span.start);
            self.notes.add_with(code, at, || rejection.into_error());
            None
        });
        Success::new(feedback, ack, outcome).map_err(|error| {
            let areas = found.key("areas_for_improvement", found.node);
            areas.error(error.to_string()).into()
        })
    }

    fn positive_points(&mut self, feedback: &Place<'_, '_>) -> Read<Vec<PositivePoint>> {
        let Some(list) = self.optional(feedback, "positive_points")? else {
            self.add_missing(feedback, "positive_points");
            return Ok(Vec::new());
        };
        let mut points = Vec::new();
        for point in self.items(&list)? {
            points.push(PositivePoint {
                aspect: self.text_or_empty(&point, "aspect")?,
                justification: self.text_or_empty(&point, "justification")?,
            });
        }
        Ok(points)
    }

    fn acknowledgement(&mut self, root: &Place<'_, '_>) -> Read<Option<AppliedFeedbackAck>> {
        let Some(ack) = self.optional(root, "applied_feedback_ack")? else {
            return Ok(None);
        };
        let list = self.required(&ack, "items")?;
        let mut items = Vec::new();
        for item in self.items(&list)? {
            items.push(Acknowledgement {
                id: self.id(&item)?,
                processing_status: self.word(&item, "processing_status")?,
            });
        }
        Ok(Some(AppliedFeedbackAck { items }))
    }

    /// Reads the areas for improvement. The array may only be missing with a pass.
    fn areas(
        &mut self,
        feedback: &Place<'_, '_>,
        passes: bool,
        evidence: Option<&Place<'_, '_>>,
    ) -> Read<FeedbackItems> {
        const KEY: &str = "areas_for_improvement";
        let Some(list) = self.optional(feedback, KEY)? else {
            if !passes {
                return Err(self.missing(feedback, KEY));
            }
            self.add_missing(feedback, KEY);
            return Ok(FeedbackItems::default());
        };
        let areas = if list.node.is_object() {
            let error = self.unlike("array", &list).into_error();
            let (code, at) = (RepairCode::SingleItem, list.node.span.start);
            self.notes.add_with(code, at, || error);
            std::slice::from_ref(list.node)
        } else {
            let items = list.node.items();
            items.ok_or_else(|| self.unlike("array", &list))?
        };
        if !self.is_exact && !areas.is_empty() && areas.iter().all(is_form) {
            let error = list.error("contains nothing but placeholders");
            return Err(Rejection::Template(error));
        }
        let mut listed = Areas {
            items: Items::new(passes),
            ids: BTreeSet::new(),
            made: 0,
            evidence: BTreeMap::new(),
        };
        for entry in evidence.map_or(&[][..], |evidence| evidence.node.members()) {
            let of_area = listed.evidence.entry(&*entry.key).or_default();
            of_area.push(&entry.node);
        }
        for (index, area) in areas.iter().enumerate() {
            if self.is_exact || !area.text().is_some_and(is_placeholder) {
                self.area(&list.index(index, area), &mut listed)?;
            }
        }
        Ok(FeedbackItems::numbered(listed.items.kept))
    }

    fn area(&mut self, area: &Place<'_, '_>, listed: &mut Areas<'_, '_>) -> Read<()> {
        let Place { node, field } = area;
        let id = self.area_id(area, listed)?;
        // Outside the extension the protocol has no further fields.
        let of_area = Some(*node).filter(|_| !self.is_exact);
        let of_evidence = listed.evidence.get(id.as_str()).into_iter().flatten();
        let details = of_area.into_iter().chain(of_evidence.copied());
        let details: Vec<_> = details.filter(|node| node.is_object()).collect();
        let item = match self.texts(node, field) {
            Ok(item) => item,
            Err(error) => return Ok(self.drop_item(node, listed.items.passes, error)?),
        };
        let mut severity = None;
        for node in &details {
            let found = self.severity(node, field)?;
            severity = severity.into_iter().chain(found).min();
        }
        let quote = details.iter().rev().find_map(|node| quote(node));
        let item = item.with_id(id).with_severity(severity);
        listed.items.kept.push(item.with_quote(quote));
        Ok(())
    }

    /// Returns the id of an area. One is made for an area without an id of its own.
    fn area_id(&mut self, area: &Place<'_, '_>, listed: &mut Areas<'_, '_>) -> Read<FeedbackId> {
        let rejection = match self.id(area) {
            Ok(id) if listed.ids.insert(id.clone()) => return Ok(id),
            Ok(id) => {
                let message = format!("repeats the id \"{id}\"");
                area.key("id", area.node).error(message).into()
            }
            Err(rejection) => rejection,
        };
        let Some(id) = listed.make_id() else {
            return Err(rejection);
        };
        if area.node.is_object() {
            let (code, at) = (RepairCode::IdMade, area.node.span.start);
            self.notes.add_with(code, at, || rejection.into_error());
        }
        Ok(id)
    }

    /// Checks that the evidence of a pass does not refer to an area that was not read: it may
    /// be severe. With a revision such evidence is ignored.
    fn check_evidence(&self, evidence: &Place<'_, '_>, areas: &FeedbackItems) -> Read<()> {
        let is_unclear = |node: &Node<'_>| match &node.value {
            Value::Text(text) => matches!(
                SeverityWord::of(text),
                SeverityWord::Exact(_) | SeverityWord::Form(_)
            ),
            Value::List(items) => !items.is_empty(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
        };
        if is_unclear(evidence.node) {
            return Err(self.unlike("object", evidence));
        }
        let ids: BTreeSet<_> = areas.iter().map(|(id, _)| id.as_str()).collect();
        for entry in evidence.node.members() {
            let place = evidence.key(&excerpt(&entry.key, MAX_QUOTED), &entry.node);
            if is_unclear(&entry.node) {
                return Err(self.unlike("object", &place));
            }
            let severity = entry.node.get("severity");
            if severity.is_some_and(|node| !node.is_null()) && !ids.contains(&*entry.key) {
                let message = "is given for an id that no area for improvement has";
                return Err(place.error(message).into());
            }
        }
        Ok(())
    }

    fn optional<'n, 't>(
        &mut self,
        object: &Place<'n, 't>,
        key: &str,
    ) -> Read<Option<Place<'n, 't>>> {
        if !object.node.is_object() {
            return Err(self.unlike("object", object));
        }
        let found = self.find(object.node, &object.field, key)?;
        let found = found.filter(|node| !node.is_null());
        Ok(found.map(|node| object.key(key, node)))
    }

    fn required<'n, 't>(&mut self, object: &Place<'n, 't>, key: &str) -> Read<Place<'n, 't>> {
        let found = self.optional(object, key)?;
        found.ok_or_else(|| self.missing(object, key))
    }

    fn text(&mut self, object: &Place<'_, '_>, key: &str) -> Read<String> {
        let found = self.required(object, key)?;
        self.string(&found)
    }

    fn text_or_empty(&mut self, object: &Place<'_, '_>, key: &str) -> Read<String> {
        if let Some(found) = self.optional(object, key)? {
            return self.string(&found);
        }
        self.add_missing(object, key);
        Ok(String::new())
    }

    fn string(&self, place: &Place<'_, '_>) -> Read<String> {
        let text = place.node.text().map(str::to_owned);
        text.ok_or_else(|| self.unlike("string", place))
    }

    /// Reads a word of a closed list, in any case and with white space around it.
    fn word<T: FromStr<Err = UnknownWord>>(
        &mut self,
        object: &Place<'_, '_>,
        key: &str,
    ) -> Read<T> {
        let found = self.required(object, key)?;
        let text = self.string(&found)?;
        let unknown = match text.parse() {
            Ok(word) => return Ok(word),
            Err(UnknownWord { known, .. }) => UnknownWord {
                known,
                got: excerpt(&text, MAX_QUOTED),
            },
        };
        let error = found.error(unknown.to_string());
        let Ok(word) = text.trim().to_ascii_lowercase().parse() else {
            let is_form = is_placeholder(&text) || text.contains('|');
            return Err(Rejection::of(error, is_form));
        };
        let at = found.node.span.start;
        self.notes.add_with(RepairCode::WordForm, at, || error);
        Ok(word)
    }

    fn id(&mut self, object: &Place<'_, '_>) -> Read<FeedbackId> {
        let found = self.required(object, "id")?;
        let id = FeedbackId::new(self.string(&found)?);
        id.map_err(|error| found.error(error.to_string()).into())
    }

    fn items<'n, 't>(&self, list: &Place<'n, 't>) -> Read<Vec<Place<'n, 't>>> {
        let items = list.node.items();
        let items = items.ok_or_else(|| self.unlike("array", list))?;
        let places = items.iter().enumerate();
        Ok(places.map(|(at, item)| list.index(at, item)).collect())
    }

    fn add_missing(&mut self, object: &Place<'_, '_>, key: &str) {
        let error = self.missing(object, key).into_error();
        let (code, at) = (RepairCode::MissingMember, object.node.span.start);
        self.notes.add_with(code, at, || error);
    }

    fn missing(&self, object: &Place<'_, '_>, key: &str) -> Rejection {
        let error = object.key(key, object.node).error("is missing");
        Rejection::of(error, holds_dots(object.node.raw(self.text)))
    }

    /// Returns the error of a value of the wrong type.
    fn unlike(&self, expected: &str, place: &Place<'_, '_>) -> Rejection {
        let got = place.node.shown(self.text);
        let error = place.error(format!("expected {expected}, found {got}"));
        Rejection::of(error, holds_dots(place.node.raw(self.text)))
    }
}

/// A value and the field that it is.
struct Place<'n, 't> {
    node: &'n Node<'t>,
    field: Field,
}

impl<'n, 't> Place<'n, 't> {
    fn key(&self, key: &str, node: &'n Node<'t>) -> Self {
        let field = self.field.key(key);
        Self { node, field }
    }

    fn index(&self, index: usize, node: &'n Node<'t>) -> Self {
        let field = self.field.index(index);
        Self { node, field }
    }

    fn get(&self, key: &str) -> Option<Self> {
        Some(self.key(key, self.node.get(key)?))
    }

    fn error(&self, message: impl Into<String>) -> SchemaError {
        SchemaError::of(self.field.clone(), message).at(self.node.span.start)
    }
}

/// The areas of an array, while ids are made for those that have none.
struct Areas<'n, 't> {
    items: Items,
    ids: BTreeSet<FeedbackId>,
    made: usize,
    /// The further data on each area, by its id.
    evidence: BTreeMap<&'n str, Vec<&'n Node<'t>>>,
}

impl Areas<'_, '_> {
    /// Returns an id that no area has. Only given ids are skipped.
    fn make_id(&mut self) -> Option<FeedbackId> {
        loop {
            self.made += 1;
            let id = FeedbackId::new(format!("area-{:02}", self.made)).ok()?;
            if self.ids.insert(id.clone()) {
                return Some(id);
            }
        }
    }
}

/// Fails if there is an error at a place that the protocol has none at.
fn no_other_error(object: &Node<'_>) -> Result<(), SchemaError> {
    for path in [
        "errors",
        "feedback.error",
        "feedback.errors",
        "review.error",
        "review.errors",
    ] {
        let found = path.split('.').try_fold(object, |node, key| node.get(key));
        if let Some(node) = found.filter(|node| holds_something(node)) {
            let message = "must be empty when the status is success; if the review failed, \
                           answer with status error and an error object";
            return Err(SchemaError::of(Field::at(path), message).at(node.span.start));
        }
    }
    Ok(())
}

fn holds_something(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) | Value::Number(_) => true,
        Value::Text(text) => !text.trim().is_empty(),
        Value::List(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

fn areas_of<'n, 't>(node: &'n Node<'t>) -> Option<&'n Node<'t>> {
    node.get("feedback")?.get("areas_for_improvement")
}

/// Returns whether an item of an array is a template of an area: nothing but placeholders.
fn is_form(item: &Node<'_>) -> bool {
    let is_placeholder_text = |node: &Node<'_>| node.text().is_some_and(is_placeholder);
    let members = item.members().iter();
    let mut texts = members.filter(|member| member.key != "id").peekable();
    if item.is_object() {
        texts.peek().is_some() && texts.all(|member| is_placeholder_text(&member.node))
    } else {
        is_placeholder_text(item)
    }
}
