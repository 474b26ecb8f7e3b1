//! The JSON schemas of answers, for backends that hold their model to one.

use review::criteria::Criteria;
use review::types::Severity;
use serde_json::{Map, Value as Json, json};

/// Strict as some services want it: every property is required, none may be
/// added, and no limits of numbers are given.
pub(crate) fn review_schema(criteria: &Criteria) -> Json {
    let text = json!({"type": "string"});
    let scores: Vec<_> = criteria
        .iter()
        .map(|criterion| (criterion.name.as_str(), json!({"type": "integer"})))
        .collect();
    let item = object([
        ("section", text.clone()),
        ("issue", text.clone()),
        ("suggestion", text.clone()),
        (
            "severity",
            json!({"type": "string", "enum": Severity::WORDS}),
        ),
        ("quote", json!({"type": ["string", "null"]})),
    ]);
    object([
        ("review_id", text),
        ("end_id", json!({"type": ["string", "null"]})),
        (
            "verdict",
            json!({"type": "string", "enum": ["pass", "needs_revision"]}),
        ),
        ("score", object(scores)),
        ("feedback", json!({"type": "array", "items": item})),
    ])
}

/// The schema of an answer that holds edits and decisions. What an edit does not
/// use is null.
pub(crate) fn edits_schema() -> Json {
    let text = json!({"type": "string"});
    let optional = json!({"type": ["string", "null"]});
    let list = |item: Json| json!({"type": "array", "items": item});
    let status = json!({"type": "string", "enum": ["accepted", "partial", "rejected"]});
    let decision = object([
        ("id", text),
        ("status", status),
        ("reason_code", optional.clone()),
        ("explanation", optional),
    ]);
    object([
        ("applied_feedback", object([("items", list(decision))])),
        ("edits", list(edit_schema())),
    ])
}

/// The schema of an answer that holds the edits of a task.
pub(crate) fn implement_schema() -> Json {
    let outcomes = ["done", "already_satisfied", "question"];
    object([
        ("outcome", json!({"type": "string", "enum": outcomes})),
        ("text", json!({"type": "string"})),
        ("edits", json!({"type": "array", "items": edit_schema()})),
    ])
}

fn edit_schema() -> Json {
    let optional = json!({"type": ["string", "null"]});
    object([
        ("path", json!({"type": "string"})),
        ("search", optional.clone()),
        ("replace", optional.clone()),
        ("content", optional),
    ])
}

/// The schema of an object with these properties.
pub(crate) fn object<'a>(properties: impl IntoIterator<Item = (&'a str, Json)>) -> Json {
    let properties: Map<_, _> = properties
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect();
    let names: Vec<_> = properties.keys().cloned().collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": names,
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_is_required_and_none_may_be_added() {
        let schema = review_schema(&Criteria::default());
        let text = json!({"type": "string"});
        let score = json!({"type": "integer"});
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["end_id", "feedback", "review_id", "score", "verdict"],
                "properties": {
                    "review_id": text,
                    "end_id": {"type": ["string", "null"]},
                    "verdict": {"type": "string", "enum": ["pass", "needs_revision"]},
                    "score": {
                        "type": "object",
                        "additionalProperties": false,
                        "required": ["architecture", "completeness", "consistency", "testability"],
                        "properties": {
                            "completeness": score,
                            "consistency": score,
                            "testability": score,
                            "architecture": score,
                        },
                    },
                    "feedback": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": false,
                            "required": ["issue", "quote", "section", "severity", "suggestion"],
                            "properties": {
                                "section": text,
                                "issue": text,
                                "suggestion": text,
                                "severity": {
                                    "type": "string",
                                    "enum": ["critical", "major", "minor", "suggestion"],
                                },
                                "quote": {"type": ["string", "null"]},
                            },
                        },
                    },
                },
            })
        );
    }

    #[test]
    fn the_schema_of_edits_requires_every_property_and_allows_no_other() {
        fn is_strict(schema: &Json) -> bool {
            let Some(properties) = schema["properties"].as_object() else {
                return schema["items"].is_null() || is_strict(&schema["items"]);
            };
            let required = schema["required"].as_array().map_or(0, Vec::len);
            required == properties.len()
                && schema["additionalProperties"] == json!(false)
                && properties.values().all(is_strict)
        }
        let schema = edits_schema();
        assert!(is_strict(&schema), "{schema:#}");
        assert!(is_strict(&implement_schema()));
        let edit = &schema["properties"]["edits"]["items"]["properties"];
        assert_eq!(edit["search"]["type"], json!(["string", "null"]));
    }
}
