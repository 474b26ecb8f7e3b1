//! Responses.

use std::collections::BTreeSet;
use std::str::FromStr;

use review_types::UnknownWord;
use review_types::actionable::Severity;
use review_types::afp::{
    Area, Areas, Confidence, ErrorCode, FeedbackId, FeedbackResponse, FeedbackSummary, Iteration,
    PositivePoint, ProtocolError, ProtocolVersion, ResponseBody, ReviewOutcome, Success,
};
use review_types::{CriterionName, Score, Scores, Verdict};

use super::{Decoder, Result};
use crate::RepairCode;
use crate::afp::Segment;
use crate::afp::error::{AfpError, AfpFault};
use crate::form::{SeverityWord, is_placeholder};
use crate::parse::{Node, Property, Value};

/// Whether there is feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Success,
    Error,
}

impl FromStr for Status {
    type Err = UnknownWord;

    fn from_str(text: &str) -> std::result::Result<Self, UnknownWord> {
        match text {
            "success" => Ok(Self::Success),
            "error" => Ok(Self::Error),
            _ => Err(UnknownWord {
                known: "success error".to_owned(),
                got: text.to_owned(),
            }),
        }
    }
}

/// What stands before the answer proper.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) iteration: Iteration,
    pub(crate) status: Status,
}

/// The verdict beside the feedback, with the extension that it is in.
type Extension<'n, 't> = (&'n Node<'t>, ReviewOutcome);

/// The areas of a list, while ids are made for those that have none.
struct Listed<'n, 't> {
    areas: Vec<Area>,
    ids: BTreeSet<FeedbackId>,
    made: usize,
    /// Whether they stand beside a pass.
    passes: bool,
    /// More on each area, by its id.
    evidence: Option<&'n Node<'t>>,
}

impl<'t> Decoder<'t> {
    pub(crate) fn response(&mut self, object: &Node<'t>) -> Result<FeedbackResponse> {
        let head = self.head(object)?;
        let body = match head.status {
            Status::Error => ResponseBody::Error {
                error: self.error(object)?,
            },
            Status::Success => {
                let extension = self.find(object, "review")?;
                let extension = extension
                    .map(|node| Ok((node, self.outcome(node)?)))
                    .transpose()
                    .map_err(|error: AfpError| error.in_key("review"))?;
                ResponseBody::Success(self.success(object, extension)?)
            }
        };
        Ok(FeedbackResponse {
            protocol_version: ProtocolVersion,
            iteration: head.iteration,
            body,
        })
    }

    pub(crate) fn head(&mut self, object: &Node<'t>) -> Result<Head> {
        self.version(object)?;
        Ok(Head {
            iteration: self.only_iteration(object)?,
            status: self.member(object, "status", Self::word)?,
        })
    }

    pub(crate) fn error(&mut self, object: &Node<'t>) -> Result<ProtocolError> {
        self.member(object, "error", |decoder, error| {
            let code = decoder.member(error, "code", Self::string)?;
            Ok(ProtocolError {
                code: ErrorCode::of(&code),
                message: decoder.expected(error, "message", Self::string)?,
            })
        })
    }

