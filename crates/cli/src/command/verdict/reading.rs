//! What became of an answer, as JSON.

use review_schema::{Explanation, Parsed, Repair, SchemaError};
use review_types::{ExitCode, FeedbackItem, Review, Severity, Verdict};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::output::Version;

/// What became of an answer.
///
/// As JSON it is `{"v","ok","repairs"}` or `{"v","err","message","at"}`, with
/// `candidates` and `left_off` when the reading is explained.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) result: Result<Parsed, SchemaError>,
    pub(super) explained: Option<Explained>,
}

/// The objects of an answer and what became of each.
#[derive(Debug)]
pub(super) struct Explained {
    pub(super) candidates: Vec<Candidate>,
    pub(super) left_off: usize,
}

/// One object of an answer.
#[derive(Debug, Serialize)]
pub(super) struct Candidate {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) fate: String,
}

impl Reading {
    /// A reading as it is.
    pub(super) fn new(result: Result<Parsed, SchemaError>) -> Self {
        Self {
            result,
            explained: None,
        }
    }

    /// A reading with its candidates.
    pub(super) fn explained(explanation: Explanation) -> Self {
        let candidates = explanation.candidates.into_iter();
        Self {
            explained: Some(Explained {
                candidates: candidates
                    .map(|candidate| Candidate {
                        start: candidate.span.start,
                        end: candidate.span.end,
                        fate: candidate.outcome.to_string(),
                    })
                    .collect(),
                left_off: explanation.left_off,
            }),
            result: explanation.result,
        }
    }

    /// The exit code that says it.
    pub(super) fn exit_code(&self) -> ExitCode {
        match &self.result {
            Ok(parsed) => match (parsed.review.verdict(), grave_item(parsed)) {
                (Verdict::Pass, None) => ExitCode::Passed,
                (Verdict::Pass, Some(_)) | (Verdict::NeedsRevision, _) => ExitCode::NotPassed,
            },
            Err(_) => ExitCode::NoVerdict,
        }
    }

    /// Adds the fields of the result to an object.
    pub(super) fn fields<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        match &self.result {
            Ok(parsed) => {
                let Parsed {
                    review, repairs, ..
                } = parsed;
                map.serialize_entry::<_, Review>("ok", review)?;
                map.serialize_entry::<_, Vec<Repair>>("repairs", repairs)?;
                if parsed.is_escalated() {
                    map.serialize_entry("escalated", &true)?;
                }
                if grave_item(parsed).is_some() {
                    map.serialize_entry("contradiction", &true)?;
                }
                Ok(())
            }
            Err(SchemaError {
                field, message, at, ..
            }) => {
                map.serialize_entry("err", field)?;
                map.serialize_entry("message", message)?;
                map.serialize_entry("at", at)
            }
        }
    }
}

/// The severity of the first item of a pass that its own reviewer calls major or
/// critical, so that it is no pass.
pub(super) fn grave_item(parsed: &Parsed) -> Option<Severity> {
    let of_pass = parsed.review.verdict() == Verdict::Pass;
    let mut said = parsed
        .review
        .feedback()
        .iter()
        .filter_map(FeedbackItem::severity);
    said.find(|severity| of_pass && *severity <= Severity::Major)
}

impl Serialize for Reading {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("v", &Version)?;
        self.fields(&mut map)?;
        if let Some(explained) = &self.explained {
            map.serialize_entry("candidates", &explained.candidates)?;
            map.serialize_entry("left_off", &explained.left_off)?;
        }
        map.end()
    }
}
