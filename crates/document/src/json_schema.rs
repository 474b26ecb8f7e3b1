//! JSON Schemas of the front matter of task files and plans, in the form that
//! ralph writes; the loader also reads other spellings.

use serde_json::{Map, Value, json};

use crate::plan::PlanKey;
use crate::task::TaskKey;
use review_types::TaskStatus;

/// Returns the schema of the front matter of a task file.
#[must_use]
pub fn task_schema() -> Value {
    let properties = TaskKey::ALL.map(|key| (key.as_str(), task_key(key)));
    object(
        "Front matter of a task file",
        properties,
        &["task", "backpressure"],
    )
}

/// Returns the schema of the front matter of a plan.
#[must_use]
pub fn plan_schema() -> Value {
    let properties = PlanKey::ALL.map(|key| (key.as_str(), plan_key(key)));
    object("Front matter of a plan", properties, &["unit"])
}

fn object<const N: usize>(title: &str, keys: [(&str, Value); N], required: &[&str]) -> Value {
    let properties: Map<_, _> = keys
        .map(|(key, schema)| (key.to_owned(), schema))
        .into_iter()
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "properties": properties,
        "required": required,
    })
}

fn task_key(key: TaskKey) -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let with = |mut schema: Value, about: &str| {
        schema["description"] = Value::from(about);
        schema
    };
    match key {
        TaskKey::Task => with(
            json!({"type": "integer", "minimum": 1}),
            "The number of the task, unique in its unit.",
        ),
        TaskKey::Status => with(
            json!({"enum": TaskStatus::WORDS, "default": "pending"}),
            "The state that the task claims.",
        ),
        TaskKey::Backpressure => with(
            json!({"anyOf": [{"type": "string", "minLength": 1}, {"type": "array", "minItems": 1, "items": {"type": "string"}}]}),
            "The command, or the commands step by step, that fail until the task is done.",
        ),
        TaskKey::DependsOn => with(
            json!({"type": "array", "uniqueItems": true, "items": {"type": "integer", "minimum": 1}}),
            "The numbers of the tasks that must be complete before.",
        ),
        TaskKey::Timeout => with(
            json!({"type": "string", "pattern": "[0-9].*[A-Za-z:]"}),
            "The time limit of the commands, such as 90s or 10m.",
        ),
        TaskKey::Covers => with(texts, "The ids of the requirements that the task covers."),
        TaskKey::Paths => with(texts, "The paths that the task touches."),
        TaskKey::MayChange => with(
            texts,
            "Patterns for protected files, such as tests, that an agent may change for the task.",
        ),
        TaskKey::Hidden => with(
            texts,
            "Patterns for files, such as tests, that gates find and no agent of the unit sees.",
        ),
    }
}

fn plan_key(key: PlanKey) -> Value {
    let (kind, about) = match key {
        PlanKey::Unit => ("string", "The name of the unit: that of its folder."),
        PlanKey::DependsOn => ("array", "The names of the units that come before."),
        PlanKey::Provider => ("string", "The agent that works on the unit."),
        PlanKey::Spec => (
            "string",
            "The spec that the unit implements, from the root.",
        ),
    };
    let mut schema = json!({"type": kind, "description": about});
    if kind == "array" {
        schema["items"] = json!({"type": "string"});
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(schema: &Value) -> Vec<&str> {
        let properties = schema["properties"].as_object().expect("an object");
        properties.keys().map(String::as_str).collect()
    }

    #[test]
    fn a_task_has_a_number_and_a_command() {
        let schema = task_schema();
        assert_eq!(
            keys(&schema),
            [
                "backpressure",
                "covers",
                "depends_on",
                "hidden",
                "may_change",
                "paths",
                "status",
                "task",
                "timeout"
            ]
        );
        assert_eq!(schema["required"], json!(["task", "backpressure"]));
        assert_eq!(
            schema["properties"]["status"]["enum"],
            json!(["pending", "in_progress", "complete", "failed", "blocked"])
        );
        assert_eq!(schema["properties"]["task"]["minimum"], 1);
    }

    #[test]
    fn a_plan_names_its_unit() {
        let schema = plan_schema();
        assert_eq!(keys(&schema), ["depends_on", "provider", "spec", "unit"]);
        assert_eq!(schema["required"], json!(["unit"]));
        assert_eq!(
            schema["properties"]["depends_on"]["items"],
            json!({"type": "string"})
        );
        assert_eq!(schema["properties"]["unit"]["type"], "string");
    }
}
