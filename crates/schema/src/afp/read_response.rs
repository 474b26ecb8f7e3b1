//! Parses responses.

use std::collections::{BTreeMap, BTreeSet};

use review_types::{
    FeedbackId, FeedbackItem, FeedbackItems, Iteration, Severity, UnknownWord, Verdict, excerpt,
};
use serde::Deserialize;

use super::decode::{Decoder, Result};
use super::error::{AfpError, AfpFault, Segment};
use super::{
    Confidence, FeedbackResponse, FeedbackSummary, PositivePoint, ProtocolError, ProtocolVersion,
    ResponseBody, ReviewOutcome, Success,
};
use crate::RepairCode;
use crate::form::{SeverityWord, is_placeholder};
use crate::judge::MAX_QUOTED;
use crate::parse::{Node, Property, Value};

/// The status of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Success,
    Error,
}

/// The fields before the actual answer.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Head {
    #[serde(rename = "protocol_version")]
    _version: ProtocolVersion,
    pub(crate) iteration: Iteration,
    status: Status,
}

/// The feedback without its areas, which are parsed one by one.
#[derive(Deserialize)]
struct Summary {
    confidence: Confidence,
    positive_points: Vec<PositivePoint>,
    general_summary: String,
}

/// The strings of an area.
#[derive(Deserialize)]
struct Texts {
    aspect: String,
    description: String,
    recommendation: String,
}

