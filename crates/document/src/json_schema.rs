//! JSON Schemas of the front matter of task files and plans, in the form that
//! ralph writes; the loader also reads other spellings.

use serde_json::Value;

/// Returns the schema of the front matter of a task file.
pub fn task_schema() -> Value {
    serde_json::from_str(include_str!("../data/task.json")).unwrap_or_default()
}

/// Returns the schema of the front matter of a plan.
pub fn plan_schema() -> Value {
    serde_json::from_str(include_str!("../data/plan.json")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;
    use crate::{PlanKey, TaskKey, TaskStatus};

    fn keys(schema: &Value) -> BTreeSet<&str> {
        let properties = schema["properties"].as_object().expect("an object");
        properties.keys().map(String::as_str).collect()
    }

    #[test]
    fn a_task_has_a_number_and_a_command() {
        let schema = task_schema();
        assert_eq!(keys(&schema), TaskKey::WORDS.iter().copied().collect());
        assert_eq!(schema["required"], json!(["task", "backpressure"]));
        let statuses = &schema["properties"]["status"]["enum"];
        assert_eq!(*statuses, json!(TaskStatus::WORDS));
    }

    #[test]
    fn a_plan_names_its_unit() {
        let schema = plan_schema();
        assert_eq!(keys(&schema), PlanKey::WORDS.iter().copied().collect());
        assert_eq!(schema["required"], json!(["unit"]));
    }
}
