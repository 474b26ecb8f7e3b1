//! A version of a prompt.

use std::num::NonZeroU32;
use std::sync::LazyLock;

use review_types::{Timestamp, closed_list};
use serde::{Deserialize, Serialize};

use crate::AgentName;
use crate::object::{Faults, Shape, Shaped};

/// One version of the prompt of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PromptVersion {
    /// The agent.
    pub agent: AgentName,
    /// Its number, from 1.
    pub version: NonZeroU32,
    /// The version that it was derived from; absent for the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", default)]
    pub parent: Option<NonZeroU32>,
    /// The content of the prompt.
    pub content: String,
    /// The time of creation.
    #[schemars(extend("format" = "date-time"))]
    pub created_at: Timestamp,
    /// The ids of its lessons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub applied_lessons: Vec<String>,
    /// The changes from the previous version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Who approved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub approved_by: Option<String>,
    /// Its performance.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Performance", default)]
    pub performance: Option<Performance>,
}

closed_list!(
    /// The type of a change.
    ChangeType {
        /// Text was added.
        Addition => "addition",
        /// Text was replaced.
        Modification => "modification",
        /// Text was removed.
        Removal => "removal",
    }
);

/// A change of a version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Change {
    /// The type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChangeType", default)]
    pub change_type: Option<ChangeType>,
    /// The section.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub section: Option<String>,
    /// The old text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub old_text: Option<String>,
    /// The new text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub new_text: Option<String>,
}

/// The performance of a version, compared with the previous one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Performance {
    /// The mean quality of the previous version, from 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", default)]
    pub quality_before: Option<f64>,
    /// The mean quality of this version, from 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", default)]
    pub quality_after: Option<f64>,
    /// The share of errors of the previous version, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", default)]
    pub error_rate_before: Option<f64>,
    /// The share of errors of this version, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", default)]
    pub error_rate_after: Option<f64>,
}

impl Shaped for PromptVersion {
    fn shape() -> &'static Shape {
        static SHAPE: LazyLock<Shape> = LazyLock::new(Shape::of::<PromptVersion>);
        &SHAPE
    }

    fn rules(&self, faults: &mut Faults) {
        faults.blank("/agent", self.agent.as_str());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::object::LearningObject as _;

    fn whole() -> Json {
        json!({
            "agent": "reviewer",
            "version": 2,
            "parent": 1,
            "content": "Review the document.",
            "created_at": "2026-03-01T12:30:05Z",
            "applied_lessons": ["0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3"],
            "changes": [
                {"type": "addition", "section": "lessons", "new_text": "Give scores."},
                {"type": "modification", "section": "lessons", "old_text": "a", "new_text": "b"},
                {"type": "removal", "old_text": "a"},
            ],
            "approved_by": "ann",
            "performance": {
                "quality_before": 71.5, "quality_after": 80.0,
                "error_rate_before": 0.2, "error_rate_after": 0.1,
            },
        })
    }

    #[test]
    fn a_version_round_trips() {
        let version = PromptVersion::read(&whole()).into_result().unwrap();
        assert_eq!(version.changes[2].change_type, Some(ChangeType::Removal));
        assert_eq!(serde_json::to_value(&version).unwrap(), whole());
    }

    #[test]
    fn each_error_has_its_location() {
        for (pointer, value, code) in [
            ("/version", json!(0), "learning.out_of_range"),
            ("/version", json!(5_000_000_000_u64), "learning.value_form"),
            ("/version", json!("v2"), "learning.member_type"),
            ("/created_at", json!("yesterday"), "learning.not_instant"),
            ("/changes/1", json!("text"), "learning.member_type"),
            ("/changes/1/type", json!("rewrite"), "learning.word_unknown"),
            (
                "/performance/quality_after",
                json!("80"),
                "learning.member_type",
            ),
            ("/applied_lessons", json!("all"), "learning.member_type"),
        ] {
            let mut version = whole();
            *version.pointer_mut(pointer).unwrap() = value;
            let reading = PromptVersion::read(&version);
            let all = reading.diagnostics.iter();
            let told: Vec<_> = all
                .map(|one| (one.pointer.as_str(), one.code.as_str()))
                .collect();
            assert_eq!(told, [(pointer, code)]);
        }
    }

    #[test]
    fn an_integer_may_have_a_fraction_of_zero() {
        let mut version = whole();
        version["version"] = json!(3.0);
        let version = PromptVersion::read(&version).into_result().unwrap();
        assert_eq!(version.version.get(), 3);
    }
}
