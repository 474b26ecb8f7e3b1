//! Comments of users while a loop runs.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use review::config::LoopConfig;
use review::flow::ManualClock;
use review::people::{Comment, Cursor, Inbox};
use review::types::{AgentError, ReviewSession};
use review::{Applier, ApplyReport, ApplyRequest, ReviewAnswer, ReviewRequest, Reviewer};

use crate::support::{SEED, answer, applied, block_on, builder, config, needs_revision};

/// An inbox with these comments, one part of them before each round.
struct Spoken(Mutex<VecDeque<Vec<Comment>>>);

impl Inbox for Spoken {
    fn read(&self, heard: Cursor) -> io::Result<(Vec<Comment>, Cursor)> {
        let said = self.0.lock().unwrap().pop_front().unwrap_or_default();
        let run = heard.run + said.len() as u64;
        Ok((said, Cursor { run, ..heard }))
    }
}

/// The guidance in the requests to reviewer and applier, call by call.
#[derive(Clone, Default)]
struct Guidance(Arc<Mutex<Vec<Vec<String>>>>);

#[async_trait]
impl Reviewer for Guidance {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        self.0.lock().unwrap().push(request.guidance);
        Ok(answer(needs_revision()))
    }
}

#[async_trait]
impl Applier for Guidance {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        let items = request.items.as_slice().iter();
        let guidance = items.filter(|item| item.section() == "guidance by a user");
        let guidance = guidance.map(|item| item.issue().to_owned()).collect();
        self.0.lock().unwrap().push(guidance);
        Ok(applied(""))
    }
}

/// Runs a loop of three rounds with these comments before them; returns its session,
/// and the guidance for reviewer and applier.
fn run(said: [Vec<Comment>; 3]) -> (ReviewSession, [Vec<Vec<String>>; 2]) {
    let config = LoopConfig {
        max_iterations: 3,
        ..config()
    };
    let (reviewer, applier) = (Guidance::default(), Guidance::default());
    let inbox = Spoken(Mutex::new(said.into()));
    let looped = builder(config, reviewer.clone(), applier.clone()).inbox(&inbox);
    let looped = looped.build().unwrap();
    let session = block_on(looped.run(SEED, &ManualClock::default())).unwrap();
    let told = [reviewer, applier].map(|told| told.0.lock().unwrap().clone());
    (session, told)
}

fn guided(text: &str) -> Comment {
    let text = text.to_owned();
    Comment::Guided { text }
}

#[test]
fn guidance_is_given_in_every_round_after_its_comment() {
    let said = [
        Vec::new(),
        vec![guided("be brief")],
        vec![guided("name the limit"), guided("keep the table")],
    ];
    let (session, [reviewer, applier]) = run(said);
    assert_eq!(session.iterations.len(), 3);
    let all = ["be brief", "name the limit", "keep the table"];
    assert_eq!(reviewer, [&all[..0], &all[..1], &all]);
    assert_eq!(applier, [&all[..0], &all[..1]]);
}

#[test]
fn an_approval_ends_the_loop_before_the_next_call() {
    let by = "ann".to_owned();
    let said = [Vec::new(), vec![Comment::Approved { by }], Vec::new()];
    let (session, [reviewer, applier]) = run(said);
    assert_eq!(session.block_reason, "approved by ann");
    assert_eq!(session.block_code, None);
    assert_eq!((reviewer.len(), applier.len()), (1, 1));
}
