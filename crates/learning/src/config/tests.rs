use serde_json::{Value as Json, json};

use super::*;
use crate::feedback::{FeedbackType, Severity};
use crate::object::Reading;

fn read(value: &Json) -> Reading<LearningConfig> {
    LearningConfig::read_as(ConfigForm::File, value)
}

fn least() -> Json {
    json!({"version": "1.0.0", "feedback_collection": {}, "learning_pipeline": {}})
}

fn whole() -> Json {
    json!({
        "version": "2.10.3",
        "feedback_collection": {
            "storage_path": "notes/feedback",
            "sources": [
                {"type": "review_rejection", "auto_collect": false, "severity_threshold": "high_only"},
                {"type": "test_failure", "auto_collect": true, "severity_threshold": "medium_and_above"},
            ],
            "retention": {"max_entries_per_agent": 10, "max_age_days": 7},
        },
        "learning_pipeline": {
            "analysis": {
                "min_samples": 9,
                "clustering": {
                    "enabled": false, "algorithm": "semantic_similarity", "min_cluster_size": 4,
                },
                "pattern_detection": {"enabled": false, "frequency_threshold": 0.25},
            },
            "lesson_extraction": {"llm_driven": false, "template": "Write a lesson.", "max_calls": 5, "max_tokens": 9000, "max_cost": 2.5},
        },
        "prompt_evolution": {
            "storage_path": "notes/prompts",
            "versioning": {"enabled": false, "format": "p{N}.txt"},
            "approval_gate": {"required": false, "approvers": ["ann"]},
            "rollback": {"enabled": false, "max_versions": 3},
        },
    })
}

fn errors(value: &Json) -> Vec<(String, &'static str)> {
    let reading = read(value);
    let all = reading.diagnostics.iter();
    all.map(|one| (one.pointer.clone(), one.code.as_str()))
        .collect()
}

#[test]
fn absent_settings_have_the_defaults_of_the_schema() {
    let config = read(&least()).into_result().unwrap();
    assert_eq!(config, LearningConfig::default());
    let sources: Vec<_> = FeedbackType::WORDS
        .iter()
        .map(|word| json!({"type": word, "auto_collect": true, "severity_threshold": "all"}))
        .collect();
    let expected = json!({
        "version": "1.0.0",
        "feedback_collection": {
            "storage_path": ".aiwg/.feedback/",
            "sources": sources,
            "retention": {"max_entries_per_agent": 1000, "max_age_days": 90},
        },
        "learning_pipeline": {
            "analysis": {
                "min_samples": 5,
                "clustering": {
                    "enabled": true, "algorithm": "semantic_similarity", "min_cluster_size": 3,
                },
                "pattern_detection": {"enabled": true, "frequency_threshold": 0.1},
            },
            "lesson_extraction": {"llm_driven": true, "max_calls": 30},
        },
        "prompt_evolution": {
            "storage_path": ".aiwg/.prompts/",
            "versioning": {"enabled": true, "format": "v{N}.md"},
            "approval_gate": {"required": true, "approvers": ["human"]},
            "rollback": {"enabled": true, "max_versions": 10},
        },
    });
    assert_eq!(serde_json::to_value(&config).unwrap(), expected);
}

#[test]
fn a_configuration_round_trips() {
    let config = read(&whole()).into_result().unwrap();
    assert_eq!(serde_json::to_value(&config).unwrap(), whole());
}

#[test]
fn only_a_file_of_its_own_needs_the_required_fields() {
    let missing: Vec<_> = errors(&json!({}))
        .into_iter()
        .map(|(pointer, _)| pointer)
        .collect();
    assert_eq!(
        missing,
        ["/version", "/feedback_collection", "/learning_pipeline"]
    );
    let table = LearningConfig::read_as(ConfigForm::Table, &json!({}));
    assert_eq!(table.into_result(), Ok(LearningConfig::default()));
}

#[test]
fn each_error_has_its_location() {
    for (pointer, value, code) in [
        ("/version", json!("1.0"), "learning.value_form"),
        ("/version", json!("1.0."), "learning.value_form"),
        ("/version", json!("1.0.x"), "learning.value_form"),
        ("/version", json!("1.0.0.0"), "learning.value_form"),
        ("/version", json!(1), "learning.member_type"),
        ("/feedback_collection", json!(null), "learning.member_type"),
        (
            "/feedback_collection/storage_path",
            json!("../../etc"),
            "learning.value_form",
        ),
        (
            "/feedback_collection/sources",
            json!({}),
            "learning.member_type",
        ),
        (
            "/feedback_collection/sources/0",
            json!("all"),
            "learning.member_type",
        ),
        (
            "/feedback_collection/sources/0/type",
            json!("low_quality_score"),
            "learning.word_unknown",
        ),
        (
            "/feedback_collection/sources/1/type",
            json!("review_rejection"),
            "learning.source_twice",
        ),
        (
            "/feedback_collection/sources/1/auto_collect",
            json!("yes"),
            "learning.member_type",
        ),
        (
            "/feedback_collection/sources/1/severity_threshold",
            json!("low"),
            "learning.word_unknown",
        ),
        (
            "/feedback_collection/retention/max_entries_per_agent",
            json!(0),
            "learning.out_of_range",
        ),
        (
            "/feedback_collection/retention/max_age_days",
            json!(-1),
            "learning.out_of_range",
        ),
        (
            "/learning_pipeline/analysis/min_samples",
            json!(-5),
            "learning.out_of_range",
        ),
        (
            "/learning_pipeline/analysis/min_samples",
            json!(2.5),
            "learning.member_type",
        ),
        (
            "/learning_pipeline/analysis/clustering/algorithm",
            json!("dbscan"),
            "learning.word_unknown",
        ),
        (
            "/learning_pipeline/analysis/clustering/min_cluster_size",
            json!(1),
            "learning.out_of_range",
        ),
        (
            "/learning_pipeline/analysis/pattern_detection/frequency_threshold",
            json!(7),
            "learning.out_of_range",
        ),
        (
            "/learning_pipeline/analysis/pattern_detection/frequency_threshold",
            json!(0),
            "learning.out_of_range",
        ),
        (
            "/learning_pipeline/lesson_extraction/template",
            json!(""),
            "learning.text_blank",
        ),
        (
            "/learning_pipeline/lesson_extraction/max_cost",
            json!(0),
            "learning.out_of_range",
        ),
        (
            "/learning_pipeline/lesson_extraction/max_cost",
            json!(0.000_000_1),
            "learning.value_form",
        ),
        (
            "/learning_pipeline/lesson_extraction/max_cost",
            json!("2.5"),
            "learning.member_type",
        ),
        (
            "/prompt_evolution/storage_path",
            json!("/etc"),
            "learning.value_form",
        ),
        (
            "/prompt_evolution/versioning/format",
            json!("v.md"),
            "learning.value_form",
        ),
        (
            "/prompt_evolution/approval_gate/approvers/0",
            json!(1),
            "learning.member_type",
        ),
        (
            "/prompt_evolution/rollback/max_versions",
            json!(1),
            "learning.out_of_range",
        ),
    ] {
        let mut config = whole();
        *config.pointer_mut(pointer).unwrap() = value;
        assert_eq!(errors(&config), [(pointer.to_owned(), code)]);
    }
}

