//! The JSON schema of a review, for clients that hold their model to one.

use review::criteria::Criteria;
use review::types::Severity;
use serde_json::{Map, Value as Json, json};

/// Strict as some services want it: every property is required, none may be
/// added, and no limits of numbers are given.
pub(crate) fn review_schema(criteria: &Criteria) -> Json {
    let text = json!({"type": "string"});
    let scores: Vec<_> = criteria
        .iter()
        .map(|criterion| (criterion.name().as_str(), json!({"type": "integer"})))
        .collect();
    let item = object([
        ("section", text.clone()),
        ("issue", text.clone()),
        ("suggestion", text.clone()),
        (
            "severity",
            json!({"type": "string", "enum": Severity::WORDS}),
        ),
    ]);
    object([
        ("review_id", text),
        (
            "verdict",
            json!({"type": "string", "enum": ["pass", "needs_revision"]}),
        ),
        ("score", object(scores)),
        ("feedback", json!({"type": "array", "items": item})),
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
                "required": ["feedback", "review_id", "score", "verdict"],
                "properties": {
                    "review_id": text,
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
                            "required": ["issue", "section", "severity", "suggestion"],
                            "properties": {
                                "section": text,
                                "issue": text,
                                "suggestion": text,
                                "severity": {
                                    "type": "string",
                                    "enum": ["critical", "major", "minor", "suggestion"],
                                },
                            },
                        },
                    },
                },
            })
        );
    }
}
