//! Task 6, also: facts that no reviewer can overrule.

use review::events::{AnswerRemark, Envelope, Event};
use review::flow::ManualClock;
use review::types::{AgentError, BlockCode, FeedbackItem, FinalVerdict, ReviewSession, Verdict};
use review::{Fact, MemorySink, ReviewLoop, ReviewSpecsError};

use crate::support::{
    MockApplier, MockFactFinder, MockReviewer, SEED, answer, applier, block_on, builder, config,
    failure, item, needs_revision, pass, reviewer,
};

fn fact(section: &str, blocks: bool) -> Fact {
    Fact {
        item: item(section, "the link leads nowhere", "write /specs/API.md"),
        blocks,
    }
}

/// Returns a finder of the facts of each round in turn.
fn finder<const ROUNDS: usize>(rounds: [Result<Vec<Fact>, AgentError>; ROUNDS]) -> MockFactFinder {
    let mut finder = MockFactFinder::new();
    let mut sequence = mockall::Sequence::new();
    for facts in rounds {
        let once = finder.expect_facts().times(1).in_sequence(&mut sequence);
        once.return_once(move || facts);
    }
    finder
}

fn run(
    facts: MockFactFinder,
    reviewer: MockReviewer,
    applier: MockApplier,
) -> (ReviewSession, Vec<Envelope>) {
    let sink = MemorySink::default();
    let looped = builder(config(), reviewer, applier)
        .facts(&facts)
        .events(&sink)
        .build()
        .unwrap();
    let session = block_on(looped.run(SEED, &ManualClock::default())).unwrap();
    (session, sink.events())
}

/// What is remarkable about the answers of each round.
fn remarks(events: &[Envelope]) -> Vec<Vec<AnswerRemark>> {
    let found = events.iter().filter_map(|envelope| match &envelope.event {
        Event::ReviewIteration(round) => Some(round.remarks.clone()),
        _ => None,
    });
    found.collect()
}

fn feedback(session: &ReviewSession, round: usize) -> Vec<FeedbackItem> {
    let review = session.iterations[round].result.as_ref().unwrap();
    review.feedback().to_vec()
}

#[test]
fn a_pass_does_not_count_while_a_fact_blocks() {
    let facts = finder([Ok(vec![fact("API", true), fact("Goals", false)])]);
    let mut applier = MockApplier::new();
    let given = applier.expect_apply().times(1);
    given.returning(|request| {
        let [item] = request.items.as_slice() else {
            panic!("one item")
        };
        assert!(item.says_the_same(&fact("API", true).item));
        Err(failure("stop here"))
    });
    let (session, events) = run(facts, reviewer([Ok(pass())]), applier);
    assert_eq!(session.block_code, Some(BlockCode::ApplierFailed));
    assert_eq!(feedback(&session, 0), [fact("API", true).item]);
    assert_eq!(remarks(&events), [[AnswerRemark::Overruled(1)]]);
}

#[test]
fn a_pass_counts_when_the_fact_is_gone() {
    let facts = finder([Ok(vec![fact("API", true)]), Ok(vec![fact("API", false)])]);
    let answers = [Ok(pass()), Ok(pass())];
    let (session, events) = run(facts, reviewer(answers), applier(1));
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
    assert_eq!(session.iterations.len(), 2);
    assert_eq!(feedback(&session, 1), []);
    let overruled = vec![AnswerRemark::Overruled(1)];
    assert_eq!(remarks(&events), [overruled, Vec::new()]);
}

#[test]
fn a_revision_starts_with_the_blocking_facts_without_duplicates() {
    let said = item("API", "no error codes", "list them");
    let same = Fact {
        item: said.clone(),
        blocks: true,
    };
    let facts = finder([Ok(vec![fact("Limits", true), same]), Ok(Vec::new())]);
    let answers = [Ok(needs_revision()), Ok(pass())];
    let (session, events) = run(facts, reviewer(answers), applier(1));
    assert_eq!(feedback(&session, 0), [fact("Limits", true).item, said]);
    assert_eq!(remarks(&events), [[], []]);
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
}

#[test]
fn the_reviewer_gets_every_fact() {
    let mut told = MockReviewer::new();
    told.expect_review().times(1).returning(|request| {
        assert_eq!(request.facts, [fact("API", false), fact("Goals", false)]);
        Ok(answer(pass()))
    });
    let facts = finder([Ok(vec![fact("API", false), fact("Goals", false)])]);
    let (session, _) = run(facts, told, applier(0));
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
}

#[test]
fn a_failed_search_for_facts_is_no_verdict() {
    let facts = finder([Err(failure("no such folder"))]);
    let (session, _) = run(facts, reviewer([]), applier(0));
    assert_eq!(session.block_code, Some(BlockCode::ReviewerFailed));
    let reason = &session.block_reason;
    assert!(reason.ends_with("no such folder"), "{reason}");
}

#[test]
fn a_single_review_is_checked_against_the_facts_too() {
    let review = |facts| {
        let facts = finder([facts]);
        let looped = ReviewLoop::review_only(reviewer([Ok(pass())]))
            .facts(&facts)
            .build();
        block_on(looped.unwrap().review_specs(SEED))
    };
    let blocked = review(Ok(vec![fact("API", true)])).unwrap();
    assert_eq!(blocked.verdict(), Verdict::NeedsRevision);
    assert_eq!(blocked.feedback(), [fact("API", true).item]);
    let passed = review(Ok(vec![fact("API", false)])).unwrap();
    assert_eq!(passed.verdict(), Verdict::Pass);
    let gone = finder([Err(failure("gone"))]);
    let unknown = ReviewLoop::review_only(reviewer([]))
        .facts(&gone)
        .build()
        .unwrap();
    let error = block_on(unknown.review_specs(SEED)).unwrap_err();
    assert!(matches!(error, ReviewSpecsError::Reviewer(_)), "{error}");
}
