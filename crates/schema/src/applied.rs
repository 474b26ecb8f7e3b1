//! Parses the applier's decisions on items of feedback.
//!
//! They may be anywhere in its report, among prose and other objects. They are
//! optional, but none is lost or changed into another.

use std::collections::BTreeMap;

use review_types::{Decision, DecisionStatus, FeedbackId, ReasonCode, TakenDecision};
use serde::Deserialize;

use crate::Mode;
use crate::afp::Decoder;
use crate::input::Input;
use crate::objects::{Braced, for_each_object};
use crate::parse::{Node, Value};

/// The decisions in the report of an applier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportedDecisions {
    /// The decisions in order, each id once.
    pub stated: Vec<TakenDecision>,
    /// The items of `applied_feedback` that cannot be read, each id once and none with
    /// a decision.
    pub unreadable: Vec<UnreadableDecision>,
}

/// An item of `applied_feedback` that is not a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableDecision {
    /// The id of the feedback.
    pub id: FeedbackId,
    /// What is wrong.
    pub message: String,
}

/// Returns the decisions in the report of an applier: the items of
/// `applied_feedback`, wherever that is, or objects that are themselves a decision.
/// Of several decisions on an item the last one counts. A report without any gives
/// none.
///
/// A reason code in another form is normalized, and a rejection without a reason has
/// the code `unspecified`.
///
/// ```
/// use review_schema::read_decisions;
///
/// let report = br#"Done. {"applied_feedback": {"items": [
///     {"id": "scope-01", "status": "accepted"},
///     {"id": "goals-02", "status": "rejected", "reason_code": "out-of-scope"},
///     {"id": "tests-03", "status": "later"}]}}"#;
/// let reported = read_decisions(report);
/// let rejected = &reported.stated[1];
/// assert_eq!(rejected.decision.reason_code().unwrap().as_str(), "out_of_scope");
/// assert_eq!(rejected.written_code.as_deref(), Some("out-of-scope"));
/// assert_eq!(reported.unreadable[0].id.as_str(), "tests-03");
/// ```
#[must_use]
pub fn read_decisions(report: &[u8]) -> ReportedDecisions {
    let Ok(input) = Input::decode(report, Mode::Tolerant) else {
        return ReportedDecisions::default();
    };
    let text = &*input.text;
    let mut found = FoundDecisions {
        decoder: Decoder::repairing(text),
        stated: BTreeMap::new(),
        unreadable: BTreeMap::new(),
        order: 0,
    };
    for_each_object(text, |braced| {
        if let Braced::Object(object) = braced {
            found.take(&object);
        }
    });
    found.into_reported()
}

/// A decision as an applier writes it.
#[derive(Deserialize)]
struct Written {
    id: FeedbackId,
    status: Option<String>,
    reason_code: Option<String>,
    explanation: Option<String>,
}

/// The id of what may be meant as a decision.
#[derive(Deserialize)]
struct Named {
    id: FeedbackId,
}

impl Written {
    fn decision(self) -> Result<TakenDecision, UnreadableDecision> {
        let word = self.status.unwrap_or_default();
        let Ok(status) = word.trim().to_ascii_lowercase().parse::<DecisionStatus>() else {
            let message = match word.trim() {
                "" => "has no status".to_owned(),
                word => format!("status must be one of [accepted rejected partial], got: {word}"),
            };
            return Err(UnreadableDecision {
                id: self.id,
                message,
            });
        };
        let written = self.reason_code.filter(|code| !code.trim().is_empty());
        let code = written.as_deref().and_then(ReasonCode::normalized);
        let is_changed = code.as_ref().map(ReasonCode::as_str) != written.as_deref();
        let explanation = self.explanation.filter(|text| !text.trim().is_empty());
        let has_reason = code.is_some() || explanation.is_some();
        let code = match (status, has_reason) {
            (DecisionStatus::Rejected, false) => Some(ReasonCode::unspecified()),
            _ => code,
        };
        let decision = Decision::new(self.id.clone(), status, code, explanation);
        let decision = decision.map_err(|error| UnreadableDecision {
            id: self.id,
            message: error.to_string(),
        })?;
        Ok(TakenDecision {
            written_code: written.filter(|_| is_changed),
            ..TakenDecision::stated(decision)
        })
    }
}

