//! The schemas of the formats, as the types have them, and the pages of the rules and keys.

use review_schema::actionable::ActionableFeedback;
use std::path::Path;

use review_config::config_schema;
use review_learning::config::LearningConfig;
use review_learning::corrections::Correction;
use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::Lesson;
use review_learning::patterns::{PatternsFile, PromotionEntry, TrendsFile};
use review_learning::prompt::PromptVersion;
use review_learning::protocol::Step;
use review_lint::Rule;
use review_report::Versioned;
use review_report::gate::GateReport;
use review_report::lint::LintReport;
use review_report::run::RunReport;
use review_schema::afp;
use review_text::wording::Wording;
use review_types::AppliedFeedback;
use schemars::{JsonSchema, SchemaGenerator, schema_for};
use serde_json::{Value as Json, json};

use super::FORMATS;

/// With this variable the files are written; without it they are compared.
const WRITE: &str = "RALPH_WRITE_SCHEMAS";

fn of<T: JsonSchema>() -> Json {
    schema_for!(T).to_value()
}

/// The schema of a report as a command prints it.
fn report<T: JsonSchema>() -> Json {
    let mut schema = of::<Versioned<T>>();
    schema["description"] = of::<T>()["description"].take();
    schema
}

/// The schema of the format `name`, as its types have it.
fn schema(name: &str) -> Json {
    match name {
        "verdict" => of::<review_types::Review>(),
        "review" => of::<review_types::ReviewSession>(),
        "actionable-feedback" => actionable_feedback(),
        "actionable-feedback-strict" => of::<ActionableFeedback>(),
        "afp-request" => of::<afp::FeedbackRequest>(),
        "afp-response" => of::<afp::FeedbackResponse>(),
        "afp-message" => of::<afp::Message>(),
        "applied-feedback" => of::<AppliedFeedback>(),
        "correction" => of::<Correction>(),
        "patterns" => of::<PatternsFile>(),
        "trends" => of::<TrendsFile>(),
        "promotion" => of::<PromotionEntry>(),
        "agent-learning" => agent_learning(),
        "feedback-entry" => of::<FeedbackEntry>(),
        "lesson" => of::<Lesson>(),
        "prompt-version" => of::<PromptVersion>(),
        "task" => review_document::task_schema(),
        "plan" => review_document::plan_schema(),
        "config" => config_schema(),
        "event" => event(),
        "journal" => journal(),
        "run" => report::<RunReport>(),
        "finding" => of::<review_types::Finding>(),
        "gate" => report::<GateReport>(),
        "lint" => report::<LintReport>(),
        other => panic!("no type has the format {other}"),
    }
}

/// The schema of an event of a run, or of what was learned from it.
fn event() -> Json {
    let mut schema = of::<review_events::Envelope>();
    let of_run = schema["properties"]["type"].take();
    schema["properties"]["type"] = json!({
        "anyOf": [of_run, {
            "description": "A step of learning, after the end of a run.",
            "enum": Step::WORDS,
            "type": "string",
        }],
    });
    schema
}

/// The schema of a journal, in whose first record the input is that of a run.
fn journal() -> Json {
    let mut generator = SchemaGenerator::default();
    let input = generator.subschema_for::<review_events::RunInput>();
    let root = generator.into_root_schema_for::<review_flow::Record>();
    let mut schema = root.to_value();
    schema["$defs"]["RunRecord"]["properties"]["input"] = input.to_value();
    schema
}

/// The schema of the configuration of learning with those of the objects that
/// come of it, each of them a definition.
fn agent_learning() -> Json {
    let mut generator = SchemaGenerator::default();
    generator.subschema_for::<FeedbackEntry>();
    generator.subschema_for::<Lesson>();
    generator.subschema_for::<PromptVersion>();
    generator
        .into_root_schema_for::<LearningConfig>()
        .to_value()
}

