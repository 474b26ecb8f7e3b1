//! Reads a response of the Agent Feedback Protocol.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use review_types::{
    FeedbackId, FeedbackItems, Iteration, NoFeedback, Scores, UnknownWord, Verdict, closed_list,
    excerpt,
};

use super::feedback::{Items, quote};
use super::{Answer, Judge, Rejection, holds_dots, id_of};
use crate::afp::{
    Acknowledgement, AppliedFeedbackAck, Confidence, FeedbackResponse, FeedbackSummary,
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
            if self.options.requires_scores() {
                let error = SchemaError::of(Field::at("review.score"), "score object is required");
                return Err(error.at(node.span.start).into());
            }
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
        let root = Field::at("");
        let (iteration, error) = self.head(node, &root).map_err(settled)?;
        let body = match error {
            Some(error) => ResponseBody::Error { error },
            None => {
                let outcome = self.outcome(node, &root)?;
                ResponseBody::Success(self.success(node, &root, outcome).map_err(settled)?)
            }
        };
        Ok(FeedbackResponse {
            protocol_version: ProtocolVersion,
            iteration,
            body,
        })
    }

    /// Reads the fields before the actual answer: the iteration, and why there is no feedback,
    /// if the response is an error. A response with an error object is one, whatever its status
    /// says; with an error anywhere else it cannot be read.
    fn head(&mut self, node: &Node<'_>, root: &Field) -> Read<(Iteration, Option<ProtocolError>)> {
        let version = self.text(node, root, "protocol_version")?;
        if version != ProtocolVersion::TEXT {
            let (known, got) = (ProtocolVersion::TEXT, excerpt(&version, MAX_QUOTED));
            let message = format!("expected \"{known}\", found \"{got}\"");
            let error = SchemaError::of(root.key("protocol_version"), message);
            return Err(error.at(node.span.start).into());
        }
        let iteration = self.iteration(node, root)?;
        let field = root.key("error");
        match self.word(node, root, "status")? {
            Status::Error => {
                let error = self.required(node, root, "error")?;
                Ok((iteration, Some(self.protocol_error(error, &field)?)))
            }
            Status::Success => {
                let error = self.optional(node, root, "error")?;
                let error = error.map(|error| self.protocol_error(error, &field));
                let error = error.transpose()?;
                no_other_error(node)?;
                Ok((iteration, error))
            }
        }
    }

    fn iteration(&mut self, node: &Node<'_>, root: &Field) -> Read<Iteration> {
        let found = self.required(node, root, "iteration")?;
        let number = match found.value {
            Value::Number(raw) => ScoreNumber::of(raw),
            _ => None,
        };
        let digits = number.map(|number| format!("{:.0}", number.value));
        let iteration = digits.and_then(|digits| Iteration::new(digits.parse().ok()?));
        let Some(iteration) = iteration else {
            let expected = "integer from 1 to 4294967295";
            return Err(self.unlike(expected, found, root.key("iteration")));
        };
        match self.options.iteration {
            Some(expected) if expected != iteration => {
                let message =
                    format!("expected iteration {expected} as in the request, found {iteration}");
                let error = SchemaError::of(root.key("iteration"), message);
                Err(error.at(node.span.start).into())
            }
            _ => Ok(iteration),
        }
    }

    fn protocol_error(&mut self, node: &Node<'_>, field: &Field) -> Read<ProtocolError> {
        Ok(ProtocolError {
            code: self.text(node, field, "code")?.into(),
            message: self.text_or_empty(node, field, "message")?,
        })
    }

    /// Reads the verdict in addition to the feedback, as in any answer.
    fn outcome(&mut self, node: &Node<'_>, root: &Field) -> Read<Option<ReviewOutcome>> {
        let Some(extension) = self.optional(node, root, "review")? else {
            return Ok(None);
        };
        let field = root.key("review");
        if !extension.is_object() {
            let error = SchemaError::of(field, "expected object with verdict and score");
            return Err(error.at(extension.span.start).into());
        }
        let verdict = self.verdict(extension, &field)?;
        let members = extension.members();
        let has_score = members
            .iter()
            .any(|member| key_spelling(&member.key, "score").is_some());
        let score = match verdict {
            Verdict::NeedsRevision if !has_score => Scores::default(),
            Verdict::Pass | Verdict::NeedsRevision => self.scores(extension, &field)?,
        };
        let id = |key| id_of(node, key, Dialect::Afp)?.text().map(str::to_owned);
        Ok(Some(ReviewOutcome {
            review_id: id("review_id"),
            end_id: id("end_id"),
            verdict,
            score,
        }))
    }

    /// Reads the actual answer, with its verdict.
    fn success(
        &mut self,
        node: &Node<'_>,
        root: &Field,
        outcome: Option<ReviewOutcome>,
    ) -> Read<Success> {
        let passes = matches!(&outcome, Some(outcome) if outcome.verdict == Verdict::Pass);
        let extension = node.get("review").filter(|_| outcome.is_some());
        let evidence = match extension {
            Some(extension) => self.optional(extension, &root.key("review"), "evidence")?,
            None => None,
        };
        let (found, field) = (self.required(node, root, "feedback")?, root.key("feedback"));
        let confidence = self.required(found, &field, "confidence")?;
        let of_confidence = field.key("confidence");
        let confidence = Confidence {
            level: self.word(confidence, &of_confidence, "level")?,
            justification: self.text_or_empty(confidence, &of_confidence, "justification")?,
        };
        let feedback = FeedbackSummary {
            confidence,
            positive_points: self.positive_points(found, &field)?,
            areas_for_improvement: self.areas(found, &field, passes, evidence)?,
            general_summary: self.text_or_empty(found, &field, "general_summary")?,
        };
        if let Some(evidence) = evidence.filter(|_| passes) {
            self.check_evidence(evidence, &feedback.areas_for_improvement)?;
        }
        let ack = self
            .acknowledgement(node, root)
            .unwrap_or_else(|rejection| {
                let (code, at) = (RepairCode::AckDropped, node.span.start);
                self.notes.add_with(code, at, || rejection.into_error());
                None
            });
        Success::new(feedback, ack, outcome).map_err(|error| {
            let field = Field::at(Dialect::Afp.items());
            SchemaError::of(field, error.to_string())
                .at(node.span.start)
                .into()
        })
    }

    fn positive_points(&mut self, node: &Node<'_>, at: &Field) -> Read<Vec<PositivePoint>> {
        const KEY: &str = "positive_points";
        let Some(list) = self.optional(node, at, KEY)? else {
            self.add_missing(node, at, KEY);
            return Ok(Vec::new());
        };
        let points = self.list(list, at.key(KEY))?.iter().enumerate();
        let field = at.key(KEY);
        points
            .map(|(index, point)| {
                let field = field.index(index);
                Ok(PositivePoint {
                    aspect: self.text_or_empty(point, &field, "aspect")?,
                    justification: self.text_or_empty(point, &field, "justification")?,
                })
            })
            .collect()
    }

    fn acknowledgement(
        &mut self,
        node: &Node<'_>,
        root: &Field,
    ) -> Read<Option<AppliedFeedbackAck>> {
        let Some(ack) = self.optional(node, root, "applied_feedback_ack")? else {
            return Ok(None);
        };
        let field = root.key("applied_feedback_ack");
        let list = self.required(ack, &field, "items")?;
        let items = self.list(list, field.key("items"))?.iter().enumerate();
        let items = items.map(|(index, item)| {
            let field = field.key("items").index(index);
            Ok(Acknowledgement {
                id: self.id(item, &field)?,
                processing_status: self.word(item, &field, "processing_status")?,
            })
        });
        let items = items.collect::<Read<_>>()?;
        Ok(Some(AppliedFeedbackAck { items }))
    }

    /// Reads the areas for improvement. The array may only be missing with a pass.
    fn areas(
        &mut self,
        node: &Node<'_>,
        at: &Field,
        passes: bool,
        evidence: Option<&Node<'_>>,
    ) -> Read<FeedbackItems> {
        const KEY: &str = "areas_for_improvement";
        let field = at.key(KEY);
        let Some(list) = self.optional(node, at, KEY)? else {
            if !passes {
                return Err(self.missing(node, at, KEY));
            }
            self.add_missing(node, at, KEY);
            return Ok(FeedbackItems::default());
        };
        let single = std::slice::from_ref(list);
        let areas = match &list.value {
            Value::List(items) => items,
            Value::Object(_) => {
                let error = self.unlike("array", list, field.clone()).into_error();
                let (code, at) = (RepairCode::SingleItem, list.span.start);
                self.notes.add_with(code, at, || error);
                single
            }
            _ => return Err(self.unlike("array", list, field)),
        };
        if !self.is_exact && !areas.is_empty() && areas.iter().all(is_form) {
            let error = SchemaError::of(field, "contains nothing but placeholders");
            return Err(Rejection::Template(error.at(list.span.start)));
        }
        let mut listed = Areas {
            items: Items::new(passes),
            ids: BTreeSet::new(),
            made: 0,
            evidence: BTreeMap::new(),
        };
        for entry in evidence.into_iter().flat_map(Node::members) {
            let of_area = listed.evidence.entry(&*entry.key).or_default();
            of_area.push(&entry.node);
        }
        for (index, area) in areas.iter().enumerate() {
            if self.is_exact || !area.text().is_some_and(is_placeholder) {
                self.area(area, &field.index(index), &mut listed)?;
            }
        }
        Ok(FeedbackItems::numbered(listed.items.kept))
    }

    fn area(&mut self, area: &Node<'_>, field: &Field, listed: &mut Areas<'_, '_>) -> Read<()> {
        let id = self.area_id(area, field, listed)?;
        // Outside the extension the protocol has no further fields.
        let of_area = Some(area).filter(|_| !self.is_exact);
        let of_evidence = listed.evidence.get(id.as_str()).into_iter().flatten();
        let details = of_area.into_iter().chain(of_evidence.copied());
        let details: Vec<_> = details.filter(|node| node.is_object()).collect();
        let item = match self.texts(area, field) {
            Ok(item) => item,
            Err(error) => {
                return Ok(self.drop_item(area, listed.items.passes, error)?);
            }
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
    fn area_id(
        &mut self,
        area: &Node<'_>,
        field: &Field,
        listed: &mut Areas<'_, '_>,
    ) -> Read<FeedbackId> {
        let rejection = match self.id(area, field) {
            Ok(id) if listed.ids.insert(id.clone()) => return Ok(id),
            Ok(id) => {
                let message = format!("repeats the id \"{id}\"");
                SchemaError::of(field.key("id"), message)
                    .at(area.span.start)
                    .into()
            }
            Err(rejection) => rejection,
        };
        let Some(id) = listed.make_id() else {
            return Err(rejection);
        };
        if area.is_object() {
            let (code, at) = (RepairCode::IdMade, area.span.start);
            self.notes.add_with(code, at, || rejection.into_error());
        }
        Ok(id)
    }

    /// Checks that the evidence of a pass does not refer to an area that was not read: it may
    /// be severe. With a revision such evidence is ignored.
    fn check_evidence(&self, evidence: &Node<'_>, areas: &FeedbackItems) -> Read<()> {
        let field = Field::at("review.evidence");
        let is_unclear = |node: &Node<'_>| match &node.value {
            Value::Text(text) => matches!(
                SeverityWord::of(text),
                SeverityWord::Exact(_) | SeverityWord::Form(_)
            ),
            Value::List(items) => !items.is_empty(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
        };
        if is_unclear(evidence) {
            return Err(self.unlike("object", evidence, field));
        }
        let ids: BTreeSet<_> = areas.iter().map(|(id, _)| id.as_str()).collect();
        for entry in evidence.members() {
            if is_unclear(&entry.node) {
                return Err(self.unlike("object", &entry.node, field.key(&entry.key)));
            }
            let severity = entry.node.get("severity");
            if severity.is_some_and(|node| !node.is_null()) && !ids.contains(&*entry.key) {
                let id = excerpt(&entry.key, MAX_QUOTED);
                let message = format!(
                    "is given for \"{id}\", which is not the id of an area for improvement"
                );
                return Err(SchemaError::of(field, message)
                    .at(entry.node.span.start)
                    .into());
            }
        }
        Ok(())
    }

    fn optional<'n, 't>(
        &mut self,
        object: &'n Node<'t>,
        at: &Field,
        key: &str,
    ) -> Read<Option<&'n Node<'t>>> {
        if !object.is_object() {
            return Err(self.unlike("object", object, at.clone()));
        }
        let found = self.find(object, at, key)?;
        Ok(found.filter(|node| !node.is_null()))
    }

    fn required<'n, 't>(
        &mut self,
        object: &'n Node<'t>,
        at: &Field,
        key: &str,
    ) -> Read<&'n Node<'t>> {
        let found = self.optional(object, at, key)?;
        found.ok_or_else(|| self.missing(object, at, key))
    }

    fn text(&mut self, object: &Node<'_>, at: &Field, key: &str) -> Read<String> {
        let found = self.required(object, at, key)?;
        self.string(found, at.key(key))
    }

    fn text_or_empty(&mut self, object: &Node<'_>, at: &Field, key: &str) -> Read<String> {
        if let Some(found) = self.optional(object, at, key)? {
            return self.string(found, at.key(key));
        }
        self.add_missing(object, at, key);
        Ok(String::new())
    }

    fn string(&self, node: &Node<'_>, field: Field) -> Read<String> {
        let text = node.text().map(str::to_owned);
        text.ok_or_else(|| self.unlike("string", node, field))
    }

    /// Reads a word of a closed list, in any case and with white space around it.
    fn word<T: FromStr<Err = UnknownWord>>(
        &mut self,
        object: &Node<'_>,
        at: &Field,
        key: &str,
    ) -> Read<T> {
        let found = self.required(object, at, key)?;
        let Some(text) = found.text() else {
            return Err(self.unlike("string", found, at.key(key)));
        };
        let unknown = match text.parse() {
            Ok(word) => return Ok(word),
            Err(UnknownWord { known, .. }) => UnknownWord {
                known,
                got: excerpt(text, MAX_QUOTED),
            },
        };
        let start = found.span.start;
        let error = SchemaError::of(at.key(key), unknown.to_string()).at(start);
        let Ok(word) = text.trim().to_ascii_lowercase().parse() else {
            return Err(Rejection::of(
                error,
                is_placeholder(text) || text.contains('|'),
            ));
        };
        self.notes.add_with(RepairCode::WordForm, start, || error);
        Ok(word)
    }

    fn id(&mut self, object: &Node<'_>, at: &Field) -> Read<FeedbackId> {
        let text = self.text(object, at, "id")?;
        FeedbackId::new(text).map_err(|error| {
            SchemaError::of(at.key("id"), error.to_string())
                .at(object.span.start)
                .into()
        })
    }

    fn list<'n, 't>(&self, node: &'n Node<'t>, field: Field) -> Read<&'n [Node<'t>]> {
        node.items()
            .ok_or_else(|| self.unlike("array", node, field))
    }

    fn add_missing(&mut self, object: &Node<'_>, at: &Field, key: &str) {
        let error = self.missing(object, at, key).into_error();
        let (code, at) = (RepairCode::MissingMember, object.span.start);
        self.notes.add_with(code, at, || error);
    }

    fn missing(&self, object: &Node<'_>, at: &Field, key: &str) -> Rejection {
        let error = SchemaError::of(at.key(key), "is missing").at(object.span.start);
        Rejection::of(error, holds_dots(object.raw(self.text)))
    }

    /// Returns the error of a value of the wrong type.
    fn unlike(&self, expected: &str, node: &Node<'_>, field: Field) -> Rejection {
        let got = match node.value {
            Value::Object(_) => "object".to_owned(),
            Value::List(_) => "array".to_owned(),
            _ => excerpt(node.raw(self.text), MAX_QUOTED),
        };
        let message = format!("expected {expected}, found {got}");
        let error = SchemaError::of(field, message).at(node.span.start);
        Rejection::of(error, holds_dots(node.raw(self.text)))
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
