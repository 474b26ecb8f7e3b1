//! A step that a signal stopped, and one that had not started.

use std::sync::{Arc, Mutex};

use review::events::MachineName;
use review::{
    Cmd, DriveError, Executed, Executor, Halt, Input, Machine, ManualClock, MemoryBlobs,
    MemoryJournal, MissingText, NoSink, Notice, RunLog, Step, StepName, Texts, Turn, drive,
};

use crate::looped::record;
use crate::support::block_on;

/// Takes one step, which is local or an agent's.
struct OneStep<const LOCAL: bool>;

struct NoNotice;

impl Notice for NoNotice {
    fn event(self, _: &Texts) -> Result<review::events::Event, MissingText> {
        unreachable!("a machine of one step tells nothing")
    }
}

impl<const LOCAL: bool> Machine for OneStep<LOCAL> {
    type Op = ();
    type Out = ();
    type Notice = NoNotice;
    type Done = ();
    type Changes = ();

    const NAME: MachineName = MachineName::Task;

    fn next(&mut self, input: Input<(), ()>) -> Turn<Self> {
        let cmd = match input {
            Input::Result(_) => Cmd::Done(()),
            _ => Cmd::Do {
                step: StepName::new(MachineName::Task, 0, format_args!("step")),
                op: (),
            },
        };
        Turn {
            notices: Vec::new(),
            cmd,
        }
    }

    fn is_local((): &()) -> bool {
        LOCAL
    }
}

/// Stops the first attempts for these reasons, and notes of each attempt its
/// number and whether a signal stopped the one before.
struct Stopped {
    halts: Mutex<Vec<Halt>>,
    attempts: Mutex<Vec<(u32, bool)>>,
}

impl<const LOCAL: bool> Executor<OneStep<LOCAL>> for Stopped {
    async fn exec(&self, step: Step, (): (), _: &Texts) -> Result<Executed<()>, Halt> {
        let attempt = (step.attempt, step.was_stopped);
        self.attempts.lock().unwrap().push(attempt);
        match self.halts.lock().unwrap().pop() {
            Some(halt) => Err(halt),
            None => Ok(Executed::local(())),
        }
    }
}

/// The attempts at a step that is stopped once, each by a process of its own.
fn attempts<const LOCAL: bool>(halt: Halt) -> Vec<(u32, bool)> {
    let executor = Stopped {
        halts: Mutex::new(vec![halt]),
        attempts: Mutex::default(),
    };
    let texts = Texts::new(Arc::new(MemoryBlobs::default()));
    let (mut journal, clock) = (MemoryJournal::default(), ManualClock::default());
    let mut log = RunLog::create(&mut journal, &texts, &NoSink, record()).unwrap();
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
    let mut log = RunLog::open(&mut journal, &texts, &NoSink).unwrap();
    block_on(drive(&mut machine, &executor, &mut log, &clock, first)).unwrap();
    executor.attempts.into_inner().unwrap()
}

#[test]
fn only_a_step_that_had_started_counts_as_stopped_by_a_signal() {
    let broken = || Halt::Broken("disk full".to_owned());
    assert_eq!(
        attempts::<false>(Halt::Interrupted),
        [(1, false), (2, true)]
    );
    assert_eq!(attempts::<false>(broken()), [(1, false), (2, false)]);
    assert_eq!(
        attempts::<true>(Halt::Interrupted),
        [(1, false), (1, false)]
    );
}