/// The schema of an actionable-feedback document with the rules of its wording.
fn actionable_feedback() -> Json {
    let mut schema = schema_for!(ActionableFeedback).to_value();
    let phrases = |list: Wording| list.phrases().collect::<Vec<_>>();
    schema["validation_rules"] = json!({
        "issue_specificity": {
            "description": "Issue descriptions must be specific, not vague.",
            "forbidden_patterns": phrases(Wording::Vague),
            "required_elements": [
                { "specific_problem": "What exactly is wrong" },
                { "observable_effect": "What happens as a result" },
            ],
        },
        "suggestion_actionability": {
            "description": "Suggestions must be actionable, not advisory.",
            "forbidden_patterns": phrases(Wording::Advisory),
            "required_elements": [
                { "concrete_action": "Specific change to make" },
                { "expected_outcome": "What will improve" },
            ],
        },
        "location_requirement": {
            "description": "A location is required, not optional.",
            "enforcement": "strict",
        },
    });
    schema
}

/// The configuration file in which every key has its default.
fn defaults() -> String {
    let schema = config_schema();
    let properties = schema["properties"].as_object().unwrap();
    let is_key = |(_, schema): &(&String, &Json)| schema.get("default").is_some();
    let (keys, tables): (Vec<_>, Vec<_>) = properties.iter().partition(is_key);
    let mut text =
        "# Every key of ralph.toml with its default, as `.ci/generate` writes it.\n".to_owned();
    for (name, schema) in keys {
        text.push_str(&entry(name, schema));
    }
    for (name, schema) in tables {
        let about = schema["description"].as_str().unwrap();
        text.push_str(&format!("\n{}[{name}]\n", comment(about)));
        for (name, schema) in schema["properties"].as_object().unwrap() {
            text.push_str(&entry(name, schema));
        }
    }
    text
}

/// A key with its meaning, the words that it takes unless these are in it, and its default.
fn entry(name: &str, schema: &Json) -> String {
    let mut about = schema["description"].as_str().unwrap().to_owned();
    let words = words(schema);
    let are_named = words
        .iter()
        .all(|word| about.contains(&format!("`{word}`")));
    if words.len() > 1 && !are_named {
        about.push_str(&format!(" One of: {}.", words.join(", ")));
    }
    format!(
        "\n{}{name} = {}\n",
        comment(&about),
        toml(&schema["default"])
    )
}

/// The words of a closed list in a schema.
fn words(schema: &Json) -> Vec<&str> {
    let of = |keyword: &str| schema[keyword].as_array().into_iter().flatten();
    let listed = of("enum").filter_map(Json::as_str);
    let described = of("oneOf").flat_map(|one| one["const"].as_str().into_iter().chain(words(one)));
    listed
        .chain(described)
        .chain(of("anyOf").flat_map(words))
        .collect()
}

