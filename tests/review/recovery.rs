//! Runs that were interrupted or resumed, or had a damaged journal.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use review::config::LoopConfig;
use review::events::{Envelope, Event, RunEnded};
use review::flow::Record;
use review::flow::{
    Blobs, Clock, Command, ContentStore, DriveError, Executed, Executor, Input, Journal, LogError,
    Machine, ManualClock, MemoryBlobs, MemoryJournal, MissingContent, Notice, RunLog, Step,
    StepName, Stop, Turn, drive, hash_bytes,
};
use review::machine::{LoopExecutor, LoopParts, ReviewChanges, ReviewMachine, session_of};
use review::types::{
    AgentError, BlockCode, Failure, FinalVerdict, LimitKind, ReviewSession, Timestamp,
};
use review::{AnswerContent, Budget, MemorySink};

use crate::support::{
    MockApplier, MockReviewer, SEED, answer, applied, block_on, builder, config, envelopes,
    failure, model, needs_revision, pass, record,
};

/// The behaviour of a scripted reviewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Pass,
    Revise,
    Rubbish,
    Overloaded,
    Hangs,
    Nothing,
    Fails,
}

/// The names of the steps that ran, in order.
type Calls = Arc<Mutex<Vec<String>>>;

/// A reviewer whose answer depends on the round and attempt alone, so that a
/// repeated step gets the same answer.
fn scripted(script: Vec<Vec<Says>>, calls: &Calls) -> MockReviewer {
    let mut mock = MockReviewer::new();
    let calls = Arc::clone(calls);
    mock.expect_review().returning(move |request| {
        let name = request.step.name.as_str().to_owned();
        let attempt: usize = name.rsplit_once('.').unwrap().1.parse().unwrap();
        calls.lock().unwrap().push(name);
        let round = script.get(request.iteration as usize - 1);
        let says = round.and_then(|round| round.get(attempt - 1));
        match says.copied().unwrap_or(Says::Pass) {
            Says::Pass => Ok(answer(pass())),
            Says::Revise => Ok(answer(needs_revision())),
            Says::Rubbish => Ok(answer("rubbish")),
            Says::Overloaded => Err(AgentError::new(
                Failure::ModelError { status: Some(503) },
                "overloaded",
            )),
            Says::Hangs => Err(AgentError::new(
                Failure::Hung {
                    limit: LimitKind::Idle,
                    after_ms: 300_000,
                },
                "silent for 5 min",
            )),
            Says::Fails => Err(failure("exit status 9")),
            Says::Nothing => Ok(review::ReviewAnswer::new(
                AnswerContent::NothingChecked {
                    needs: "Markdown".to_owned(),
                },
                model(),
            )),
        }
    });
    mock
}

fn counting_applier(calls: &Calls) -> MockApplier {
    let mut mock = MockApplier::new();
    let calls = Arc::clone(calls);
    mock.expect_apply().returning(move |request| {
        calls
            .lock()
            .unwrap()
            .push(request.step.name.as_str().to_owned());
        Ok(applied("done"))
    });
    mock
}

/// A run over a journal, with its result.
struct Ran {
    result: Result<ReviewSession, DriveError>,
    events: Vec<Envelope>,
    calls: Vec<String>,
}

/// Drives a scripted loop over `journal`: from the start if the journal is empty, or
/// else from where it ends.
fn run_on(journal: &mut dyn Journal, config: &LoopConfig, script: &[Vec<Says>]) -> Ran {
    let calls = Calls::default();
    let sink = MemorySink::default();
    let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
    let clock = ManualClock::default();
    let reviewer = scripted(script.to_vec(), &calls);
    let applier = counting_applier(&calls);
    let executor = LoopExecutor::new(config, SEED, reviewer, applier, LoopParts::default());
    let mut machine = ReviewMachine::new(config.clone()).unwrap();
    let empty = journal.read().unwrap().is_empty();
    let log = if empty {
        RunLog::create(journal, &texts, record())
    } else {
        RunLog::open(journal, &texts)
    };
    let envelopes = envelopes(&sink);
    let result = log.map_err(DriveError::Log).and_then(|mut log| {
        log.emit_to(&envelopes);
        let first = Input::Start { at: log.run().at };
        block_on(drive(&mut machine, &executor, &mut log, &clock, first))
    });
    let result = result.map(|done| session_of(config, &machine, &done, &texts).unwrap());
    let calls = calls.lock().unwrap().clone();
    Ran {
        result,
        events: sink.events(),
        calls,
    }
}