/// Fails if there is an error at a place that the protocol has none at.
fn no_other_error(object: &Node<'_>) -> Result<()> {
    let refuse = |node: &Node<'_>, key| {
        let rule = "must be empty when the status is success".to_owned();
        AfpError::new(AfpFault::Rule(rule), node.span.clone()).in_key(key)
    };
    if let Some(node) = object.get("errors").filter(|node| holds_something(node)) {
        return Err(refuse(node, "errors"));
    }
    for part in ["feedback", "review"] {
        for key in ["error", "errors"] {
            let found = object.get(part).and_then(|part| part.get(key));
            if let Some(node) = found.filter(|node| holds_something(node)) {
                return Err(refuse(node, key).in_key(part));
            }
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

/// The verdict in addition to the feedback, with the extension that contains it.
type Extension<'n, 't> = (&'n Node<'t>, ReviewOutcome);

/// The areas of an array, while ids are generated for those that have none.
struct Listed<'n, 't> {
    areas: Vec<FeedbackItem>,
    ids: BTreeSet<FeedbackId>,
    made: usize,
    /// Whether the verdict is a pass.
    passes: bool,
    evidence: Option<&'n Node<'t>>,
    /// The evidence for each area, by its id.
    on_area: BTreeMap<&'n str, Vec<&'n Node<'t>>>,
}

impl<'t> Decoder<'t> {
    pub(super) fn response(&mut self, object: &Node<'t>) -> Result<FeedbackResponse> {
        let head: Head = self.read(object)?;
        let body = if let Some(error) = self.refusal(object, head)? {
            ResponseBody::Error { error }
        } else {
            let outcome: Option<ReviewOutcome> = self.optional(object, "review")?;
            let extension = self.find(object, "review")?.zip(outcome);
            ResponseBody::Success(self.success(object, extension)?)
        };
        Ok(FeedbackResponse {
            protocol_version: ProtocolVersion,
            iteration: head.iteration,
            body,
        })
    }

    /// Returns why there is no feedback, if the response is an error. A response
    /// with an error object is one, whatever its status says; with an error anywhere else
    /// it cannot be read.
    pub(crate) fn refusal(
        &mut self,
        object: &Node<'t>,
        head: Head,
    ) -> Result<Option<ProtocolError>> {
        match head.status {
            Status::Error => self.member(object, "error").map(Some),
            Status::Success => {
                let error = self.optional(object, "error")?;
                no_other_error(object)?;
                Ok(error)
            }
        }
    }

    /// Returns the actual answer, with its verdict.
    pub(crate) fn success(
        &mut self,
        object: &Node<'t>,
        extension: Option<Extension<'_, 't>>,
    ) -> Result<Success> {
        let (node, outcome) = extension.unzip();
        let evidence = match node {
            Some(node) => self.find(node, "evidence"),
            None => Ok(None),
        };
        let evidence = evidence.map_err(|error| error.in_key("review"))?;
        let mut listed = Listed {
            areas: Vec::new(),
            ids: BTreeSet::new(),
            made: 0,
            passes: outcome
                .as_ref()
                .is_some_and(|outcome| outcome.verdict == Verdict::Pass),
            evidence,
            on_area: BTreeMap::new(),
        };
        for entry in evidence.into_iter().flat_map(Node::members) {
            let on_area = listed.on_area.entry(&*entry.key).or_default();
            on_area.push(&entry.node);
        }
        let found = self.find(object, "feedback")?;
        let found = found.ok_or_else(|| AfpError::missing("feedback", object))?;
        let feedback = self
            .summary(found, &mut listed)
            .map_err(|error| error.in_key("feedback"))?;
        self.no_severity_is_lost(&listed, &feedback.areas_for_improvement)
            .map_err(|error| error.in_key("evidence").in_key("review"))?;
        let ack = match self.optional(object, "applied_feedback_ack") {
            Err(_) if self.repair(RepairCode::AckDropped, object.span.start) => None,
            ack => ack?,
        };
        Success::new(feedback, ack, outcome).map_err(|error| {
            let error = AfpError::new(error, object.span.clone());
            error.in_key("areas_for_improvement").in_key("feedback")
        })
    }

    fn summary(
        &mut self,
        object: &Node<'t>,
        listed: &mut Listed<'_, 't>,
    ) -> Result<FeedbackSummary> {
        let Summary {
            confidence,
            positive_points,
            general_summary,
        } = self.read(object)?;
        Ok(FeedbackSummary {
            confidence,
            positive_points,
            areas_for_improvement: self.areas(object, listed)?,
            general_summary,
        })
    }

    /// Returns the array of areas. It may only be missing with a pass, and only where
    /// repairs are allowed.
    fn areas(&mut self, object: &Node<'t>, listed: &mut Listed<'_, 't>) -> Result<FeedbackItems> {
        const KEY: &str = "areas_for_improvement";
        let Some(list) = self.find(object, KEY)? else {
            if listed.passes && self.repair(RepairCode::MissingMember, object.span.start) {
                return Ok(FeedbackItems::default());
            }
            return Err(AfpError::missing(KEY, object));
        };
        self.list(list, listed).map_err(|error| error.in_key(KEY))?;
        Ok(FeedbackItems::numbered(std::mem::take(&mut listed.areas)))
    }

    fn list(&mut self, list: &Node<'t>, listed: &mut Listed<'_, 't>) -> Result<()> {
        match &list.value {
            Value::List(items) => items.iter().enumerate().try_for_each(|(index, item)| {
                self.area(item, listed)
                    .map_err(|error| error.in_item(index))
            }),
            Value::Object(_) if self.repair(RepairCode::SingleItem, list.span.start) => {
                self.area(list, listed)
            }
            _ => Err(self.not(list, "array")),
        }
    }

    fn area(&mut self, item: &Node<'t>, listed: &mut Listed<'_, 't>) -> Result<()> {
        if self.is_mending() && is_placeholder_text(item) {
            return Ok(());
        }
        match self.read_area(item, listed) {
            Ok(area) => {
                listed.areas.push(area);
                Ok(())
            }
            // An area with a severity is not dropped from a pass.
            Err(error)
                if is_given(item.get("severity"))
                    || error.path.segments() == [Segment::Key("severity")] =>
            {
                Err(error)
            }
            Err(_) if listed.passes && self.repair(RepairCode::ItemDropped, item.span.start) => {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn read_area(&mut self, item: &Node<'t>, listed: &mut Listed<'_, 't>) -> Result<FeedbackItem> {
        let id = self.area_id(item, listed)?;
        let texts: Texts = self.read(item)?;
        let severity = self.severity_of(item, &id, listed)?;
        for (key, text) in [
            ("aspect", &texts.aspect),
            ("description", &texts.description),
            ("recommendation", &texts.recommendation),
        ] {
            if text.trim().is_empty() {
                return Err(AfpError::new(AfpFault::Blank, item.span.clone()).in_key(key));
            }
        }
        let area = FeedbackItem::new(texts.aspect, texts.description, texts.recommendation)
            .map_err(|_| AfpError::new(AfpFault::Blank, item.span.clone()))?;
        let quote = self.quote_of(item, &id, listed);
        let area = area.with_id(id).with_severity(severity);
        Ok(area.with_quote(quote))
    }

    /// Returns the severity of an area, by its evidence. Where repairs are
    /// allowed, the area itself may have one; the highest severity counts.
    fn severity_of(
        &mut self,
        item: &Node<'t>,
        id: &FeedbackId,
        listed: &Listed<'_, 't>,
    ) -> Result<Option<Severity>> {
        let of_item = self.is_mending().then_some(item);
        let of_evidence = listed.on_area.get(id.as_str()).into_iter().flatten();
        let said = of_item
            .into_iter()
            .chain(of_evidence.copied())
            .filter(|node| matches!(node.value, Value::Object(_)));
        let severities: Result<Vec<_>> = said.map(|node| self.severity(node)).collect();
        Ok(severities?.into_iter().flatten().min())
    }

    /// Returns the quote of an area, by its evidence. Where repairs are allowed, the area
    /// itself may have one. It decides nothing, so that one that is no string is none.
    fn quote_of(
        &self,
        item: &Node<'t>,
        id: &FeedbackId,
        listed: &Listed<'_, 't>,
    ) -> Option<String> {
        let mut said = self.said_of(item, id, listed);
        said.find_map(|node| node.get("quote")?.text().map(str::to_owned))
    }

    /// Returns the objects with further data on an area.
    fn said_of<'n>(
        &self,
        item: &'n Node<'t>,
        id: &FeedbackId,
        listed: &Listed<'n, 't>,
    ) -> impl Iterator<Item = &'n Node<'t>> {
        let of_item = self.is_mending().then_some(item);
        let of_evidence = listed.on_area.get(id.as_str()).into_iter().flatten();
        of_evidence.copied().chain(of_item)
    }

    /// Returns the severity in an object.
    fn severity(&mut self, object: &Node<'t>) -> Result<Option<Severity>> {
        let Some(node) = self.find(object, "severity")? else {
            return Ok(None);
        };
        let word = node.text().map_or(SeverityWord::Unknown, SeverityWord::of);
        let severity = match word {
            SeverityWord::Exact(severity) => return Ok(Some(severity)),
            SeverityWord::Form(severity) => Some(severity),
            SeverityWord::Blank => None,
            SeverityWord::Unknown => return Err(self.no_severity(node)),
        };
        if self.repair(RepairCode::WordForm, node.span.start) {
            return Ok(severity);
        }
        Err(self.no_severity(node))
    }

    fn no_severity(&self, node: &Node<'t>) -> AfpError {
        let word = UnknownWord {
            known: Severity::WORDS.join(" "),
            got: excerpt(node.text().unwrap_or(self.raw(node)), MAX_QUOTED),
        };
        AfpError::new(word, node.span.clone()).in_key("severity")
    }

    /// Checks that the evidence of a pass does not refer to an area that was not parsed:
    /// it may be severe. With a revision such evidence is ignored.
    fn no_severity_is_lost(&self, listed: &Listed<'_, 't>, areas: &FeedbackItems) -> Result<()> {
        let Some(evidence) = listed.evidence.filter(|_| listed.passes) else {
            return Ok(());
        };
        let areas = areas.iter().map(|(id, _)| id.as_str());
        let areas: BTreeSet<_> = areas.collect();
        let nodes = evidence.members().iter().map(|entry| &entry.node);
        let mut nodes = std::iter::once(evidence).chain(nodes);
        let may_be_grave = |node: &&Node<'_>| match &node.value {
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
            Value::Text(text) => matches!(
                SeverityWord::of(text),
                SeverityWord::Exact(_) | SeverityWord::Form(_)
            ),
            Value::List(items) => !items.is_empty(),
        };
        if let Some(node) = nodes.find(may_be_grave) {
            return Err(self.not(node, "object"));
        }
        let mut entries = evidence.members().iter();
        let is_lost = |entry: &&Property<'_>| {
            is_given(entry.node.get("severity")) && !areas.contains(&*entry.key)
        };
        entries.find(is_lost).map_or(Ok(()), |entry| {
            let fault = AfpFault::NoArea(excerpt(&entry.key, MAX_QUOTED));
            Err(AfpError::new(fault, entry.node.span.clone()))
        })
    }

    /// Returns the id of an area. Where repairs are allowed, one is generated for an area
    /// without an id of its own.
    fn area_id(&mut self, item: &Node<'t>, listed: &mut Listed<'_, 't>) -> Result<FeedbackId> {
        let given: Result<FeedbackId> = self.member(item, "id");
        let fault = match given {
            Ok(id) if listed.ids.insert(id.clone()) => return Ok(id),
            Ok(id) => {
                let fault = AfpFault::Repeated(id);
                AfpError::new(fault, item.span.clone()).in_key("id")
            }
            Err(error) => error,
        };
        if !matches!(item.value, Value::Object(_))
            || !self.repair(RepairCode::IdMade, item.span.start)
        {
            return Err(fault);
        }
        listed.make_id().ok_or(fault)
    }
}

impl Listed<'_, '_> {
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

/// Returns whether a value exists and is not null.
fn is_given(value: Option<&Node<'_>>) -> bool {
    value.is_some_and(|node| !matches!(node.value, Value::Null))
}

/// Returns whether a value is a placeholder string.
fn is_placeholder_text(node: &Node<'_>) -> bool {
    matches!(&node.value, Value::Text(text) if is_placeholder(text))
}

/// Returns whether an item of an array is a template of an area: nothing but
/// placeholders.
pub(crate) fn is_form(item: &Node<'_>) -> bool {
    let Value::Object(members) = &item.value else {
        return is_placeholder_text(item);
    };
    let mut texts = members
        .iter()
        .filter(|member| member.key != "id")
        .peekable();
    texts.peek().is_some() && texts.all(|member| is_placeholder_text(&member.node))
}
