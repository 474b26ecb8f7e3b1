//! Task 1: the types of a review.

use review::types::{
    ConfigError, CriterionName, FeedbackItem, FinalVerdict, IterationHistory, Review, ReviewConfig,
    ReviewSession, Score, Timestamp, Verdict,
};
use serde_json::json;

use crate::support::{item, scores};

fn review() -> Review {
    Review::new(
        Verdict::NeedsRevision,
        scores([60, 85, 70, 80]),
        vec![item("API", "no error codes", "list them")],
    )
    .unwrap()
}

#[test]
fn default_review_config() {
    let names: Vec<_> = ["completeness", "consistency", "testability", "architecture"]
        .into_iter()
        .map(|name| CriterionName::new(name).unwrap())
        .collect();
    let expected = ReviewConfig {
        max_iterations: 3,
        criteria: names,
        retry_on_malformed: 1,
    };
    assert_eq!(ReviewConfig::default(), expected);
    assert_eq!(expected.validate(), Ok(()));
}

#[test]
fn a_config_without_rounds_or_criteria_is_refused() {
    let none = ReviewConfig {
        max_iterations: 0,
        ..ReviewConfig::default()
    };
    assert_eq!(none.validate(), Err(ConfigError::NoIterations));
    let empty = ReviewConfig {
        criteria: Vec::new(),
        ..ReviewConfig::default()
    };
    assert_eq!(empty.validate(), Err(ConfigError::NoCriteria));
    let mut twice = ReviewConfig::default();
    twice.criteria.push(twice.criteria[1].clone());
    let name = twice.criteria[1].clone();
    assert_eq!(twice.validate(), Err(ConfigError::CriterionTwice(name)));
}

#[test]
fn a_config_is_also_read_with_the_original_names() {
    let config = ReviewConfig {
        max_iterations: 5,
        retry_on_malformed: 2,
        ..ReviewConfig::default()
    };
    let names = ["completeness", "consistency", "testability", "architecture"];
    let ours = json!({"max_iterations": 5, "criteria": names, "retry_on_malformed": 2});
    let theirs = json!({"MaxIterations": 5, "Criteria": names, "RetryOnMalformed": 2});
    assert_eq!(serde_json::to_value(&config).unwrap(), ours);
    for form in [ours, theirs] {
        assert_eq!(
            serde_json::from_value::<ReviewConfig>(form).unwrap(),
            config
        );
    }
}

#[test]
fn a_review_has_three_keys_and_survives_the_round_trip() {
    let json = serde_json::to_value(review()).unwrap();
    let expected = json!({
        "verdict": "needs_revision",
        "score": {"completeness": 60, "consistency": 85, "testability": 70, "architecture": 80},
        "feedback": [{"section": "API", "issue": "no error codes", "suggestion": "list them"}]
    });
    assert_eq!(json, expected);
    assert_eq!(serde_json::from_value::<Review>(json).unwrap(), review());
}

#[test]
fn a_revision_without_feedback_cannot_be_built() {
    let built = Review::new(Verdict::NeedsRevision, scores([1; 4]), Vec::new());
    assert_eq!(
        built.unwrap_err().to_string(),
        "at least one feedback item required when verdict is needs_revision"
    );
    let json = json!({"verdict": "needs_revision", "score": {}, "feedback": []});
    assert!(serde_json::from_value::<Review>(json).is_err());
}

#[test]
fn an_empty_field_of_feedback_is_reported() {
    let table = [
        (["", "", ""], "section cannot be empty"),
        (["a", " \n", "c"], "issue cannot be empty"),
        (["a", "b", ""], "suggestion cannot be empty"),
    ];
    for ([section, issue, suggestion], message) in table {
        let built = FeedbackItem::new(section, issue, suggestion);
        assert_eq!(built.unwrap_err().to_string(), message);
    }
}

#[test]
fn a_score_is_between_0_and_100() {
    assert_eq!(Score::new(0).map(Score::get), Ok(0));
    assert_eq!(Score::new(100), Ok(Score::MAX));
    for value in [-1, 101, i64::MIN, i64::MAX, 256] {
        assert_eq!(
            Score::new(value).unwrap_err().to_string(),
            format!("must be between 0 and 100 (0-100), got {value}")
        );
    }
}

#[test]
fn a_session_is_serialized_with_all_of_its_keys() {
    let mut session = ReviewSession {
        feature: "search".to_owned(),
        spec: "PRD.md".to_owned(),
        path: "specs/".to_owned(),
        config: ReviewConfig::default(),
        iterations: Vec::new(),
        final_verdict: FinalVerdict::Running,
        block_reason: String::new(),
        block_code: None,
    };
    let json = serde_json::to_value(&session).unwrap();
    assert_eq!(json["iterations"], json!([]));
    assert_eq!(json["final_verdict"], "");
    assert_eq!(json["block_reason"], "");
    session.iterations.push(IterationHistory {
        iteration: 1,
        result: Some(review()),
        timestamp: Timestamp::from_unix_ms(1_772_368_205_250),
    });
    session.final_verdict = FinalVerdict::Blocked;
    let json = serde_json::to_value(&session).unwrap();
    assert_eq!(json["final_verdict"], "blocked");
    assert_eq!(
        json["iterations"][0]["timestamp"],
        "2026-03-01T12:30:05.250Z"
    );
    assert_eq!(
        serde_json::from_value::<ReviewSession>(json).unwrap(),
        session
    );
}