    /// The answer proper, with the verdict that stands beside it.
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
        };
        let feedback = self.member(object, "feedback", |decoder, node| {
            decoder.summary(node, &mut listed)
        })?;
        self.no_severity_is_lost(&listed, &feedback.areas_for_improvement)
            .map_err(|error| error.in_key("evidence").in_key("review"))?;
        let ack = match self.optional(object, "applied_feedback_ack", Self::ack) {
            Err(_) if self.mend(RepairCode::AckDropped, object.span.start) => None,
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
        Ok(FeedbackSummary {
            confidence: self.member(object, "confidence", Self::confidence)?,
            positive_points: self.expected(object, "positive_points", |decoder, list| {
                decoder.list(list, Self::positive_point)
            })?,
            areas_for_improvement: self.areas(object, listed)?,
            general_summary: self.expected(object, "general_summary", Self::string)?,
        })
    }

    fn confidence(&mut self, object: &Node<'t>) -> Result<Confidence> {
        Ok(Confidence {
            level: self.member(object, "level", Self::word)?,
            justification: self.expected(object, "justification", Self::string)?,
        })
    }

    fn positive_point(&mut self, object: &Node<'t>) -> Result<PositivePoint> {
        Ok(PositivePoint {
            aspect: self.expected(object, "aspect", Self::string)?,
            justification: self.expected(object, "justification", Self::string)?,
        })
    }

    /// The list of areas. It may only be missing beside a pass, and only where
    /// mending is allowed.
    fn areas(&mut self, object: &Node<'t>, listed: &mut Listed<'_, 't>) -> Result<Areas> {
        let passes = listed.passes;
        let areas = self.optional(object, "areas_for_improvement", |decoder, node| {
            if matches!(node.value, Value::Object(_))
                && decoder.mend(RepairCode::SingleItem, node.span.start)
            {
                decoder.area(node, listed)?;
            } else {
                decoder.list(node, |decoder, item| decoder.area(item, listed))?;
            }
            // Ids that are made or kept differ, so that this never fails.
            Areas::new(std::mem::take(&mut listed.areas))
                .map_err(|error| AfpError::new(error, node.span.clone()))
        })?;
        match areas {
            Some(areas) => Ok(areas),
            None if passes && self.mend(RepairCode::MissingMember, object.span.start) => {
                Ok(Areas::default())
            }
            None => {
                let error = AfpError::new(AfpFault::Missing, object.span.clone());
                Err(error.in_key("areas_for_improvement"))
            }
        }
    }

    fn area(&mut self, item: &Node<'t>, listed: &mut Listed<'_, 't>) -> Result<()> {
        if self.mended.is_some() && is_placeholder_text(item) {
            return Ok(());
        }
        match self.read_area(item, listed) {
            Ok(area) => {
                listed.areas.push(area);
                Ok(())
            }
            // An area that says how much it matters is not dropped from a pass.
            Err(error)
                if is_given(item.get("severity"))
                    || error.path.segments() == [Segment::Key("severity")] =>
            {
                Err(error)
            }
            Err(_) if listed.passes && self.mend(RepairCode::ItemDropped, item.span.start) => {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn read_area(&mut self, item: &Node<'t>, listed: &mut Listed<'_, 't>) -> Result<Area> {
        let id = self.area_id(item, listed)?;
        let aspect = self.member(item, "aspect", Self::filled)?;
        let description = self.member(item, "description", Self::filled)?;
        let recommendation = self.member(item, "recommendation", Self::filled)?;
        let severity = self.severity_of(item, &id, listed.evidence)?;
        let area = Area::new(id, aspect, description, recommendation)
            .map_err(|_| AfpError::new(AfpFault::Blank, item.span.clone()))?;
        Ok(match severity {
            Some(severity) => area.with_severity(severity),
            None => area,
        })
    }

    /// How much an area matters, by the evidence on it. Where mending is
    /// allowed, the area may say it itself; the gravest word counts.
    fn severity_of(
        &mut self,
        item: &Node<'t>,
        id: &FeedbackId,
        evidence: Option<&Node<'t>>,
    ) -> Result<Option<Severity>> {
        let of_item = self.mended.is_some().then_some(item);
        let of_evidence = evidence.into_iter().flat_map(Node::members);
        let of_evidence = of_evidence.filter(|entry| entry.key == id.as_str());
        let said = of_item
            .into_iter()
            .chain(of_evidence.map(|entry| &entry.node))
            .filter(|node| matches!(node.value, Value::Object(_)));
        let severities: Result<Vec<_>> = said.map(|node| self.severity(node)).collect();
        Ok(severities?.into_iter().flatten().min())
    }

    /// How much an object says that it matters.
    fn severity(&mut self, object: &Node<'t>) -> Result<Option<Severity>> {
        let read = |decoder: &mut Self, node: &Node<'t>| {
            let unknown = |got: &str| {
                let word = UnknownWord {
                    known: Severity::WORDS.join(" "),
                    got: crate::judge::shorten(got),
                };
                AfpError::new(word, node.span.clone())
            };
            let Value::Text(text) = &node.value else {
                return Err(unknown(decoder.raw(node)));
            };
            let severity = match SeverityWord::of(text) {
                SeverityWord::Exact(severity) => return Ok(Some(severity)),
                SeverityWord::Form(severity) => Some(severity),
                SeverityWord::Blank => None,
                SeverityWord::Unknown => return Err(unknown(text)),
            };
            if decoder.mend(RepairCode::WordForm, node.span.start) {
                Ok(severity)
            } else {
                Err(unknown(text))
            }
        };
        let severity = self.optional(object, "severity", read)?;
        Ok(severity.flatten())
    }

    /// Checks that the evidence beside a pass says nothing of an area that was
    /// not read: it may be grave. Beside a revision such evidence is ignored.
    fn no_severity_is_lost(&self, listed: &Listed<'_, 't>, areas: &Areas) -> Result<()> {
        let Some(evidence) = listed.evidence.filter(|_| listed.passes) else {
            return Ok(());
        };
        let is_area = |key: &str| {
            let mut areas = areas.as_slice().iter();
            areas.any(|area| area.id().as_str() == key)
        };
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
            let fault = AfpFault::Type("an object");
            return Err(AfpError::new(fault, node.span.clone()));
        }
        let mut entries = evidence.members().iter();
        let is_lost =
            |entry: &&Property<'_>| is_given(entry.node.get("severity")) && !is_area(&entry.key);
        entries.find(is_lost).map_or(Ok(()), |entry| {
            let fault = AfpFault::NoArea(crate::judge::shorten(&entry.key));
            Err(AfpError::new(fault, entry.node.span.clone()))
        })
    }

    /// The id of an area. Where mending is allowed, one is made for an area
    /// without an id of its own.
    fn area_id(&mut self, item: &Node<'t>, listed: &mut Listed<'_, 't>) -> Result<FeedbackId> {
        let given: Result<FeedbackId> = self.member(item, "id", Self::name);
        let fault = match given {
            Ok(id) if listed.ids.insert(id.clone()) => return Ok(id),
            Ok(id) => {
                let fault = AfpFault::Repeated(id);
                AfpError::new(fault, item.span.clone()).in_key("id")
            }
            Err(error) => error,
        };
        if !matches!(item.value, Value::Object(_))
            || !self.mend(RepairCode::IdMade, item.span.start)
        {
            return Err(fault);
        }
        listed.make_id().ok_or(fault)
    }

    fn outcome(&mut self, object: &Node<'t>) -> Result<ReviewOutcome> {
        Ok(ReviewOutcome {
            review_id: self.optional(object, "review_id", Self::string)?,
            verdict: self.member(object, "verdict", Self::verdict)?,
            score: self
                .optional(object, "score", Self::scores)?
                .unwrap_or_default(),
        })
    }

    fn scores(&mut self, object: &Node<'t>) -> Result<Scores> {
        let Value::Object(entries) = &object.value else {
            let fault = AfpFault::Type("an object of scores");
            return Err(AfpError::new(fault, object.span.clone()));
        };
        let mut scores = Scores::default();
        for entry in entries {
            let span = || entry.node.span.clone();
            let name = CriterionName::new(&*entry.key);
            let name = name.map_err(|error| AfpError::new(error, span()))?;
            let score = self.score(&entry.node)?;
            if scores
                .insert(name, score)
                .is_some_and(|before| before != score)
            {
                return Err(AfpError::new(AfpFault::GivenTwice, span()));
            }
        }
        Ok(scores)
    }

    pub(super) fn score(&mut self, node: &Node<'t>) -> Result<Score> {
        let (min, max) = (0, u64::from(Score::MAX.get()));
        let number = self.number(node, min, max)?;
        let score = i64::try_from(number).ok().map(Score::new);
        score.and_then(std::result::Result::ok).ok_or_else(|| {
            let got = number.to_string();
            AfpError::new(AfpFault::Number { min, max, got }, node.span.clone())
        })
    }
}

impl Listed<'_, '_> {
    /// An id that no area has. Only ids that were given are ever passed over.
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

/// Whether a value is there and is not null.
fn is_given(value: Option<&Node<'_>>) -> bool {
    value.is_some_and(|node| !matches!(node.value, Value::Null))
}

/// Whether a value is a text that stands for what should be there.
fn is_placeholder_text(node: &Node<'_>) -> bool {
    matches!(&node.value, Value::Text(text) if is_placeholder(text))
}

/// Whether an item of a list shows the form of an area: nothing but
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
