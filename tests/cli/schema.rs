//! `ralph schema`.

use serde_json::json;

use crate::support::TestEnvironment;

#[test]
fn every_format_that_is_listed_has_a_schema() {
    let environment = TestEnvironment::new();
    let list = environment.ralph(["schema"]).exits(0).stdout;
    let names: Vec<_> = list
        .lines()
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    for name in [
        "verdict", "review", "task", "plan", "config", "event", "journal", "lint",
    ] {
        assert!(names.contains(&name), "{name}: {list}");
    }
    for name in names {
        let schema = environment.ralph(["schema", name]).exits(0).json();
        let draft = "https://json-schema.org/draft/2020-12/schema";
        assert_eq!(schema["$schema"], draft, "{name}");
        assert!(schema["properties"].is_object(), "{name}: {schema}");
    }
}

#[test]
fn the_schema_of_a_verdict_names_what_a_reviewer_answers() {
    let schema = TestEnvironment::new()
        .ralph(["schema", "verdict"])
        .exits(0)
        .json();
    assert_eq!(schema["required"], json!(["verdict", "score"]));
    let words = schema["$defs"]["Verdict"]["oneOf"].as_array().unwrap();
    let words: Vec<_> = words.iter().map(|word| word["const"].clone()).collect();
    assert_eq!(words, [json!("pass"), json!("needs_revision")]);
}

#[test]
fn the_schemas_of_the_protocol_name_what_each_object_needs() {
    let environment = TestEnvironment::new();
    let required = |name: &str| {
        let schema = environment.ralph(["schema", name]).exits(0).json();
        schema["required"].clone()
    };
    let request = json!(["protocol_version", "iteration", "artifact"]);
    assert_eq!(required("afp-request"), request);
    let response = json!(["protocol_version", "iteration"]);
    assert_eq!(required("afp-response"), response);
    let message = json!(["type", "timestamp", "sessionID", "part"]);
    assert_eq!(required("afp-message"), message);
    assert_eq!(required("applied-feedback"), json!(["items"]));
    let response = environment
        .ralph(["schema", "afp-response"])
        .exits(0)
        .json();
    assert_eq!(response["properties"]["protocol_version"]["const"], "1.2");
    let bodies = response["oneOf"].as_array().unwrap();
    let bodies: Vec<_> = bodies
        .iter()
        .map(|body| body["properties"]["status"]["const"].clone())
        .collect();
    assert_eq!(bodies, ["success", "error"]);
    // A success with an error object is an error to the reader.
    let error = &response["$defs"]["Success"]["properties"]["error"];
    assert_eq!(error["type"], "null");
}

#[test]
fn the_schema_of_actionable_feedback_has_its_rules_and_a_copy_without_them() {
    let environment = TestEnvironment::new();
    let schema = |name: &str| environment.ralph(["schema", name]).exits(0).json();
    let strict = schema("actionable-feedback-strict");
    let mut full = schema("actionable-feedback");
    let rules = full
        .as_object_mut()
        .and_then(|members| members.remove("validation_rules"))
        .unwrap();
    let advisory = &rules["suggestion_actionability"]["forbidden_patterns"];
    assert_eq!(
        *advisory,
        json!(["think about", "consider", "maybe", "perhaps", "you might"])
    );
    assert_eq!(full, strict);
    let required = json!([
        "id",
        "timestamp",
        "iteration",
        "target",
        "feedback_items",
        "overall_assessment"
    ]);
    assert_eq!(strict["required"], required);
    let items = &strict["$defs"]["FeedbackItems"];
    assert_eq!(items["minItems"], 1);
    let action = &strict["$defs"]["Suggestion"]["properties"]["action"];
    assert_eq!(
        (&action["minLength"], &action["maxLength"]),
        (&json!(20), &json!(1000))
    );
    assert!(!strict.to_string().contains("\"double\""));
}

#[test]
fn the_schema_of_the_configuration_knows_tables_and_defaults() {
    let schema = TestEnvironment::new()
        .ralph(["schema", "config"])
        .exits(0)
        .json();
    assert_eq!(schema["additionalProperties"], false);
    let review = &schema["properties"]["review"];
    assert_eq!(review["additionalProperties"], false);
    assert_eq!(
        review["properties"]["max_iterations"],
        json!({
            "type": "integer",
            "minimum": 1,
            "maximum": 4_294_967_295_u32,
            "default": 10,
            "description": "Rounds of review before the loop ends blocked.",
        })
    );
    let words = schema["properties"]["color"]["oneOf"].as_array().unwrap();
    let words: Vec<_> = words.iter().map(|word| &word["const"]).collect();
    assert_eq!(words, ["auto", "always", "never"]);
}

#[test]
fn an_unknown_format_leads_to_a_near_one() {
    let environment = TestEnvironment::new();
    let near = environment.ralph(["schema", "verdit"]).exits(2);
    assert_eq!(
        near.stderr,
        "error: unknown format \"verdit\"\n  hint: did you mean verdict?\n"
    );
    let far = environment.ralph(["schema", "xyzzy"]).exits(2);
    assert!(
        far.stderr
            .ends_with("hint: `ralph schema` lists the formats\n"),
        "{}",
        far.stderr
    );
}

#[test]
fn the_schema_of_learning_has_its_objects_with_their_ranges() {
    let environment = TestEnvironment::new();
    let schema = |name: &str| environment.ralph(["schema", name]).exits(0).json();
    let learning = schema("agent-learning");
    let required = json!(["version", "feedback_collection", "learning_pipeline"]);
    assert_eq!(learning["required"], required);
    let definitions = &learning["$defs"];
    assert_eq!(
        definitions["Analysis"]["properties"]["min_samples"]["minimum"],
        1
    );
    let threshold = &definitions["PatternDetection"]["properties"]["frequency_threshold"];
    assert_eq!(
        (&threshold["exclusiveMinimum"], &threshold["maximum"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(
        definitions["Rollback"]["properties"]["max_versions"]["minimum"],
        2
    );
    for (name, definition, required) in [
        (
            "feedback-entry",
            "FeedbackEntry",
            json!(["id", "agent", "timestamp", "type"]),
        ),
        (
            "lesson",
            "Lesson",
            json!(["id", "agent", "lesson_text", "source_feedback"]),
        ),
        (
            "prompt-version",
            "PromptVersion",
            json!(["agent", "version", "content", "created_at"]),
        ),
    ] {
        assert_eq!(definitions[definition]["required"], required, "{name}");
        assert_eq!(schema(name)["required"], required, "{name}");
    }
}