fn golden_script() -> Vec<Vec<Says>> {
    vec![
        vec![Says::Rubbish, Says::Revise],
        vec![Says::Revise],
        vec![Says::Rubbish, Says::Pass],
    ]
}

/// Returns the events by number, each once; panics when two of a number differ.
pub(crate) fn by_number(events: impl IntoIterator<Item = Envelope>) -> Vec<Envelope> {
    let mut events: Vec<_> = events.into_iter().collect();
    events.sort_by_key(|event| event.seq);
    events.dedup_by(|a, b| {
        let same = a.seq == b.seq;
        assert!(!same || a == b, "{a:?}\n{b:?}");
        same
    });
    events
}

/// Returns offsets around every line end, and every seventh byte between.
fn is_worth_a_cut(bytes: &[u8], cut: usize) -> bool {
    let near = &bytes[cut.saturating_sub(2)..(cut + 2).min(bytes.len())];
    cut.is_multiple_of(7) || near.contains(&b'\n')
}

#[test]
fn a_run_cut_at_any_byte_ends_the_same_without_repeating_a_recorded_step() {
    let (config, script) = (config(), golden_script());
    let mut whole = MemoryJournal::default();
    let golden = run_on(&mut whole, &config, &script);
    let session = golden.result.unwrap();
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
    assert_eq!(golden.calls.len(), 7);
    let first_line = whole
        .bytes()
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap()
        + 1;
    for cut in (first_line..whole.bytes().len()).filter(|cut| is_worth_a_cut(whole.bytes(), *cut)) {
        let kept = &whole.bytes()[..cut];
        let results = kept
            .split_inclusive(|byte| *byte == b'\n')
            .filter(|line| line.ends_with(b"\n") && line.windows(9).any(|w| w == b"\"result\":"))
            .count();
        let mut journal = MemoryJournal::from_bytes(kept.to_vec());
        let again = run_on(&mut journal, &config, &script);
        assert_eq!(again.result.unwrap(), session, "cut at {cut}");
        let (_, read) = Record::read_all(journal.bytes()).unwrap();
        assert_eq!(read, journal.bytes().len(), "cut at {cut}");
        assert_eq!(again.calls, golden.calls[results..], "cut at {cut}");
        let last = again.events.last().unwrap();
        assert_eq!(last, golden.events.last().unwrap(), "cut at {cut}");
        let first = again.events[0].seq.unwrap() as usize;
        let both = by_number(golden.events[..first].iter().cloned().chain(again.events));
        assert_eq!(both, golden.events, "cut at {cut}");
    }
}

/// A journal whose append fails once, after `good` appends, with half of the lines
/// written.
struct FailingJournal {
    inner: MemoryJournal,
    good: usize,
}

impl Journal for FailingJournal {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        self.inner.read()
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.inner.truncate(len)
    }

    fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        if self.good == 0 {
            self.good = usize::MAX;
            self.inner.append(&lines[..lines.len() / 2])?;
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        self.good -= 1;
        self.inner.append(lines)
    }
}

#[test]
fn a_failed_append_stops_the_run_and_the_next_process_continues() {
    let (config, script) = (config(), golden_script());
    let golden = run_on(&mut MemoryJournal::default(), &config, &script);
    let session = golden.result.unwrap();
    for good in 0..golden.calls.len() {
        let mut journal = FailingJournal {
            inner: MemoryJournal::default(),
            good,
        };
        let broken = run_on(&mut journal, &config, &script);
        let error = broken.result.unwrap_err();
        assert!(
            matches!(
                &error,
                DriveError::Log(LogError::Io {
                    action: "written",
                    ..
                })
            ),
            "{error:?}"
        );
        assert_eq!(
            broken.calls.len(),
            good,
            "nothing runs after a failed append"
        );
        if good == 0 {
            continue;
        }
        let again = run_on(&mut journal, &config, &script);
        assert_eq!(again.result.unwrap(), session);
        let both = by_number(broken.events.into_iter().chain(again.events));
        assert_eq!(both, golden.events, "good {good}");
    }
}