/// A value in TOML: tables of a list are on lines of their own.
fn toml(value: &Json) -> String {
    match value {
        Json::Array(items) if items.iter().any(Json::is_object) => {
            let lines = items.iter().map(|item| format!("    {},\n", toml(item)));
            format!("[\n{}]", lines.collect::<String>())
        }
        Json::Object(table) if !table.is_empty() => {
            let entries = table
                .iter()
                .map(|(key, value)| format!("{key} = {}", toml(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A string as comments of at most 90 columns.
fn comment(text: &str) -> String {
    let mut lines = vec!["#".to_owned()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < 90 => line.push_str(&format!(" {word}")),
            _ => lines.push(format!("# {word}")),
        }
    }
    lines.join("\n") + "\n"
}

/// The page of the rules, `docs/reference/rules.md`.
fn page_of_rules() -> String {
    let mut page = "# Rules of the embedded reviewer\n\n\
                    `ralph explain B3` also says why what a rule finds is bad and how to fix it, with an \
                    example. \
                    [Configuration](configuration.md#rules) switches rules off, \
                    [a measurement](precision.md) shows how often they are right.\n\n\
                    | rule | severity | criterion | fix | finds |\n\
                    |---|---|---|---|---|\n"
        .to_owned();
    for rule in Rule::ALL {
        let (code, name) = (rule.code(), rule.name());
        let fixes = rule.fixes().iter().map(|safety| safety.as_str());
        page.push_str(&format!(
            "| [{code}](#{}-{name}) | {} | {} | {} | {} |\n",
            code.to_lowercase(),
            rule.severity(),
            rule.criterion(),
            fixes.collect::<Vec<_>>().join(" or "),
            rule.summary().replace('|', "\\|")
        ));
    }
    for rule in Rule::ALL {
        page.push_str(&format!("\n## {} {}\n", rule.code(), rule.name()));
        for part in rule.docs().split("\n## ").skip(1) {
            let (heading, text) = part.split_once('\n').unwrap();
            if heading == "What it does" {
                page.push_str(&format!("\n{text}"));
            }
        }
    }
    page
}

#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "the page that it writes is one of the repository"
)]
fn the_pages_of_rules_and_keys_are_those_of_their_documentation() {
    const BEGIN: &str = "<!-- keys: begin -->\n";
    const END: &str = "<!-- keys: end -->";
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let keys = "docs/reference/configuration.md";
    let page = std::fs::read_to_string(root.join(keys)).unwrap();
    let (start, rest) = page.split_once(BEGIN).unwrap();
    let (_, rest) = rest.split_once(END).unwrap();
    let defaults = defaults();
    for (path, page) in [
        ("docs/reference/rules.md", page_of_rules()),
        (
            keys,
            format!("{start}{BEGIN}```toml\n{defaults}```\n{END}{rest}"),
        ),
        ("crates/config/defaults.toml", defaults),
    ] {
        if std::env::var_os(WRITE).is_some() {
            std::fs::write(root.join(path), page).unwrap();
        } else {
            let written = std::fs::read_to_string(root.join(path)).unwrap();
            assert!(written == page, "{path}: run .ci/generate");
        }
    }
}

#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "the files that it writes are those of the repository"
)]
fn each_schema_is_that_of_its_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    for format in FORMATS {
        let mut text = serde_json::to_string_pretty(&schema(format.name)).unwrap();
        text.push('\n');
        if std::env::var_os(WRITE).is_some() {
            let path = folder.join(format!("{}.schema.json", format.name));
            std::fs::write(path, text).unwrap();
        } else {
            assert_eq!(format.schema, text, "{}: run .ci/generate", format.name);
        }
    }
    let files = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(files, FORMATS.len(), "a schema of no format");
}

#[test]
fn the_schema_of_a_verdict_names_what_a_reviewer_answers() {
    let schema = schema("verdict");
    assert_eq!(schema["required"], json!(["verdict", "score"]));
    let words = schema["$defs"]["Verdict"]["oneOf"].as_array().unwrap();
    let words: Vec<_> = words.iter().map(|word| word["const"].clone()).collect();
    assert_eq!(words, [json!("pass"), json!("needs_revision")]);
}

#[test]
fn the_schemas_of_the_protocol_name_what_each_object_needs() {
    let required = |name: &str| schema(name)["required"].take();
    let request = json!(["protocol_version", "iteration", "artifact"]);
    assert_eq!(required("afp-request"), request);
    let response = json!(["protocol_version", "iteration"]);
    assert_eq!(required("afp-response"), response);
    let message = json!(["type", "timestamp", "sessionID", "part"]);
    assert_eq!(required("afp-message"), message);
    assert_eq!(required("applied-feedback"), json!(["items"]));
    let response = schema("afp-response");
    let versions = &response["$defs"]["ProtocolVersion"]["oneOf"];
    assert_eq!(versions[0]["const"], "1.2");
    assert_eq!(versions.as_array().map(Vec::len), Some(1));
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
    let schema = schema("config");
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
fn the_schema_of_learning_has_its_objects_with_their_ranges() {
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

#[test]
fn the_schema_of_a_correction_names_what_every_one_has() {
    let schema = schema("correction");
    let required = [
        "date",
        "timestamp",
        "agent",
        "correction_type",
        "ai_action",
        "user_correction",
        "source",
    ];
    assert_eq!(schema["required"], json!(required));
    let pattern = &schema["properties"]["pattern_inferred"];
    assert_eq!(pattern["pattern"], "^[a-z0-9]+(-[a-z0-9]+)*$");
    assert_eq!(schema["properties"]["date"]["format"], "date");
    assert_eq!(schema["$defs"]["AiAction"]["required"], json!(["summary"]));
}
