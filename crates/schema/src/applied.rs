//! Parses the applier's decisions on items of feedback.
//!
//! They may be anywhere in its report, among prose and other objects. They are
//! optional, but none is lost or changed into another.

use std::collections::{BTreeMap, BTreeSet};

use review_types::{Decision, DecisionStatus, FeedbackId, ReasonCode, TakenDecision};

use crate::judge::contradicts;
use crate::objects::Objects;
use crate::parse::{Node, Property, Value};
use crate::{Mode, frame};

/// The field that holds the decisions.
const FIELD: &str = "applied_feedback";

/// Fields of objects that decide nothing, whatever ids they name: the edits of an applier
/// without tools, and a response of the Agent Feedback Protocol.
const UNDECIDING: [&str; 2] = ["edits", "protocol_version"];

/// The decisions in the report of an applier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportedDecisions {
    /// The decisions in order, each id once.
    pub stated: Vec<TakenDecision>,
    /// What is meant as a decision and cannot be read, each id once and none with a
    /// decision.
    pub unreadable: Vec<UnreadableDecision>,
    /// The content of the report without objects that decide nothing, such as its edits: an
    /// item that it names has a decision in some other form.
    pub rest: String,
}

/// A part of a report that is meant as a decision and cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableDecision {
    /// The id of the feedback; `None` if it may be about any.
    pub id: Option<FeedbackId>,
    /// What is wrong.
    pub message: String,
}

/// Returns the decisions in the report of an applier: the items of
/// `applied_feedback`, wherever that is, or objects that are themselves a decision.
/// Two that contradict each other cannot be read. A report without any gives none.
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
/// assert_eq!(reported.unreadable[0].id.as_ref().unwrap().as_str(), "tests-03");
/// ```
#[must_use]
pub fn read_decisions(report: &[u8]) -> ReportedDecisions {
    let Ok((text, _)) = frame::decode(report, Mode::Tolerant) else {
        return ReportedDecisions::default();
    };
    let mut found = FoundDecisions {
        text: &text,
        stated: BTreeMap::new(),
        unreadable: BTreeMap::new(),
        contradicted: BTreeSet::new(),
        is_cut: false,
        order: 0,
    };
    let (mut rest, mut end) = (String::new(), 0);
    for braced in Objects::of(&text) {
        let raw = text.get(braced.span.clone()).unwrap_or_default();
        match braced.object {
            Ok(object) => {
                found.take(&object);
                if UNDECIDING.iter().any(|field| object.get(field).is_some()) {
                    rest.push_str(text.get(end..braced.span.start).unwrap_or_default());
                    end = braced.span.end;
                }
            }
            Err(_) => found.is_cut |= raw.contains(FIELD) && !is_template(raw),
        }
    }
    found.is_cut |= text.lines().any(is_yaml);
    rest.push_str(text.get(end..).unwrap_or_default());
    found.into_reported(rest)
}

/// Whether an object is the form of a report, as the prompt shows it.
fn is_template(text: &str) -> bool {
    text.contains("\"...\"")
}

/// Whether a line starts the decisions in YAML.
fn is_yaml(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix(FIELD);
    rest.is_some_and(|rest| rest.starts_with(':'))
}

/// The decisions found so far, with their order in the report.
struct FoundDecisions<'t> {
    text: &'t str,
    stated: BTreeMap<String, (usize, TakenDecision)>,
    /// By their ids; what may be about any item has the empty one.
    unreadable: BTreeMap<String, (usize, UnreadableDecision)>,
    /// The ids with decisions that contradict each other.
    contradicted: BTreeSet<String>,
    /// Whether decisions are there in a form that is not JSON.
    is_cut: bool,
    order: usize,
}