/// The decisions found so far, with their order in the report.
struct FoundDecisions<'t> {
    decoder: Decoder<'t>,
    stated: BTreeMap<String, (usize, TakenDecision)>,
    unreadable: BTreeMap<String, (usize, UnreadableDecision)>,
    order: usize,
}

impl<'t> FoundDecisions<'t> {
    fn take(&mut self, object: &Node<'t>) {
        let applied = object.get("applied_feedback");
        let is_named = applied.is_some();
        let applied = applied.unwrap_or(object);
        let items = applied.get("items").unwrap_or(applied);
        match &items.value {
            Value::List(items) => items.iter().for_each(|item| self.decision(item, is_named)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {}
            Value::Object(_) => self.decision(items, is_named),
        }
    }

    /// Takes a decision; one in `applied_feedback` that cannot be read is noted.
    fn decision(&mut self, item: &Node<'t>, is_named: bool) {
        let written = self.decoder.read::<Written>(item);
        self.order += 1;
        let unreadable = match written.map(Written::decision) {
            Ok(Ok(taken)) => {
                let id = taken.decision.id().to_string();
                self.stated.insert(id, (self.order, taken));
                return;
            }
            Ok(Err(unreadable)) => Some(unreadable),
            Err(error) => {
                let named = self.decoder.read::<Named>(item).ok();
                named.map(|Named { id }| UnreadableDecision {
                    id,
                    message: error.to_string(),
                })
            }
        };
        if let Some(unreadable) = unreadable.filter(|_| is_named) {
            let id = unreadable.id.to_string();
            self.unreadable.insert(id, (self.order, unreadable));
        }
    }

    fn into_reported(mut self) -> ReportedDecisions {
        let stated = &self.stated;
        self.unreadable.retain(|id, _| !stated.contains_key(id));
        ReportedDecisions {
            stated: in_order(self.stated),
            unreadable: in_order(self.unreadable),
        }
    }
}

fn in_order<T>(found: BTreeMap<String, (usize, T)>) -> Vec<T> {
    let mut found: Vec<_> = found.into_values().collect();
    found.sort_by_key(|(order, _)| *order);
    found.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the decisions of a report, each as `id status reason explanation`.
    fn read(report: &str) -> Vec<String> {
        let words = |decision: &Decision| {
            let code = decision.reason_code().map(ToString::to_string);
            let words = [
                Some(decision.id().to_string()),
                Some(decision.status().to_string()),
                code,
                decision.explanation().map(str::to_owned),
            ];
            words.into_iter().flatten().collect::<Vec<_>>().join(" ")
        };
        let reported = read_decisions(report.as_bytes());
        let stated = reported.stated.iter();
        stated.map(|taken| words(&taken.decision)).collect()
    }

    const A: &str = r#"{"id": "a-01", "status": "accepted"}"#;
    const B: &str = r#"{"id": "b-02", "status": "rejected", "reason_code": "out_of_scope", "explanation": "later"}"#;

    #[test]
    fn decisions_are_found_anywhere_in_a_report() {
        let both = ["a-01 accepted", "b-02 rejected out_of_scope later"];
        for report in [
            format!(r#"{{"applied_feedback": {{"items": [{A}, {B}]}}}}"#),
            format!(r#"{{"edits": [{{"path": "x"}}], "applied_feedback": [{A}, {B}]}} {{"c": 1}}"#),
            format!("Edited {{a}}.\n```json\n{{\"items\": [{A}, {B},]}}\n```\nThat is all."),
            format!("- {A}\n- {B}\n"),
            format!("[{A}, {B}]"),
        ] {
            assert_eq!(read(&report), both, "{report}");
        }
    }

    #[test]
    fn the_last_decision_on_an_item_counts() {
        let report = format!(r#"{A} {B} {{"id": "a-01", "status": "partial"}}"#);
        let last = ["b-02 rejected out_of_scope later", "a-01 partial"];
        assert_eq!(read(&report), last);
    }

    #[test]
    fn a_rejection_is_never_lost() {
        for (item, expected, written) in [
            (
                r#"{"id": "c-1", "status": "rejected", "reason_code": "out-of-scope"}"#,
                "c-1 rejected out_of_scope",
                Some("out-of-scope"),
            ),
            (
                r#"{"id": "c-1", "status": "Rejected", "reason_code": "OUT_OF_SCOPE", "explanation": "not ours"}"#,
                "c-1 rejected out_of_scope not ours",
                Some("OUT_OF_SCOPE"),
            ),
            (
                r#"{"id": "c-1", "status": "rejected", "explanation": " "}"#,
                "c-1 rejected unspecified",
                None,
            ),
            (
                r#"{"id": "c-1", "status": "rejected", "reason_code": "42"}"#,
                "c-1 rejected unspecified",
                Some("42"),
            ),
            (
                r#"{"id": "c-1", "status": "partial", "reason_code": "in_part"}"#,
                "c-1 partial in_part",
                None,
            ),
        ] {
            assert_eq!(read(item), [expected], "{item}");
            let reported = read_decisions(item.as_bytes());
            assert_eq!(reported.stated[0].written_code.as_deref(), written);
            assert_eq!(reported.unreadable, []);
        }
    }

    #[test]
    fn a_decision_that_cannot_be_read_is_named() {
        for (item, message) in [
            (r#"{"id": "c-1"}"#, "has no status"),
            (
                r#"{"id": "c-1", "status": "wontfix"}"#,
                "status must be one of [accepted rejected partial], got: wontfix",
            ),
        ] {
            let report = format!(r#"{{"applied_feedback": {{"items": [{item}, {A}]}}}}"#);
            let reported = read_decisions(report.as_bytes());
            let unreadable: Vec<_> = reported
                .unreadable
                .iter()
                .map(|one| (one.id.as_str(), one.message.as_str()))
                .collect();
            assert_eq!(unreadable, [("c-1", message)]);
            let with_decision = report.replace(A, r#"{"id": "c-1", "status": "accepted"}"#);
            assert_eq!(read_decisions(with_decision.as_bytes()).unreadable, []);
            // An object elsewhere that has an id need not be a decision.
            assert_eq!(read_decisions(item.as_bytes()).unreadable, []);
        }
    }

    #[test]
    fn invalid_decisions_are_not_stated() {
        for item in [
            r#"{"id": "a-01"}"#,
            r#"{"id": " ", "status": "accepted"}"#,
            r#"{"id": "a-01", "status": "accepted | partial | rejected"}"#,
            r#""accepted""#,
            "7",
        ] {
            let report = format!(r#"{{"applied_feedback": {{"items": [{item}, {A}]}}}}"#);
            let broken = item.replace("a-01", "x");
            let report = report.replace(item, &broken);
            assert_eq!(read(&report), ["a-01 accepted"], "{item}");
        }
        for report in ["", "done", "{}", r#"{"applied_feedback": null}"#, "{\"a"] {
            assert_eq!(read(report), [""; 0], "{report}");
        }
        assert_eq!(
            read_decisions(b"\xff {\"a\": 1}"),
            ReportedDecisions::default()
        );
    }

    #[test]
    fn hostile_reports_are_parsed_in_bounded_time() {
        assert_eq!(read(&"{\"a\": [".repeat(5_000)), [""; 0]);
        assert_eq!(read(&"{".repeat(100_000)), [""; 0]);
    }
}