#[test]
fn a_journal_of_other_steps_is_refused() {
    let mut journal = MemoryJournal::default();
    let ran = run_on(&mut journal, &config(), &golden_script());
    assert!(ran.result.is_ok());
    let other = LoopConfig {
        retry_on_malformed: 0,
        ..config()
    };
    let mut cut = journal.bytes().to_vec();
    cut.truncate(cut.len() - 1);
    let renamed = String::from_utf8(cut)
        .unwrap()
        .replace("apply-1", "adopt-1");
    let mut renamed = MemoryJournal::from_bytes(renamed.into_bytes());
    let error = run_on(&mut renamed, &config(), &golden_script())
        .result
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the journal was written by another version or with other settings: expected step review/apply-1, found the start of \
         review/adopt-1"
    );
    let text = String::from_utf8(journal.bytes().to_vec()).unwrap();
    let result = "\"result\":{\"step\":\"review/review-1.1\"";
    let adopted = text.replacen(result, &result.replace("review-1.1", "adopt-1"), 1);
    assert_ne!(adopted, text);
    let mut adopted = MemoryJournal::from_bytes(adopted.into_bytes());
    let error = run_on(&mut adopted, &config(), &golden_script()).result;
    assert_eq!(
        error.unwrap_err().to_string(),
        "the journal was written by another version or with other settings: expected step review/review-1.1, found the result of \
         review/adopt-1"
    );
    let blocked = run_on(&mut journal, &other, &golden_script())
        .result
        .unwrap();
    assert_eq!(blocked.block_code, Some(BlockCode::Malformed));
}

