//! A lesson as it is kept: its content, its evidence and its state, one file a lesson.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use review_types::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Impact, LessonStatus};
use crate::object::{Code, Faults, Shape, Shaped};
use crate::{AgentName, Id};

/// An instruction for an agent and the feedback that it follows from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Lesson {
    /// Its id.
    pub id: Id,
    /// The agent that should learn it.
    pub agent: AgentName,
    /// The lesson learned, in a sentence.
    pub lesson_text: String,
    /// The instruction for the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub constraint_update: Option<String>,
    /// The ids of the entries that it comes from; they remain when the entries are
    /// pruned.
    pub source_feedback: Vec<String>,
    /// The confidence, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", default, range(min = 0, max = 1))]
    pub confidence: Option<f64>,
    /// The share of the agent's entries that it comes from, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", default, range(min = 0, max = 1))]
    pub frequency: Option<f64>,
    /// The impact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Impact", default)]
    pub impact: Option<Impact>,
    /// The status.
    #[serde(default)]
    pub status: LessonStatus,
    /// Who approved it; required for approved and applied lessons.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub approved_by: Option<String>,
    /// The time since which it is in a prompt; required for applied lessons.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default, extend("format" = "date-time"))]
    pub applied_at: Option<Timestamp>,
    /// The time at which it was removed from a prompt by a rollback; it then always
    /// needs an explicit decision, until a user words it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default, extend("format" = "date-time"))]
    pub rolled_back_at: Option<Timestamp>,
    /// The time at which a deferred lesson is presented again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default, extend("format" = "date-time"))]
    pub deferred_until: Option<Timestamp>,
    /// A note on its latest change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub note: Option<String>,
    /// The number of entries that it comes from, including pruned ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", default)]
    pub occurrences: Option<u32>,
    /// The ids of the exemplars, or of the entries that its author cites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exemplars: Vec<String>,
    /// The author: backend, model and prompt, or a user; absent if it is the lesson of a
    /// common pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub written_by: Option<String>,
    /// The ids of the clusters of its entries: several where their lessons are in nearly
    /// the same words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<u32>,
    /// The pattern of the corrections that it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub pattern: Option<String>,
    /// The factors of the confidence, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub factors: BTreeMap<String, f64>,
    /// The number of runs with it that passed in fewer rounds than the mean before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", default)]
    pub helpful: Option<u32>,
}

impl Lesson {
    /// Returns a proposed lesson with the required fields only.
    pub(crate) fn proposed(id: Id, agent: &AgentName, lesson_text: String) -> Self {
        Self {
            id,
            agent: agent.clone(),
            lesson_text,
            constraint_update: None,
            source_feedback: Vec::new(),
            confidence: None,
            frequency: None,
            impact: None,
            status: LessonStatus::Proposed,
            approved_by: None,
            applied_at: None,
            rolled_back_at: None,
            deferred_until: None,
            note: None,
            occurrences: None,
            exemplars: Vec::new(),
            written_by: None,
            clusters: Vec::new(),
            pattern: None,
            factors: BTreeMap::new(),
            helpful: None,
        }
    }

    /// The lesson and the instruction as one string.
    pub fn text(&self) -> String {
        let constraint = self.constraint_update.as_deref().unwrap_or_default();
        format!("{}\n{constraint}", self.lesson_text)
    }

    /// Whether the feedback of a cluster is its own.
    pub(super) fn covers(&self, cluster: u32) -> bool {
        self.clusters.contains(&cluster)
    }
}

impl Shaped for Lesson {
    fn shape() -> &'static Shape {
        static SHAPE: LazyLock<Shape> = LazyLock::new(Shape::of::<Lesson>);
        &SHAPE
    }

    fn rules(&self, faults: &mut Faults) {
        faults.blank("/agent", self.agent.as_str());
        faults.blank("/lesson_text", &self.lesson_text);
        let status = self.status;
        match &self.approved_by {
            Some(approver) => faults.blank("/approved_by", approver),
            None if status.is_approved() => {
                let message = format!("is required for a lesson that is {status}");
                faults.error("/approved_by", Code::ApprovedByMissing, message);
            }
            None => {}
        }
        if status == LessonStatus::Applied && self.applied_at.is_none() {
            let message = "is required for a lesson that is applied";
            faults.error("/applied_at", Code::AppliedAtMissing, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::object::LearningObject as _;

    fn whole() -> Json {
        json!({
            "id": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3",
            "agent": "reviewer",
            "lesson_text": "Answers without scores were sent back.",
            "constraint_update": "Give a score for each criterion.",
            "source_feedback": ["0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b4"],
            "confidence": 0.75,
            "frequency": 0.4,
            "impact": "high",
            "status": "applied",
            "approved_by": "ann",
            "applied_at": "2026-03-01T12:30:05Z",
            "rolled_back_at": "2026-03-02T00:00:00Z",
            "deferred_until": "2026-03-08T00:00:00Z",
            "note": "deferred by ann",
            "occurrences": 7,
            "exemplars": ["0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b4"],
            "written_by": "cmd lesson/v1 writer/v1",
            "clusters": [3, 7],
            "pattern": "missing-scores",
            "factors": {"cohesion": 0.75, "evidence": 1.0},
            "helpful": 4,
        })
    }

    fn errors(lesson: &Json) -> Vec<(String, &'static str)> {
        let reading = Lesson::read(lesson);
        let all = reading.diagnostics.iter();
        all.map(|one| (one.pointer.clone(), one.code.as_str()))
            .collect()
    }

    #[test]
    fn a_lesson_round_trips() {
        let lesson = Lesson::read(&whole()).into_result().unwrap();
        assert_eq!(serde_json::to_value(&lesson).unwrap(), whole());
        let least = json!({
            "id": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3",
            "agent": "reviewer", "lesson_text": "t", "source_feedback": [],
        });
        let lesson = Lesson::read(&least).into_result().unwrap();
        assert_eq!(lesson.status, LessonStatus::Proposed);
    }

    #[test]
    fn an_approved_lesson_names_its_approver_and_an_applied_one_its_time() {
        for (status, missing) in [
            ("proposed", &[][..]),
            ("rejected", &[]),
            ("approved", &["/approved_by"]),
            ("applied", &["/approved_by", "/applied_at"]),
        ] {
            let mut lesson = whole();
            lesson["status"] = json!(status);
            let members = lesson.as_object_mut().unwrap();
            members.remove("approved_by");
            members.remove("applied_at");
            let found = errors(&lesson);
            let pointers: Vec<_> = found.iter().map(|(pointer, _)| pointer.as_str()).collect();
            assert_eq!(pointers, missing, "{status}");
        }
        let mut lesson = whole();
        lesson["approved_by"] = json!("");
        assert_eq!(
            errors(&lesson),
            [("/approved_by".to_owned(), "learning.text_blank")]
        );
    }

    #[test]
    fn shares_and_confidence_are_from_0_to_1() {
        for key in ["confidence", "frequency"] {
            for (value, is_fine) in [
                (0.0, true),
                (1.0, true),
                (-0.01, false),
                (1.01, false),
                (40.0, false),
            ] {
                let mut lesson = whole();
                lesson[key] = json!(value);
                let expected: &[(String, &str)] = &[(format!("/{key}"), "learning.out_of_range")];
                let expected = if is_fine { &[] } else { expected };
                assert_eq!(errors(&lesson), expected, "{key} {value}");
            }
        }
    }
}