#[test]
fn the_limits_of_a_range_are_valid() {
    for (pointer, value) in [
        (
            "/feedback_collection/retention/max_entries_per_agent",
            json!(1),
        ),
        ("/feedback_collection/retention/max_age_days", json!(1)),
        ("/learning_pipeline/analysis/min_samples", json!(1)),
        (
            "/learning_pipeline/analysis/clustering/min_cluster_size",
            json!(2),
        ),
        (
            "/learning_pipeline/analysis/pattern_detection/frequency_threshold",
            json!(1),
        ),
        ("/prompt_evolution/rollback/max_versions", json!(2)),
    ] {
        let mut config = whole();
        *config.pointer_mut(pointer).unwrap() = value;
        assert_eq!(errors(&config), [], "{pointer}");
    }
}

#[test]
fn a_gate_without_approvers_is_an_error() {
    let mut config = whole();
    config["prompt_evolution"]["approval_gate"] = json!({"approvers": []});
    let expected = "/prompt_evolution/approval_gate/approvers".to_owned();
    assert_eq!(errors(&config), [(expected, "learning.approvers_none")]);
    config["prompt_evolution"]["approval_gate"] = json!({"required": false, "approvers": []});
    assert_eq!(errors(&config), []);
}

#[test]
fn an_unknown_key_of_the_table_is_an_error() {
    let table = json!({"learning_pipeline": {"approval_gate": {"approvers": ["bob"]}}});
    let reading = LearningConfig::read_as(ConfigForm::Table, &table);
    assert_eq!(reading.object, None);
    assert_eq!(
        reading.diagnostics[0].pointer,
        "/learning_pipeline/approval_gate"
    );
}

#[test]
fn every_unknown_key_of_the_file_is_a_warning() {
    let mut config = least();
    config["feedback_colection"] = json!({});
    config["learning_pipeline"]["mood"] = json!("good");
    let reading = read(&config);
    let errors: Vec<_> = reading
        .diagnostics
        .iter()
        .map(|one| {
            (
                one.pointer.as_str(),
                one.message.as_str(),
                one.fix.as_deref(),
            )
        })
        .collect();
    let near = "unknown key \"feedback_colection\"; did you mean \"feedback_collection\"?";
    assert_eq!(
        errors,
        [
            ("/feedback_colection", near, Some("feedback_collection")),
            ("/learning_pipeline/mood", "unknown key \"mood\"", None),
        ]
    );
    assert!(reading.object.is_some());
}

#[test]
fn listed_sources_are_the_only_ones() {
    let config = read(&whole()).into_result().unwrap();
    let collection = config.feedback_collection;
    assert!(collection.accepts(FeedbackType::ReviewRejection, Severity::High));
    assert!(!collection.auto_collects(FeedbackType::ReviewRejection, Severity::High));
    assert!(!collection.accepts(FeedbackType::ReviewRejection, Severity::Medium));
    assert!(collection.auto_collects(FeedbackType::TestFailure, Severity::Medium));
    assert!(!collection.auto_collects(FeedbackType::TestFailure, Severity::Low));
    assert!(!collection.accepts(FeedbackType::HumanCorrection, Severity::Critical));
    let all = FeedbackCollectionConfig::default();
    for feedback_type in FeedbackType::ALL {
        assert!(all.auto_collects(*feedback_type, Severity::Low));
    }
}

#[test]
fn other_agents_name_the_file_of_their_prompt() {
    let mut config = least();
    config["agents"] = json!({"api-dev": {"prompt": "agents/api.md"}});
    let agents = read(&config).into_result().unwrap().agents;
    assert_eq!(agents["api-dev"].prompt.as_str(), "agents/api.md");
    for (agents, pointer, code) in [
        (json!([]), "/agents", "learning.member_type"),
        (json!({"a": 1}), "/agents/a", "learning.member_type"),
        (
            json!({"a": {}}),
            "/agents/a/prompt",
            "learning.member_missing",
        ),
        (
            json!({"a/b": {"prompt": "../x"}}),
            "/agents/a~1b/prompt",
            "learning.value_form",
        ),
    ] {
        config["agents"] = agents;
        assert_eq!(errors(&config), [(pointer.to_owned(), code)]);
    }
}
