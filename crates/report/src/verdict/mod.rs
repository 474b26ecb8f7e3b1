//! What an answer of a reviewer is read as.

mod human;

use review_schema::{Parsed, Repair, SchemaError};
use review_types::{ExitCode, Review, Severity, Verdict};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

pub use human::human;

/// A parsed answer of a reviewer: the review, or why it has none.
///
/// As JSON it is `{"v","ok","repairs"}` or `{"v","err","message","at"}`.
#[derive(Debug)]
pub struct Reading(pub Result<Parsed, SchemaError>);

impl Reading {
    /// The exit code that says it.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match &self.0 {
            Ok(parsed) => match (parsed.review.verdict(), grave_item(parsed)) {
                (Verdict::Pass, None) => ExitCode::Passed,
                (Verdict::Pass, Some(_)) | (Verdict::NeedsRevision, _) => ExitCode::NotPassed,
            },
            Err(_) => ExitCode::NoVerdict,
        }
    }

    /// Adds the fields of the result to an object.
    fn fields<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        match &self.0 {
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
        self.fields(&mut map)?;
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

#[cfg(test)]
mod tests;
