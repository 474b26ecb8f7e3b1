//! Task 5: feedback for the applier.

use std::sync::{Arc, Mutex};

use review::prompt::FeedbackApplier;
use review::types::{AgentError, FailedBy, FeedbackItem, FeedbackItems};
use review::{Applier, ApplyRequest};

use crate::support::{MockTaskInvoker, block_on, failure, item, subject};

fn two_items() -> Vec<FeedbackItem> {
    vec![
        item("API", "no \"error\" codes", "list them"),
        item("Data > Types", "ids are strings", "use a newtype"),
    ]
}

/// Returns the prompt and the agent kind of the one call of an apply.
fn call(path: &str, items: &[FeedbackItem]) -> (String, String) {
    let seen = Arc::new(Mutex::new(None));
    let mut invoker = MockTaskInvoker::new();
    let keep = Arc::clone(&seen);
    invoker
        .expect_invoke_task()
        .times(1)
        .returning(move |prompt, kind| {
            *keep.lock().unwrap() = Some((prompt.to_owned(), kind.to_owned()));
            Ok(b"done".to_vec())
        });
    let applied = block_on(FeedbackApplier::new(invoker).apply_feedback(path, items));
    assert_eq!(applied.unwrap(), b"done");
    let call = seen.lock().unwrap().take();
    call.expect("the invoker was called")
}

#[test]
fn new_feedback_applier() {
    let mut invoker = MockTaskInvoker::new();
    invoker.expect_invoke_task().times(0);
    let _applier = FeedbackApplier::new(invoker);
}

#[test]
fn apply_feedback_empty_feedback() {
    let mut invoker = MockTaskInvoker::new();
    invoker.expect_invoke_task().times(0);
    let applied = block_on(FeedbackApplier::new(invoker).apply_feedback("specs/", &[]));
    assert_eq!(applied.unwrap(), b"");
}

#[test]
fn apply_feedback_calls_task_tool() {
    let (_, kind) = call("specs/", &two_items());
    assert_eq!(kind, "general-purpose");
}

#[test]
fn apply_feedback_prompt_contains_path() {
    let (prompt, _) = call("specs/search", &two_items());
    assert!(prompt.contains("\nPath: specs/search\n"), "{prompt}");
}

#[test]
fn apply_feedback_prompt_contains_feedback() {
    let items = two_items();
    let (prompt, _) = call("specs/", &items);
    let start = prompt.find("\n[\n").expect("an indented array") + 1;
    let end = prompt.find("\n]\n").expect("an indented array") + 2;
    let json = &prompt[start..end];
    assert!(
        json.contains("\n  {\n    \"section\": \"API\",\n"),
        "{json}"
    );
    let parsed: Vec<FeedbackItem> = serde_json::from_str(json).unwrap();
    assert_eq!(parsed, items);
}

#[test]
fn apply_feedback_task_tool_error() {
    let mut invoker = MockTaskInvoker::new();
    invoker
        .expect_invoke_task()
        .returning(|_, _| Err(failure("exit status 1")));
    let items = two_items();
    let error =
        block_on(FeedbackApplier::new(invoker).apply_feedback("specs/", &items)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to apply feedback via task tool: exit status 1"
    );
    let source = std::error::Error::source(&error).expect("the source is kept");
    let source = source.downcast_ref::<AgentError>().expect("as it was");
    assert_eq!(source.failure, FailedBy::Status(1).into());
}

#[test]
fn a_loop_learns_that_the_feedback_was_not_applied_and_why() {
    let mut invoker = MockTaskInvoker::new();
    invoker
        .expect_invoke_task()
        .returning(|_, _| Err(failure("exit status 1")));
    let items = FeedbackItems::numbered(two_items().to_vec());
    let request = ApplyRequest::new(&subject(), items);
    let error = block_on(FeedbackApplier::new(invoker).apply(request)).unwrap_err();
    let expected = failure("failed to apply feedback via task tool: exit status 1");
    assert_eq!(error, expected);
}

#[test]
fn the_prompt_lists_the_steps_in_order() {
    let (prompt, _) = call("specs/", &two_items());
    let order = [
        "Apply the following review feedback to the specs",
        "Path: specs/",
        "[\n",
        "Locate the section",
        "Address the issue as the suggestion says",
        "Keep the rest of the specs consistent",
        "smallest changes",
    ];
    let places: Vec<_> = order
        .iter()
        .map(|text| prompt.find(text).expect(text))
        .collect();
    assert!(places.is_sorted(), "{places:?}\n{prompt}");
}
