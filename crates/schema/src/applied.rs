//! Parses the applier's decisions on items of feedback.
//!
//! They may be anywhere in its report, among prose and other objects. They are
//! optional: invalid ones are ignored.

use review_types::Decision;
use std::collections::BTreeMap;

use crate::Mode;
use crate::afp::Decoder;
use crate::input::Input;
use crate::objects::{Braced, for_each_object};
use crate::parse::{Node, Value};

/// Returns the decisions in the report of an applier: the items of
/// `applied_feedback`, wherever that is, or objects that are themselves a decision.
/// Of several decisions on an item the last one counts. Invalid decisions are
/// ignored; a report without any gives none.
///
/// ```
/// use review_schema::read_decisions;
///
/// let report = br#"Done. {"applied_feedback": {"items": [
///     {"id": "scope-01", "status": "accepted"},
///     {"id": "goals-02", "status": "rejected"}]}}"#;
/// // The second one does not say why.
/// let decisions = read_decisions(report);
/// assert_eq!(decisions.len(), 1);
/// assert_eq!(decisions[0].id().as_str(), "scope-01");
/// ```
#[must_use]
pub fn read_decisions(report: &[u8]) -> Vec<Decision> {
    let Ok(input) = Input::decode(report, Mode::Tolerant) else {
        return Vec::new();
    };
    let text = &*input.text;
    let mut found = FoundDecisions {
        decoder: Decoder::repairing(text),
        by_id: BTreeMap::new(),
        order: 0,
    };
    for_each_object(text, |braced| {
        if let Braced::Object(object) = braced {
            found.take(&object);
        }
    });
    let mut decisions: Vec<_> = found.by_id.into_values().collect();
    decisions.sort_by_key(|(order, _)| *order);
    decisions
        .into_iter()
        .map(|(_, decision)| decision)
        .collect()
}

/// The decisions found so far, with their offsets in the report.
struct FoundDecisions<'t> {
    decoder: Decoder<'t>,
    by_id: BTreeMap<String, (usize, Decision)>,
    order: usize,
}

impl<'t> FoundDecisions<'t> {
    fn take(&mut self, object: &Node<'t>) {
        let applied = object.get("applied_feedback").unwrap_or(object);
        let items = applied.get("items").unwrap_or(applied);
        match &items.value {
            Value::List(items) => items.iter().for_each(|item| self.decision(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {}
            Value::Object(_) => self.decision(items),
        }
    }

    fn decision(&mut self, item: &Node<'t>) {
        if let Ok(decision) = self.decoder.read::<Decision>(item) {
            let id = decision.id().to_string();
            self.by_id.insert(id, (self.order, decision));
            self.order += 1;
        }
    }
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
        read_decisions(report.as_bytes())
            .iter()
            .map(words)
            .collect()
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
    fn invalid_decisions_are_ignored() {
        for item in [
            r#"{"id": "a-01"}"#,
            r#"{"id": " ", "status": "accepted"}"#,
            r#"{"id": "a-01", "status": "accepted | partial | rejected"}"#,
            r#"{"id": "a-01", "status": "rejected", "explanation": " "}"#,
            r#"{"id": "a-01", "status": "rejected", "reason_code": "Not a word"}"#,
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
        assert_eq!(read_decisions(b"\xff {\"a\": 1}"), []);
    }

    #[test]
    fn hostile_reports_are_parsed_in_bounded_time() {
        assert_eq!(read(&"{\"a\": [".repeat(5_000)), [""; 0]);
        assert_eq!(read(&"{".repeat(100_000)), [""; 0]);
    }
}
