//! A step that a signal of the system stopped, and one that had not started.

use std::sync::Mutex;

use review_flow::{
    Command, ContentStore, DriveError, Executed, Executor, Input, Machine, ManualClock,
    MemoryJournal, RunLog, Step, Stop, Turn, drive,
};

use crate::support::{Fact, block_on, record, step, texts};

/// Takes one step, which is local or an agent's.
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

/// Stops the first attempts for these reasons, and notes of each attempt its
/// number and whether a signal stopped the one before.
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

/// The attempts at a step that is stopped once, each by a process of its own.
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
