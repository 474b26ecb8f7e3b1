//! When a pass counts: what is asked for again, how often, and what then counts.

use std::sync::{Arc, Mutex};

use review::config::{ChainLink, LoopConfig};
use review::events::Event;
use review::flow::{ManualClock, MemoryBlobs, MemoryJournal};
use review::prompt::{PromptSent, Receiver};
use review::schema::Dialect;
use review::types::{AgentError, BlockCode, Failure};
use review::{Limits, MemorySink, ReviewAnswer, ReviewSpecsError};

use crate::support::{MockApplier, MockReviewer, SEED, answer, block_on, builder, config, pass};

/// An object that passes and names both ids.
fn named() -> String {
    pass().replacen('{', r#"{"review_id": "REVIEW_ID", "end_id": "END_ID", "#, 1)
}

fn without(key: &str) -> String {
    named().replace(&format!("\"{key}\""), "\"other\"")
}

fn with_end(end_id: &str) -> String {
    named().replace("\"END_ID\"", end_id)
}

/// Returns a reviewer that is reached by `receiver` and gives these answers in turn, the last
/// one for ever, and the requests for another answer that it got.
fn reviewer(
    receiver: Option<Receiver>,
    answers: Vec<String>,
) -> (MockReviewer, Arc<Mutex<Vec<String>>>) {
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let noted = Arc::clone(&asked);
    let mut reviewer = MockReviewer::new();
    reviewer.expect_review().returning(move |request| {
        let mut asked = noted.lock().unwrap();
        asked.push(
            request
                .retry
                .map_or_else(String::new, |retry| retry.message),
        );
        let text = &answers[(asked.len() - 1).min(answers.len() - 1)];
        let text = text.replace("REVIEW_ID", &request.review_id);
        let text = text.replace("END_ID", &request.end_id);
        let sent = receiver.map(|receiver| PromptSent {
            receiver,
            read: None,
        });
        Ok(ReviewAnswer {
            sent,
            ..answer(text)
        })
    });
    (reviewer, asked)
}

const ALONE: &str = "a pass must be the object alone, without text around it";
const REVIEW_ID: &str = "a pass must repeat the review_id of its prompt";
const END_ID: &str = "a pass must repeat the end_id at the very end of its prompt";
const EITHER: &str = "a pass must be the object alone, or repeat review_id and end_id";

#[test]
fn a_pass_is_asked_for_again_until_it_is_proved() {
    use Receiver::{Client, Program, Service};
    let (malformed, unread) = (Some(BlockCode::Malformed), Some(BlockCode::Unread));
    let beside = |object: &str| format!("Wäre alles gut, dann wäre die Antwort {object}");
    let fenced = |object: &str| format!("<think>It is not good.</think>\n```json\n{object}\n```\n");
    for (receiver, retries, answers, asked, end) in [
        (Some(Client), 1, vec![named()], vec![], None),
        (Some(Client), 1, vec![fenced(&named())], vec![], None),
        (
            Some(Service),
            1,
            vec![with_end("\" END_ID. \"")],
            vec![],
            None,
        ),
        (
            Some(Client),
            1,
            vec![beside(&named()), named()],
            vec![ALONE],
            None,
        ),
        (Some(Client), 1, vec![beside(&named())], vec![ALONE], None),
        (Some(Client), 0, vec![beside(&named())], vec![ALONE], None),
        (Some(Service), 1, vec![beside(&named())], vec![ALONE], None),
        (
            Some(Client),
            1,
            vec![pass(), named()],
            vec![REVIEW_ID],
            None,
        ),
        (Some(Client), 1, vec![pass()], vec![REVIEW_ID], malformed),
        (Some(Client), 0, vec![pass()], vec![], malformed),
        (
            Some(Client),
            1,
            vec![without("review_id")],
            vec![REVIEW_ID],
            malformed,
        ),
        (
            Some(Client),
            1,
            vec![without("end_id")],
            vec![END_ID],
            malformed,
        ),
        (
            Some(Service),
            1,
            vec![without("end_id"), named()],
            vec![END_ID],
            None,
        ),
        (
            Some(Client),
            1,
            vec![pass(), beside(&named()), beside(&named())],
            vec![REVIEW_ID, ALONE],
            None,
        ),
        (
            Some(Client),
            1,
            vec![beside(&named()), beside(&pass())],
            vec![ALONE, REVIEW_ID],
            malformed,
        ),
        (
            Some(Client),
            1,
            vec![with_end("\"bcdf\"")],
            vec![
                "reviewer answered another end_id than that of its prompt: the end was cut off; read all of it, to its last line, before you judge",
            ],
            unread,
        ),
        (Some(Program), 1, vec![pass()], vec![], None),
        (Some(Program), 1, vec![beside(&named())], vec![], None),
        (
            Some(Program),
            1,
            vec![beside(&pass()), pass()],
            vec![EITHER],
            None,
        ),
        (
            Some(Program),
            1,
            vec![beside(&pass())],
            vec![EITHER],
            malformed,
        ),
        (
            Some(Program),
            1,
            vec![beside(&without("end_id"))],
            vec![EITHER],
            malformed,
        ),
        (None, 1, vec![pass()], vec![], None),
        (None, 1, vec![beside(&pass())], vec![EITHER], malformed),
    ] {
        let config = LoopConfig {
            retry_on_malformed: retries,
            ..config()
        };
        let case = format!("{receiver:?} {retries} {answers:?}");
        let (reviewer, told) = reviewer(receiver, answers);
        let sink = MemorySink::default();
        let looped = builder(config, reviewer, MockApplier::new()).events(&sink);
        let session = block_on(looped.build().unwrap().run(SEED, &ManualClock::default())).unwrap();
        assert_eq!(session.block_code, end, "{case}");
        assert_eq!(told.lock().unwrap()[1..], asked, "{case}");
        let malformed = sink.events().into_iter();
        let malformed = malformed.filter(|told| matches!(told.event, Event::ReviewMalformed(_)));
        assert_eq!(
            malformed.count(),
            asked.len() + usize::from(end.is_some()),
            "{case}"
        );
    }
}

#[test]
fn a_fallback_is_asked_for_its_own_object_alone() {
    let link = |name: &str| ChainLink {
        name: name.to_owned(),
        pass_counts: true,
        dialect: Dialect::Verdict,
        keeps_sessions: false,
        proves: false,
    };
    let config = LoopConfig {
        reviewers: vec![link("first"), link("second")],
        ..config()
    };
    let asked: Arc<Mutex<Vec<(u32, bool)>>> = Arc::default();
    let noted = Arc::clone(&asked);
    let mut reviewer = MockReviewer::new();
    reviewer.expect_review().returning(move |request| {
        let mut asked = noted.lock().unwrap();
        asked.push((request.reviewer, request.retry.is_some()));
        if asked.len() == 2 {
            return Err(AgentError::new(Failure::AuthFailed, "no key"));
        }
        let text = format!("I refuse; could not read.\n{}", named());
        let text = text.replace("REVIEW_ID", &request.review_id);
        let text = text.replace("END_ID", &request.end_id);
        let receiver = Receiver::Client;
        let sent = PromptSent {
            receiver,
            read: None,
        };
        Ok(ReviewAnswer {
            sent: Some(sent),
            ..answer(text)
        })
    });
    let looped = builder(config, reviewer, MockApplier::new())
        .build()
        .unwrap();
    let session = block_on(looped.run(SEED, &ManualClock::default())).unwrap();
    assert_eq!(session.block_code, None);
    let asked = asked.lock().unwrap();
    assert_eq!(*asked, [(0, false), (0, true), (1, false), (1, true)]);
}

#[test]
fn the_object_alone_is_asked_for_once_in_a_round_also_across_a_resume() {
    let beside = format!("Could not read all of it.\n{}", named());
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let reviewer = || {
        let noted = Arc::clone(&asked);
        let beside = beside.clone();
        let mut reviewer = MockReviewer::new();
        reviewer.expect_review().returning(move |request| {
            let retry = request.retry.map(|retry| retry.message);
            let mut asked = noted.lock().unwrap();
            asked.push(retry.unwrap_or_default());
            if asked.len() == 2 {
                return Err(AgentError::new(Failure::AuthFailed, "no key"));
            }
            let text = beside.replace("REVIEW_ID", &request.review_id);
            let text = text.replace("END_ID", &request.end_id);
            let sent = PromptSent {
                receiver: Receiver::Client,
                read: None,
            };
            Ok(ReviewAnswer {
                sent: Some(sent),
                ..answer(text)
            })
        });
        reviewer
    };
    let (mut journal, blobs) = (MemoryJournal::default(), Arc::new(MemoryBlobs::default()));
    let looped = builder(config(), reviewer(), MockApplier::new())
        .journal(&mut journal, Arc::clone(&blobs) as _)
        .build()
        .unwrap();
    let clock = ManualClock::default();
    let blocked = block_on(looped.run(SEED, &clock)).unwrap();
    assert_eq!(blocked.block_code, Some(BlockCode::ReviewerFailed));
    let recorded = journal.bytes().to_vec();
    let resume = |journal: &mut MemoryJournal| {
        let looped = builder(config(), reviewer(), MockApplier::new())
            .journal(journal, Arc::clone(&blobs) as _)
            .build()
            .unwrap();
        block_on(looped.resume(Limits::default(), &clock)).unwrap()
    };
    let passed = resume(&mut journal);
    assert_eq!(passed.block_code, None);
    assert_eq!(*asked.lock().unwrap(), ["", ALONE, ALONE]);

    // A kill after any record asks no other question.
    let whole = journal.bytes().to_vec();
    let ends = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let ends = ends.map(|(at, _)| at + 1);
    for end in ends.filter(|end| *end >= recorded.len()) {
        let before = asked.lock().unwrap().len();
        let mut cut = MemoryJournal::from_bytes(whole[..end].to_vec());
        assert_eq!(resume(&mut cut), passed, "cut at {end}");
        let asked = asked.lock().unwrap();
        assert!(asked.len() <= before + 1, "cut at {end}: {asked:?}");
        assert!(
            asked[before..].iter().all(|told| told == ALONE),
            "{asked:?}"
        );
    }
}

#[test]
fn a_pass_that_was_proved_is_not_lost_by_a_request_to_reword() {
    let vague = r#""feedback": [{"section": "A", "issue": "The limit is missing.",
        "suggestion": "Consider improving it", "severity": "minor"}]"#;
    let first = named().replace("\"feedback\": []", vague);
    assert_ne!(first, named());
    let config = LoopConfig {
        wording_rules: true,
        ..config()
    };
    let (reviewer, told) = reviewer(Some(Receiver::Client), vec![first, pass()]);
    let looped = builder(config, reviewer, MockApplier::new())
        .build()
        .unwrap();
    let session = block_on(looped.run(SEED, &ManualClock::default())).unwrap();
    assert_eq!(session.block_code, None);
    assert_eq!(told.lock().unwrap().len(), 2);
}

