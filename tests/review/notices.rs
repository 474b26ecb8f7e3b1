//! Task 4, also: the size of events.

use review::MemorySink;
use review::events::{Envelope, Event};
use review::flow::ManualClock;
use review::types::FeedbackItem;

use crate::support::{SEED, applier, block_on, builder, config, pass, reviewer};

const MAX_BYTES: usize = 256 * 1024;

/// Returns the events of a loop whose reviewer gives this answer first, and then
/// passes; the applier is called this often.
fn events_of(first: String, applied: usize) -> Vec<Envelope> {
    let sink = MemorySink::default();
    let reviewer = reviewer([Ok(first), Ok(pass())]);
    let looped = builder(config(), reviewer, applier(applied))
        .events(&sink)
        .build();
    let clock = ManualClock::default();
    block_on(looped.unwrap().run(SEED, &clock)).unwrap();
    sink.events()
}

fn revision(items: &[FeedbackItem]) -> String {
    let scores = serde_json::json!({
        "completeness": 60, "consistency": 85, "testability": 70, "architecture": 80
    });
    let review = serde_json::json!({
        "verdict": "needs_revision", "score": scores, "feedback": items
    });
    review.to_string()
}

/// Returns the feedback in the two events that carry it: the number of items, and
/// whether any were left out.
fn carried(items: &[FeedbackItem]) -> Vec<(usize, bool)> {
    let events = events_of(revision(items), 1);
    let carried = events.iter().filter_map(|envelope| match &envelope.event {
        Event::ReviewIteration(round) if round.iteration == 1 => {
            Some((round.feedback.len(), round.truncated))
        }
        Event::ReviewFeedback(given) => Some((given.feedback.len(), given.truncated)),
        _ => None,
    });
    carried.collect()
}

/// Returns an item of `bytes` in all.
fn item_of(bytes: usize) -> FeedbackItem {
    FeedbackItem::new("API", "x".repeat(bytes - 4), "y").unwrap()
}

#[test]
fn an_event_carries_64_items_of_feedback() {
    let items: Vec<_> = (10..75).map(item_of).collect();
    assert_eq!(carried(&items[..64]), [(64, false), (64, false)]);
    assert_eq!(carried(&items), [(64, true), (64, true)]);
}

#[test]
fn an_event_carries_256_kib_of_feedback() {
    let half = item_of(MAX_BYTES / 2);
    let whole = [half.clone(), half.clone()];
    assert_eq!(carried(&whole), [(2, false), (2, false)]);
    let more = [half, item_of(MAX_BYTES / 2 + 1)];
    assert_eq!(carried(&more), [(1, true), (1, true)]);
}

#[test]
fn an_event_carries_the_end_of_an_answer_from_a_whole_character_on() {
    let rubbish = format!("{}x", "\u{e9}".repeat(3000));
    let events = events_of(rubbish.clone(), 0);
    let malformed = events
        .into_iter()
        .find_map(|envelope| match envelope.event {
            Event::ReviewMalformed(malformed) => Some(malformed),
            _ => None,
        });
    let malformed = malformed.expect("the first answer cannot be read");
    assert_eq!(malformed.raw_output, rubbish[rubbish.len() - 4095..]);
    assert_eq!(
        malformed.raw_output_hash,
        review_flow::hash_bytes(rubbish.as_bytes())
    );
}