#[test]
fn an_invalid_journal_is_refused_with_its_line() {
    let mut journal = MemoryJournal::default();
    assert!(
        run_on(&mut journal, &config(), &golden_script())
            .result
            .is_ok()
    );
    let text = String::from_utf8(journal.bytes().to_vec()).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let table = [
        (
            "torn".to_owned(),
            "the journal does not start with a run record; nothing was recorded",
        ),
        (
            lines[1..].concat(),
            "journal line 1: expected line number 0, found 1",
        ),
        (
            format!("{}{}", lines[0], lines[2]),
            "journal line 2: expected line number 1, found 2",
        ),
        (
            text.replacen("{\"v\":5", "{\"v\":9", 1),
            "journal line 1: expected format 5, found format 9, written by another build of \
             ralph; start a new run, the old one stays as it is",
        ),
        (
            "{\"v\":1,\"n\":0,\"run\":{\"a field\":\"that is gone\"}}\n".to_owned(),
            "journal line 1: expected format 5, found format 1, written by another build of \
             ralph; start a new run, the old one stays as it is",
        ),
        (
            format!("{}{{\"v\":5,\"n\":1}}\n", lines[0]),
            "journal line 2: expected exactly one of run, start, result, wait, waited, signal, resumed, end",
        ),
    ];
    for (bytes, message) in table {
        let mut journal = MemoryJournal::from_bytes(bytes.into_bytes());
        let error = run_on(&mut journal, &config(), &golden_script())
            .result
            .unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

/// Stops at one step the first time.
struct HaltsOnce<E> {
    inner: E,
    at: &'static str,
    halt: Mutex<Option<Stop>>,
}

impl<E: Executor<ReviewMachine>> Executor<ReviewMachine> for HaltsOnce<E> {
    async fn exec(
        &self,
        step: Step,
        op: review::machine::ReviewOp,
        texts: &ContentStore,
    ) -> Result<Executed<review::machine::ReviewOut>, Stop> {
        if step.name.as_str() == self.at {
            let halt = self.halt.lock().unwrap().take();
            if let Some(halt) = halt {
                return Err(halt);
            }
        }
        self.inner.exec(step, op, texts).await
    }
}

#[test]
fn an_interrupt_is_recorded_and_the_open_step_runs_again() {
    for (halt, reason) in [
        (Stop::Interrupted, "interrupted"),
        (Stop::Broken("disk full".to_owned()), "disk full"),
    ] {
        let (config, calls) = (config(), Calls::default());
        let executor = HaltsOnce {
            inner: LoopExecutor::new(
                &config,
                SEED,
                scripted(golden_script(), &calls),
                counting_applier(&calls),
                LoopParts::default(),
            ),
            at: "review/apply-1",
            halt: Mutex::new(Some(halt)),
        };
        let mut journal = MemoryJournal::default();
        let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
        let sink = MemorySink::default();
        let clock = ManualClock::default();
        let mut machine = ReviewMachine::new(config.clone()).unwrap();
        let envelopes = envelopes(&sink);
        let mut log = RunLog::create(&mut journal, &texts, record()).unwrap();
        log.emit_to(&envelopes);
        let first = Input::Start { at: clock.now() };
        let error = block_on(drive(&mut machine, &executor, &mut log, &clock, first));
        assert!(matches!(
            error,
            Err(DriveError::Interrupted | DriveError::Broken(_))
        ));
        drop(log);
        let last = sink.events().last().cloned().unwrap();
        let expected = Event::RunInterrupted(RunEnded {
            reason: reason.to_owned(),
        });
        assert_eq!((last.event, last.seq), (expected, None));
        let again = run_on(&mut journal, &config, &golden_script());
        assert_eq!(again.result.unwrap().final_verdict, FinalVerdict::Pass);
        assert_eq!(again.calls[0], "review/apply-1");
        let text = String::from_utf8(journal.bytes().to_vec()).unwrap();
        let attempts = text.matches("\"step\":\"review/apply-1\"").count();
        assert_eq!(attempts, 3, "two starts and one result");
        assert_eq!(text.matches("\"end\":{\"reason\":").count(), 1);
        assert!(text.contains("\"attempt\":2"));
    }
}

/// Resumes an ended run with `changes` and drives it to its next end.
fn resume_with(
    journal: &mut MemoryJournal,
    config: &LoopConfig,
    script: &[Vec<Says>],
    changes: ReviewChanges,
) -> Ran {
    let calls = Calls::default();
    let sink = MemorySink::default();
    let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
    let clock = ManualClock::default();
    let executor = LoopExecutor::new(
        config,
        SEED,
        scripted(script.to_vec(), &calls),
        counting_applier(&calls),
        LoopParts::default(),
    );
    let mut machine = ReviewMachine::new(config.clone()).unwrap();
    let envelopes = envelopes(&sink);
    let mut log = RunLog::open(journal, &texts).unwrap();
    log.emit_to(&envelopes);
    let result: Result<_, DriveError> = block_on(async {
        let first = Input::Start { at: log.run().at };
        drive(&mut machine, &executor, &mut log, &clock, first).await?;
        while let Some(resumed) = log.take_resumed() {
            let first = Input::Resumed {
                resume: log.resumes(),
                changes: serde_json::from_value(resumed.changes).unwrap(),
                at: resumed.at,
            };
            drive(&mut machine, &executor, &mut log, &clock, first).await?;
        }
        let at = clock.now();
        log.resume(&changes, at)?;
        let first = Input::Resumed {
            resume: log.resumes(),
            changes,
            at,
        };
        drive(&mut machine, &executor, &mut log, &clock, first).await
    });
    let result = result.map(|done| session_of(config, &machine, &done, &texts).unwrap());
    let calls = calls.lock().unwrap().clone();
    Ran {
        result,
        events: sink.events(),
        calls,
    }
}

#[test]
fn a_failed_call_is_retried_by_a_resume() {
    let config = config();
    let mut journal = MemoryJournal::default();
    let failing = vec![vec![Says::Revise], vec![Says::Fails]];
    let ended = run_on(&mut journal, &config, &failing).result.unwrap();
    assert_eq!(ended.block_code, Some(BlockCode::ReviewerFailed));
    let changes = ReviewChanges::default();
    let resumed = resume_with(&mut journal, &config, &failing, changes.clone());
    assert_eq!(resumed.calls, ["review~1/review-2.1"]);
    assert_eq!(resumed.result.unwrap().iterations.len(), 1);
    let healed = vec![vec![Says::Revise], vec![Says::Pass]];
    let resumed = resume_with(&mut journal, &config, &healed, changes);
    assert_eq!(resumed.calls, ["review~2/review-2.1"]);
    let session = resumed.result.unwrap();
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
    assert_eq!(session.iterations.len(), 2);
}

#[test]
fn a_higher_limit_continues_with_the_remaining_feedback() {
    let config = LoopConfig {
        max_iterations: 1,
        ..config()
    };
    let script = vec![vec![Says::Revise], vec![Says::Pass]];
    let mut journal = MemoryJournal::default();
    let ended = run_on(&mut journal, &config, &script).result.unwrap();
    assert_eq!(ended.block_code, Some(BlockCode::MaxIterations));
    let same = resume_with(&mut journal, &config, &script, ReviewChanges::default());
    assert_eq!(same.calls, [""; 0]);
    assert_eq!(
        same.result.unwrap().block_code,
        Some(BlockCode::MaxIterations)
    );
    let raised = ReviewChanges {
        max_iterations: Some(2),
        ..ReviewChanges::default()
    };
    let resumed = resume_with(&mut journal, &config, &script, raised);
    assert_eq!(resumed.calls, ["review~2/apply-1", "review~2/review-2.1"]);
    assert_eq!(resumed.result.unwrap().final_verdict, FinalVerdict::Pass);
}

#[test]
fn a_review_without_rules_gives_no_verdict() {
    let mut journal = MemoryJournal::default();
    let ended = run_on(&mut journal, &config(), &[vec![Says::Nothing]]);
    let session = ended.result.unwrap();
    assert_eq!(session.block_code, Some(BlockCode::ReviewerFailed));
    assert_eq!(
        session.block_reason,
        "no rule applied to any file; the rules need: Markdown"
    );
}

/// Waits twice and is done.
struct Patient(u32);

struct NoNotice;

impl Notice for NoNotice {
    type Event = ();

    fn event(self, _: &ContentStore) -> Result<(), MissingContent> {
        unreachable!("a waiting machine reports nothing")
    }
}

impl Machine for Patient {
    type Op = ();
    type Out = ();
    type Notice = NoNotice;
    type Done = Timestamp;
    type Changes = ();

    fn next(&mut self, input: Input<(), ()>) -> Turn<Self> {
        let (commands, done) = match input {
            Input::Waited { at, .. } if self.0 == 2 => (Vec::new(), Some(at)),
            _ => {
                self.0 += 1;
                let pause = Command::Wait {
                    step: StepName::new("task", 0, format_args!("pause-{}", self.0)),
                    delay: Duration::from_secs(60),
                };
                (vec![pause], None)
            }
        };
        Turn {
            notices: Vec::new(),
            commands,
            done,
        }
    }
}

struct Nobody;

impl Executor<Patient> for Nobody {
    async fn exec(&self, _: Step, (): (), _: &ContentStore) -> Result<Executed<()>, Stop> {
        Err(Stop::Broken(
            "a waiting machine asks for nothing".to_owned(),
        ))
    }
}

#[test]
fn a_resumed_pause_waits_only_for_the_rest() {
    let try_wait = |journal: &mut MemoryJournal, now: i64| {
        let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
        let clock = ManualClock::new(Timestamp::from_unix_ms(now));
        let empty = journal.bytes().is_empty();
        let mut log = if empty {
            RunLog::create(journal, &texts, record()).unwrap()
        } else {
            RunLog::open(journal, &texts).unwrap()
        };
        let first = Input::Start { at: clock.now() };
        block_on(drive(&mut Patient(0), &Nobody, &mut log, &clock, first))
    };
    let wait = |journal: &mut MemoryJournal, now: i64| try_wait(journal, now).unwrap();
    let mut journal = MemoryJournal::default();
    assert_eq!(wait(&mut journal, 0).unix_ms(), 120_000);
    let text = String::from_utf8(journal.bytes().to_vec()).unwrap();
    let waited = "\"waited\":{\"step\":\"task/pause-1\"";
    let other = text.replacen(waited, &waited.replace("pause-1", "nap-1"), 1);
    let mut other = MemoryJournal::from_bytes(other.into_bytes());
    assert_eq!(
        try_wait(&mut other, 0).unwrap_err().to_string(),
        "the journal was written by another version or with other settings: expected step task/pause-1, found the end of the pause \
         task/nap-1"
    );
    let begun: String = text.split_inclusive('\n').take(4).collect();
    assert!(
        begun.ends_with("\"until\":\"1970-01-01T00:02:00Z\"}}\n"),
        "{begun}"
    );
    let mut cut = MemoryJournal::from_bytes(begun.into_bytes());
    assert_eq!(wait(&mut cut, 100_000).unix_ms(), 120_000);
    assert_eq!(wait(&mut journal, 500_000).unix_ms(), 120_000);
}

#[test]
fn the_notices_before_an_interrupted_pause_are_repeated() {
    let (config, script) = (config(), vec![vec![Says::Overloaded, Says::Pass]]);
    let mut journal = MemoryJournal::default();
    let golden = run_on(&mut journal, &config, &script);
    let text = String::from_utf8(journal.bytes().to_vec()).unwrap();
    let wait = text.find("\"wait\":{").unwrap();
    let end = wait + text[wait..].find('\n').unwrap() + 1;
    let mut cut = MemoryJournal::from_bytes(text[..end].into());
    let again = run_on(&mut cut, &config, &script);
    assert!(matches!(again.events[0].event, Event::CallRetried(_)));
    assert_eq!(again.events, golden.events[1..]);
}

#[test]
fn an_answer_too_long_for_a_record_is_stored_as_a_blob() {
    let answers = Mutex::new(vec![pass(), "x".repeat(40 * 1024)]);
    let mut reviewer = MockReviewer::new();
    reviewer.expect_review().times(2).returning(move |_| {
        let next = answers.lock().unwrap().pop();
        Ok(answer(next.unwrap()))
    });
    let sink = MemorySink::default();
    let looped = builder(config(), reviewer, MockApplier::new())
        .events(&sink)
        .build();
    let session = block_on(looped.unwrap().run(SEED, &ManualClock::default())).unwrap();
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
    let Event::ReviewMalformed(malformed) = &sink.events()[1].event else {
        panic!("{:?}", sink.events());
    };
    assert_eq!(malformed.raw_output, "x".repeat(4 * 1024));
}

#[test]
fn a_record_holds_content_of_up_to_32_kib() {
    for (bytes, beside) in [(32 * 1024, false), (32 * 1024 + 1, true)] {
        let text = "x".repeat(bytes);
        let hash = hash_bytes(text.as_bytes());
        let mut reviewer = MockReviewer::new();
        let rubbish = text.clone();
        reviewer
            .expect_review()
            .returning(move |_| Ok(answer(rubbish.clone())));
        let (config, blobs) = (config(), Arc::new(MemoryBlobs::default()));
        let executor = LoopExecutor::new(
            &config,
            SEED,
            reviewer,
            MockApplier::new(),
            LoopParts::default(),
        );
        let texts = ContentStore::new(Arc::clone(&blobs) as Arc<dyn Blobs>);
        let (mut journal, clock) = (MemoryJournal::default(), ManualClock::default());
        let mut machine = ReviewMachine::new(config.clone()).unwrap();
        let mut log = RunLog::create(&mut journal, &texts, record()).unwrap();
        let first = Input::Start { at: clock.now() };
        block_on(drive(&mut machine, &executor, &mut log, &clock, first)).unwrap();
        drop(log);
        let journal = String::from_utf8(journal.bytes().to_vec()).unwrap();
        assert_eq!(journal.contains(&text), !beside, "{bytes}");
        assert_eq!(blobs.get(&hash).unwrap().is_some(), beside, "{bytes}");
    }
}

/// A clock that advances one second with each read.
#[derive(Default)]
struct Ticking(ManualClock);

#[async_trait::async_trait]
impl Clock for Ticking {
    fn now(&self) -> Timestamp {
        self.0.advance(Duration::from_secs(1));
        self.0.now()
    }

    async fn sleep(&self, duration: Duration) -> Result<(), Stop> {
        self.0.sleep(duration).await
    }
}

#[test]
fn a_replay_repeats_every_notice_and_adds_nothing() {
    let (config, calls) = (config(), Calls::default());
    let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
    let executor = LoopExecutor::new(
        &config,
        SEED,
        scripted(golden_script(), &calls),
        counting_applier(&calls),
        LoopParts::default(),
    );
    let clock = Ticking::default();
    let mut journal = MemoryJournal::default();
    let told = MemorySink::default();
    let first_told = envelopes(&told);
    let mut log = RunLog::create(&mut journal, &texts, record()).unwrap();
    log.emit_to(&first_told);
    let first = Input::Start { at: log.run().at };
    let mut machine = ReviewMachine::new(config.clone()).unwrap();
    block_on(drive(
        &mut machine,
        &executor,
        &mut log,
        &clock,
        first.clone(),
    ))
    .unwrap();
    assert!(log.is_live());
    let took = Duration::from_secs(calls.lock().unwrap().len() as u64);
    assert_eq!(log.spent(), took);
    drop(log);
    let bytes = journal.bytes().to_vec();

    let again = MemorySink::default();
    let told_again = envelopes(&again);
    let mut log = RunLog::open(&mut journal, &texts).unwrap();
    log.emit_to(&told_again);
    log.emit_replayed();
    assert_eq!(log.spent(), took);
    assert!(log.is_replaying() && !log.is_live());
    let mut machine = ReviewMachine::new(config).unwrap();
    block_on(drive(&mut machine, &executor, &mut log, &clock, first)).unwrap();
    assert!(!log.is_replaying() && !log.is_live());
    drop(log);
    assert_eq!(again.events(), told.events());
    assert_eq!(journal.bytes(), bytes);
}

fn says() -> impl Strategy<Value = Says> {
    prop_oneof![
        Just(Says::Pass),
        Just(Says::Revise),
        Just(Says::Revise),
        Just(Says::Rubbish),
        Just(Says::Nothing),
        Just(Says::Overloaded),
        Just(Says::Hangs),
        Just(Says::Fails),
    ]
}

/// Returns the session without the times of its rounds: a resumed process has
/// another clock.
fn timeless(mut session: ReviewSession) -> ReviewSession {
    for round in &mut session.iterations {
        round.timestamp = Timestamp::UNIX_EPOCH;
    }
    session
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_script_ends_and_every_prefix_of_its_journal_replays_to_the_same_end(
        script in proptest::collection::vec(proptest::collection::vec(says(), 1..3), 0..5),
        max_iterations in 1..5_u32,
        retry_on_malformed in 0..3_u32,
        max_calls in proptest::option::of(0..9_u32),
        reviewers in 1..3_usize,
        part in 0.0..1.0_f64,
    ) {
        let reviewers = vec![config().reviewers[0].clone(); reviewers];
        let tries = 4 * reviewers.len() as u64;
        let budget = Budget { max_calls, ..Budget::default() };
        let config = LoopConfig { max_iterations, retry_on_malformed, budget, reviewers, ..config() };
        let mut journal = MemoryJournal::default();
        let golden = run_on(&mut journal, &config, &script);
        let session = timeless(golden.result.unwrap());
        prop_assert!(session.final_verdict != FinalVerdict::Running);
        prop_assert_eq!(session.final_verdict == FinalVerdict::Blocked, session.block_code.is_some());
        if session.final_verdict == FinalVerdict::Pass {
            let last = session.iterations.last().and_then(|round| round.result.as_ref());
            prop_assert_eq!(last.map(|review| review.verdict().as_str()), Some("pass"));
        }
        prop_assert!(session.iterations.len() <= max_iterations as usize);
        let most = u64::from(max_iterations) * (u64::from(retry_on_malformed + 2) + tries);
        prop_assert!(golden.calls.len() as u64 <= most.min(max_calls.map_or(u64::MAX, u64::from)));
        let whole = journal.bytes();
        let Some(first_line) = whole.iter().position(|byte| *byte == b'\n') else {
            return Ok(());
        };
        let cut = first_line + 1 + ((whole.len() - first_line - 1) as f64 * part) as usize;
        let again = run_on(&mut MemoryJournal::from_bytes(whole[..cut].to_vec()), &config, &script);
        prop_assert_eq!(timeless(again.result.unwrap()), session);
    }
}
