//! What agents are asked in tests.

use review::{Retry, ReviewRequest, Subject};
use review_flow::{Nonce, Step, StepName};

pub(crate) fn step() -> Step {
    Step::alone(StepName::new("review", 0, "review-1.1"))
}

pub(crate) fn subject() -> Subject {
    Subject::new("demo", "docs/PRD.md", "specs/DEMO.md")
}

pub(crate) fn review_request(retry: Option<Retry>) -> ReviewRequest {
    let mut request = ReviewRequest::new(&subject());
    request.review_id = "id-7".to_owned();
    request.end_id = "e7d1".to_owned();
    request.nonce = Nonce::from("n0nce");
    request.session_id = "5e55".to_owned();
    request.retry = retry;
    request.step = step();
    request
}
