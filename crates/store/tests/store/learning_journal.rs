//! The learning journal.

use review_learning::protocol::{LearningEvent, Step, StepContext, Trigger};
use review_store::StateDir;
use review_types::Timestamp;
use serde_json::{Value as Json, json};

use crate::support::applier;

fn event(step: Step) -> LearningEvent {
    let course = StepContext {
        run: None,
        at: Timestamp::UNIX_EPOCH,
        trigger: Trigger::TestFailure,
        agent: &applier(),
    };
    course.step(step, json!({}))
}

#[test]
fn events_are_appended_as_lines() {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path()).unwrap();
    state.learning_journal().append([]).unwrap();
    let path = state.path().join("learning.jsonl");
    assert!(!path.exists());
    let steps = [Step::CaptureContext, Step::StoreEntry];
    state.learning_journal().append(&steps.map(event)).unwrap();
    let rollback = [event(Step::TagFeedback)];
    state.learning_journal().append(&rollback).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let types: Vec<Json> = text
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap()["type"].take())
        .collect();
    let expected = ["capture_context", "store_entry", "tag_feedback"]
        .map(|step| format!("learning.feedback_collection.{step}"));
    assert_eq!(types, expected);
}

#[test]
fn completed_steps_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path()).unwrap();
    let steps = [Step::StoreEntry, Step::TagFeedback];
    let count = || state.learning_journal().count(steps);
    assert_eq!(count().unwrap(), [0, 0]);
    let taken = [Step::StoreEntry, Step::CaptureContext, Step::StoreEntry];
    state.learning_journal().append(&taken.map(event)).unwrap();
    let path = state.path().join("learning.jsonl");
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("{\"type\":7}\n\nnoise\n{\"type\":\"learning.feedback_coll");
    std::fs::write(&path, text).unwrap();
    assert_eq!(count().unwrap(), [2, 0]);
}