#[test]
fn a_revision_counts_without_ids_and_with_text_beside_it() {
    let revision = crate::support::needs_revision();
    let (reviewer, told) = reviewer(
        Some(Receiver::Client),
        vec![format!("I would answer {revision}, if asked.")],
    );
    let config = LoopConfig {
        max_iterations: 1,
        ..config()
    };
    let looped = builder(config, reviewer, MockApplier::new())
        .build()
        .unwrap();
    let session = block_on(looped.run(SEED, &ManualClock::default())).unwrap();
    assert_eq!(session.block_code, Some(BlockCode::MaxIterations));
    assert_eq!(*told.lock().unwrap(), [""]);
}

#[test]
fn a_single_review_refuses_a_pass_that_is_not_proved() {
    for (receiver, text, refused) in [
        (None, pass(), None),
        (None, format!("All is well: {}", pass()), Some(EITHER)),
        (Some(Receiver::Client), named(), None),
        (Some(Receiver::Client), pass(), Some(REVIEW_ID)),
    ] {
        let (reviewer, _) = reviewer(receiver, vec![text]);
        let looped = builder(config(), reviewer, MockApplier::new())
            .build()
            .unwrap();
        let got = match block_on(looped.review_specs(SEED)) {
            Ok(_) => None,
            Err(ReviewSpecsError::Malformed { error, .. }) => Some(error.message),
            Err(error) => panic!("{error}"),
        };
        assert_eq!(got.as_deref(), refused);
    }
}
