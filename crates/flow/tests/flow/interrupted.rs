//! A step that a system signal stopped, and one that had not started.

use std::sync::Mutex;
use std::time::Duration;

use review_flow::{
    Clock, Command, ContentStore, DriveError, Executed, Executor, Input, Machine, ManualClock,
    MemoryJournal, Record, RunLog, Step, Stop, Turn, drive,
};
use review_types::Timestamp;

use crate::support::{Fact, block_on, record, step, texts};

/// Runs one step, which is local or an agent's.
struct OneStep<const LOCAL: bool>;

impl<const LOCAL: bool> Machine for OneStep<LOCAL> {
    type Op = ();
    type Out = ();
    type Notice = Fact;
    type Done = ();
    type Changes = ();

    fn next(&mut self, input: Input<(), ()>) -> Turn<Self> {
        let is_done = matches!(input, Input::Finished { .. });
        let only = Command::Do {
            step: step("only"),
            op: (),
        };
        Turn {
            notices: Vec::new(),
            commands: Vec::from_iter((!is_done).then_some(only)),
            done: is_done.then_some(()),
        }
    }

    fn is_local((): &()) -> bool {
        LOCAL
    }
}

/// Stops the first attempts for these reasons, and records the number of each
/// attempt and whether a signal stopped the previous one.
struct Stopped {
    stops: Mutex<Vec<Stop>>,
    attempts: Mutex<Vec<(u32, bool)>>,
}

impl<const LOCAL: bool> Executor<OneStep<LOCAL>> for Stopped {
    async fn exec(&self, step: Step, (): (), _: &ContentStore) -> Result<Executed<()>, Stop> {
        let attempt = (step.attempt, step.was_stopped);
        self.attempts.lock().unwrap().push(attempt);
        match self.stops.lock().unwrap().pop() {
            Some(stop) => Err(stop),
            None => Ok(Executed::local(())),
        }
    }
}

/// Returns the attempts at a step that is stopped once, each by a separate process.
fn attempts<const LOCAL: bool>(stop: Stop) -> Vec<(u32, bool)> {
    let executor = Stopped {
        stops: Mutex::new(vec![stop]),
        attempts: Mutex::default(),
    };
    let texts = texts();
    let (mut journal, clock) = (MemoryJournal::default(), ManualClock::default());
    let mut log = RunLog::create(&mut journal, &texts, record()).unwrap();
    let first = Input::Start { at: log.run().at };
    let mut machine = OneStep::<LOCAL>;
    let stopped = block_on(drive(
        &mut machine,
        &executor,
        &mut log,
        &clock,
        first.clone(),
    ));
    assert!(matches!(
        stopped,
        Err(DriveError::Interrupted | DriveError::Broken(_))
    ));
    let mut log = RunLog::open(&mut journal, &texts).unwrap();
    block_on(drive(&mut machine, &executor, &mut log, &clock, first)).unwrap();
    executor.attempts.into_inner().unwrap()
}

#[test]
fn only_a_step_that_had_started_counts_as_stopped_by_a_signal() {
    let broken = || Stop::Broken("disk full".to_owned());
    assert_eq!(
        attempts::<false>(Stop::Interrupted),
        [(1, false), (2, true)]
    );
    assert_eq!(attempts::<false>(broken()), [(1, false), (2, false)]);
    assert_eq!(
        attempts::<true>(Stop::Interrupted),
        [(1, false), (1, false)]
    );
}

/// Runs two steps at a time, and a pause.
#[derive(Default)]
struct Two {
    over: Vec<String>,
}

impl Machine for Two {
    type Op = String;
    type Out = ();
    type Notice = Fact;
    type Done = Vec<String>;
    type Changes = ();

    fn next(&mut self, input: Input<(), ()>) -> Turn<Self> {
        let start = |path: &str| Command::Do {
            step: step(path),
            op: path.to_owned(),
        };
        let mut commands = Vec::new();
        match input {
            Input::Start { .. } => {
                let pause = Command::Wait {
                    step: step("pause"),
                    delay: Duration::from_secs(3600),
                };
                commands.extend([start("stopped"), start("well"), pause]);
            }
            Input::Finished { step, .. } | Input::Waited { step, .. } => {
                self.over.push(step.to_string());
            }
            Input::Signal { .. } | Input::Resumed { .. } => panic!("neither happens"),
        }
        Turn {
            notices: Vec::new(),
            commands,
            done: (self.over.len() == 3).then(|| self.over.clone()),
        }
    }
}

/// One step is interrupted the first time; the other completes shortly after.
#[derive(Default)]
struct Both(Mutex<Vec<(String, u32)>>);

impl Executor<Two> for Both {
    async fn exec(&self, step: Step, op: String, _: &ContentStore) -> Result<Executed<()>, Stop> {
        self.0.lock().unwrap().push((op.clone(), step.attempt));
        match (op.as_str(), step.attempt) {
            ("stopped", 1) => Err(Stop::Interrupted),
            _ => {
                tokio::task::yield_now().await;
                Ok(Executed::local(()))
            }
        }
    }
}

/// A clock on which no pause ends.
#[derive(Default)]
struct Endless(ManualClock);

#[async_trait::async_trait]
impl Clock for Endless {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    async fn sleep(&self, _: Duration) -> Result<(), Stop> {
        std::future::pending().await
    }
}

#[test]
fn an_interrupt_records_the_steps_that_complete_and_waits_for_no_pause() {
    let (executor, texts) = (Both::default(), texts());
    let clock = Endless::default();
    let mut journal = MemoryJournal::default();
    let mut log = RunLog::create(&mut journal, &texts, record()).unwrap();
    let first = Input::Start { at: log.run().at };
    let mut machine = Two::default();
    let stopped = block_on(drive(
        &mut machine,
        &executor,
        &mut log,
        &clock,
        first.clone(),
    ));
    assert!(matches!(stopped, Err(DriveError::Interrupted)));
    let (records, _) = Record::read_all(journal.bytes()).unwrap();
    let last: Vec<_> = records[records.len() - 2..]
        .iter()
        .map(|record| record.body.to_string())
        .collect();
    assert_eq!(last, ["the result of test/well", "the end of a process"]);
    let mut log = RunLog::open(&mut journal, &texts).unwrap();
    let clock = ManualClock::default();
    let mut machine = Two::default();
    let over = block_on(drive(&mut machine, &executor, &mut log, &clock, first)).unwrap();
    assert_eq!(over[0], "test/well");
    let calls = executor.0.into_inner().unwrap();
    let call = |op: &str, attempt| (op.to_owned(), attempt);
    assert_eq!(
        calls,
        [call("stopped", 1), call("well", 1), call("stopped", 2)]
    );
}