impl FoundDecisions<'_> {
    fn take(&mut self, object: &Node<'_>) {
        let applied = object.get(FIELD);
        let is_named = applied.is_some();
        let applied = applied.unwrap_or(object);
        let items = applied.get("items").unwrap_or(applied);
        match &items.value {
            Value::List(items) => {
                for item in items {
                    self.decision(item.get("id"), item, is_named);
                }
            }
            Value::Object(by_id) if is_named && items.get("id").is_none() => {
                for Property { key, node, .. } in by_id {
                    self.decision_on(FeedbackId::new(&**key).ok(), node, is_named);
                }
            }
            Value::Object(_) => self.decision(items.get("id"), items, is_named),
            Value::Text(_) if is_named => self.decision(None, items, is_named),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {}
        }
    }

    fn decision(&mut self, id: Option<&Node<'_>>, item: &Node<'_>, is_named: bool) {
        let read = id.and_then(|id| FeedbackId::new(id.text()?).ok());
        match id.filter(|_| read.is_none() && is_named) {
            Some(id) => {
                let id = id.raw(self.text);
                self.note(None, format!("has the id {id}, which no item has"));
            }
            None => self.decision_on(read, item, is_named),
        }
    }

    /// Takes a decision, or notes one that cannot be read: any in `applied_feedback`, and
    /// elsewhere an object with an id and a status.
    fn decision_on(&mut self, id: Option<FeedbackId>, item: &Node<'_>, is_named: bool) {
        self.order += 1;
        let is_meant = is_named || id.is_some() && item.get("status").is_some();
        let read = match &id {
            Some(id) => self.written(id.clone(), item),
            None => Err("has no id".to_owned()),
        };
        match (read, id) {
            (Ok(taken), _) => {
                let id = taken.decision.id().to_string();
                let status = taken.decision.status();
                let before = self.stated.insert(id.clone(), (self.order, taken));
                let before = before.map(|(_, before)| before.decision.status());
                if before.is_some_and(|before| before != status) {
                    self.contradicted.insert(id);
                }
            }
            (Err(message), id) if is_meant => self.note(id, message),
            (Err(_), _) => {}
        }
    }

    fn note(&mut self, id: Option<FeedbackId>, message: String) {
        let key = id.as_ref().map(ToString::to_string).unwrap_or_default();
        let unreadable = UnreadableDecision { id, message };
        self.unreadable.insert(key, (self.order, unreadable));
    }

    /// Returns the decision that an item states, or what is wrong with it.
    fn written(&self, id: FeedbackId, item: &Node<'_>) -> Result<TakenDecision, String> {
        let status = match &item.value {
            Value::Text(word) => Some(word.to_string()),
            _ => self.word(item, "status")?,
        };
        let word = status.unwrap_or_default();
        let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
        let status = match plain.to_ascii_lowercase().parse::<DecisionStatus>() {
            Ok(status) => status,
            Err(_) if plain.is_empty() => return Err("has no status".to_owned()),
            Err(_) => {
                let word = word.trim();
                return Err(format!(
                    "status must be one of [accepted rejected partial], got: {word}"
                ));
            }
        };
        let (mut written, mut explanation) = (None, None);
        if let Value::Object(_) = item.value {
            written = self.word(item, "reason_code")?;
            explanation = self.word(item, "explanation")?;
        }
        let code = written.as_deref().and_then(ReasonCode::normalized);
        let is_changed = code.as_ref().map(ReasonCode::as_str) != written.as_deref();
        let has_reason = code.is_some() || explanation.is_some();
        let code = match (status, has_reason) {
            (DecisionStatus::Rejected, false) => Some(ReasonCode::unspecified()),
            _ => code,
        };
        let decision = Decision::new(id, status, code, explanation);
        let decision = decision.map_err(|error| error.to_string())?;
        Ok(TakenDecision {
            written_code: written.filter(|_| is_changed),
            ..TakenDecision::stated(decision)
        })
    }

    /// Returns a field as a string, that of another type as it is written; `None` if it is
    /// missing or blank.
    fn word(&self, item: &Node<'_>, key: &'static str) -> Result<Option<String>, String> {
        if !item.is_object() {
            return Err("expected object".to_owned());
        }
        if contradicts(item, key, self.text) {
            return Err(format!("{key}: duplicate key with different values"));
        }
        let found = item.get(key).filter(|node| !node.is_null());
        let word = found.map(|node| {
            node.text()
                .unwrap_or_else(|| node.raw(self.text))
                .to_owned()
        });
        Ok(word.filter(|word| !word.trim().is_empty()))
    }

    fn into_reported(mut self, rest: String) -> ReportedDecisions {
        for id in std::mem::take(&mut self.contradicted) {
            if let Some((_, taken)) = self.stated.remove(&id) {
                self.order += 1;
                let id = taken.decision.id().clone();
                self.note(Some(id), "is given twice, in two ways".to_owned());
            }
        }
        if self.is_cut {
            self.order += 1;
            self.note(None, "is not complete JSON".to_owned());
        }
        let stated = &self.stated;
        self.unreadable.retain(|id, _| !stated.contains_key(id));
        ReportedDecisions {
            stated: in_order(self.stated),
            unreadable: in_order(self.unreadable),
            rest,
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
    fn decisions_that_contradict_each_other_are_none() {
        let again = format!("{A} {B} {A}");
        let last = ["b-02 rejected out_of_scope later", "a-01 accepted"];
        assert_eq!(read(&again), last);
        let report = format!(r#"{A} {B} {{"id": "a-01", "status": "partial"}}"#);
        assert_eq!(read(&report), last[..1]);
        assert_eq!(unreadable(&report), ["a-01 is given twice, in two ways"]);
    }

    #[test]
    fn the_rest_of_a_report_is_what_it_says_besides_its_edits() {
        let report = r#"a {"edits": [{"path": "b-02"}]} c {"id": "d-03"}"#;
        let rest = read_decisions(report.as_bytes()).rest;
        assert_eq!(rest, r#"a  c {"id": "d-03"}"#);
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
                r#"{"id": "c-1", "status": "rejected", "reason_code": "3rd-party"}"#,
                "c-1 rejected unspecified",
                Some("3rd-party"),
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
            assert_eq!(unreadable(&report), [format!("c-1 {message}")]);
            let with_decision = report.replace(A, r#"{"id": "c-1", "status": "accepted"}"#);
            assert_eq!(read_decisions(with_decision.as_bytes()).unreadable, []);
        }
    }

    /// Returns what cannot be read, each as `id message`.
    fn unreadable(report: &str) -> Vec<String> {
        let reported = read_decisions(report.as_bytes());
        let words = |one: &UnreadableDecision| match &one.id {
            Some(id) => format!("{id} {}", one.message),
            None => one.message.clone(),
        };
        reported.unreadable.iter().map(words).collect()
    }

    #[test]
    fn decisions_by_their_ids_and_in_other_types_are_read() {
        for (items, expected) in [
            (
                r#"{"a-01": {"status": "rejected", "explanation": "later"}, "b-02": "accepted"}"#,
                &["a-01 rejected later", "b-02 accepted"][..],
            ),
            (
                r#"{"items": {"a-01": "Rejected."}}"#,
                &["a-01 rejected unspecified"],
            ),
            (
                r#"[{"id": "a-01", "status": "rejected", "reason_code": 17}]"#,
                &["a-01 rejected unspecified"],
            ),
            (
                r#"[{"id": "a-01", "status": "rejected", "explanation": ["no", "time"]}]"#,
                &[r#"a-01 rejected ["no", "time"]"#],
            ),
        ] {
            let report = format!(r#"{{"applied_feedback": {items}}}"#);
            assert_eq!(read(&report), expected, "{items}");
            assert_eq!(unreadable(&report), [""; 0], "{items}");
        }
    }

    #[test]
    fn decisions_in_another_form_are_no_silence() {
        let cut = r#"{"applied_feedback": {"items": [{"id": "c-1", "status": "rejected""#;
        for (report, expected) in [
            (cut, "is not complete JSON"),
            (
                "applied_feedback:\n- id: c-1\n  status: rejected",
                "is not complete JSON",
            ),
            (r#"{"applied_feedback": "c-1 rejected"}"#, "has no id"),
            (
                r#"{"applied_feedback": {"items": ["rejected"]}}"#,
                "has no id",
            ),
            (
                r#"{"applied_feedback": [{"status": "rejected"}]}"#,
                "has no id",
            ),
            (
                r#"{"applied_feedback": [{"id": 7, "status": "rejected"}]}"#,
                "has the id 7, which no item has",
            ),
            (
                r#"[{"id": "c-1", "status": "declined"}]"#,
                "c-1 status must be one of [accepted rejected partial], got: declined",
            ),
            (
                r#"[{"id": "c-1", "status": "rejected", "status": "accepted"}]"#,
                "c-1 status: duplicate key with different values",
            ),
        ] {
            assert_eq!(unreadable(report), [expected], "{report}");
        }
        for silent in [
            r#"{ "applied_feedback": { "items": [ { "id": "...", "status": "accepted" | "partial" } ] } }"#,
            r#"{"id": "c-1", "title": "a task"}"#,
            "I left applied_feedback out.",
        ] {
            assert_eq!(unreadable(silent), [""; 0], "{silent}");
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
        let reported = read_decisions(b"\xff {\"a\": 1}");
        assert_eq!((reported.stated.len(), reported.unreadable.len()), (0, 0));
    }

    #[test]
    fn hostile_reports_are_parsed_in_bounded_time() {
        assert_eq!(read(&"{\"a\": [".repeat(5_000)), [""; 0]);
        assert_eq!(read(&"{".repeat(100_000)), [""; 0]);
    }
}
