//! What agents are asked in tests.

use review::types::Hash;
use review::{Allowance, Retry, ReviewRequest};
use review_flow::{Step, StepName};

pub(crate) fn step() -> Step {
    Step {
        name: StepName::new("review", 0, "review-1.1"),
        key: Hash::from_bytes([0; 32]),
        attempt: 1,
        was_stopped: false,
    }
}

pub(crate) fn review_request(retry: Option<Retry>) -> ReviewRequest {
    ReviewRequest {
        feature: "demo".to_owned(),
        prd_path: "docs/PRD.md".to_owned(),
        specs_path: "specs/DEMO.md".to_owned(),
        criteria: review::criteria::Criteria::default(),
        iteration: 1,
        reviewer: 0,
        dialect: review::schema::Dialect::default(),
        review_id: "id-7".to_owned(),
        nonce: "n0nce".to_owned(),
        session_id: "5e55".to_owned(),
        follow_up: None,
        retry,
        facts: Vec::new(),
        history: Vec::new(),
        memory_key: review::types::MemoryKey::default(),
        findings: Vec::new(),
        guidance: Vec::new(),
        fail_level: review::types::actionable::Severity::Major,
        unproved_left: None,
        allowance: Allowance::default(),
        step: step(),
    }
}
