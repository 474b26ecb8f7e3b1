//! What an answer of a reviewer is read as.

mod human;

use review_schema::{Explanation, Parsed, Repair, SchemaError};
use review_types::{ExitCode, Review, Severity, Verdict};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use crate::json::Version;

pub use human::human;

/// An answer of a reviewer, read.
///
/// As JSON it is `{"v","ok","repairs"}` or `{"v","err","message","at"}`, with
/// `candidates` and `left_off` when the reading is explained.
#[derive(Debug)]
pub struct Reading {
    /// The review, or why there is none.
    pub result: Result<Parsed, SchemaError>,
    explained: Option<Explained>,
}

/// The objects of an answer and the outcome of each.
#[derive(Debug)]
struct Explained {
    candidates: Vec<Candidate>,
    left_off: usize,
}

/// One object of an answer.
#[derive(Debug, Serialize)]
struct Candidate {
    start: usize,
    end: usize,
    fate: String,
}

impl Reading {
    /// A reading as it is.
    #[must_use]
    pub fn new(result: Result<Parsed, SchemaError>) -> Self {
        Self {
            result,
            explained: None,
        }
    }

    /// A reading with its candidates.
    #[must_use]
    pub fn explained(explanation: Explanation) -> Self {
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
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match &self.result {
            Ok(parsed) => match (parsed.review.verdict(), grave_item(parsed)) {
                (Verdict::Pass, None) => ExitCode::Passed,
                (Verdict::Pass, Some(_)) | (Verdict::NeedsRevision, _) => ExitCode::NotPassed,
            },
            Err(_) => ExitCode::NoVerdict,
        }
    }

    /// Adds the fields of the result to an object.
    fn fields<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
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
                if is_beside_text(parsed) {
                    map.serialize_entry("alone", &false)?;
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

/// Whether it is a pass with text around it: a loop asks a client for the object alone, and
/// counts that of a program only by its ids.
fn is_beside_text(parsed: &Parsed) -> bool {
    parsed.review.verdict() == Verdict::Pass && !parsed.is_alone
}

/// The position and the severity of the first item of a pass that its own reviewer calls
/// major or critical, so that it is not a pass.
fn grave_item(parsed: &Parsed) -> Option<(usize, Severity)> {
    let of_pass = parsed.review.verdict() == Verdict::Pass;
    let items = parsed.review.feedback().iter().enumerate();
    let mut said = items.filter_map(|(at, item)| Some((at, item.severity()?)));
    said.find(|(_, severity)| of_pass && *severity <= Severity::Major)
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

/// An answer of one line of input.
#[derive(Debug)]
pub struct LineReading {
    /// Its id and the reading; `None` for a line without an answer.
    pub read: Option<(Json, Reading)>,
}

impl Serialize for LineReading {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("v", &Version)?;
        match &self.read {
            Some((id, reading)) => {
                map.serialize_entry("id", id)?;
                reading.fields(&mut map)?;
            }
            None => {
                map.serialize_entry("id", &Json::Null)?;
                map.serialize_entry("err", "input")?;
            }
        }
        map.end()
    }
}
