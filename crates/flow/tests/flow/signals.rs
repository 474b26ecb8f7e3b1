//! External signals: recorded, and replayed in their order.

use std::sync::Mutex;

use review_flow::{
    Command, ContentStore, DriveError, Executed, Executor, Input, Machine, ManualClock,
    MemoryJournal, NextSignal, RunLog, Signal, Step, Stop, Turn, drive,
};
use serde_json::json;

use crate::support::{Fact, block_on, record, step, texts};

/// Waits for two signals, the first one while a step is open.
#[derive(Default)]
struct Waiting {
    came: Vec<String>,
}

impl Machine for Waiting {
    type Op = ();
    type Out = ();
    type Notice = Fact;
    type Done = Vec<String>;
    type Changes = ();

    fn next(&mut self, input: Input<(), ()>) -> Turn<Self> {
        let mut commands = Vec::new();
        match input {
            Input::Start { .. } => commands.push(Command::Do {
                step: step("open"),
                op: (),
            }),
            Input::Signal { name, value, .. } => {
                self.came.push(format!("{name} {value}"));
                if self.came.len() == 1 {
                    commands.push(Command::Cancel { step: step("open") });
                }
            }
            other => panic!("{other:?}"),
        }
        let is_done = self.came.len() == 2;
        Turn {
            notices: Vec::new(),
            commands,
            done: is_done.then(|| self.came.clone()),
        }
    }
}

/// Sends these signals, and ends no step.
struct Sender(Option<Mutex<Vec<Signal>>>);

impl Executor<Waiting> for Sender {
    async fn exec(&self, _: Step, (): (), _: &ContentStore) -> Result<Executed<()>, Stop> {
        std::future::pending().await
    }

    fn signal(&self) -> Option<NextSignal<'_>> {
        let signals = self.0.as_ref()?;
        Some(Box::pin(async {
            let next = signals.lock().unwrap().pop();
            match next {
                Some(signal) => signal,
                None => std::future::pending().await,
            }
        }))
    }
}

#[test]
fn signals_reach_the_machine_and_a_replay_repeats_them() {
    let signal = |name: &str| Signal {
        name: name.to_owned(),
        value: json!({"by": "ann"}),
    };
    let sent = Sender(Some(Mutex::new(vec![signal("approve"), signal("guide")])));
    let (texts, clock) = (texts(), ManualClock::default());
    let mut journal = MemoryJournal::default();
    let mut log = RunLog::create(&mut journal, &texts, record()).unwrap();
    let first = Input::Start { at: log.run().at };
    let came = block_on(drive(
        &mut Waiting::default(),
        &sent,
        &mut log,
        &clock,
        first.clone(),
    ));
    let came = came.unwrap();
    assert_eq!(came, [r#"guide {"by":"ann"}"#, r#"approve {"by":"ann"}"#]);
    let mut log = RunLog::open(&mut journal, &texts).unwrap();
    let silent = Sender(None);
    let replayed = block_on(drive(
        &mut Waiting::default(),
        &silent,
        &mut log,
        &clock,
        first,
    ));
    assert_eq!(replayed.unwrap(), came);
}

/// Requests nothing.
struct Idle;

impl Machine for Idle {
    type Op = ();
    type Out = ();
    type Notice = Fact;
    type Done = ();
    type Changes = ();

    fn next(&mut self, _: Input<(), ()>) -> Turn<Self> {
        Turn {
            notices: Vec::new(),
            commands: Vec::new(),
            done: None,
        }
    }
}

struct Nobody;

impl Executor<Idle> for Nobody {
    async fn exec(&self, _: Step, (): (), _: &ContentStore) -> Result<Executed<()>, Stop> {
        Ok(Executed::local(()))
    }
}

#[test]
fn a_machine_that_waits_for_nothing_is_an_error_and_does_not_hang() {
    let (texts, clock) = (texts(), ManualClock::default());
    let mut journal = MemoryJournal::default();
    let mut log = RunLog::create(&mut journal, &texts, record()).unwrap();
    let first = Input::Start { at: log.run().at };
    let stuck = block_on(drive(&mut Idle, &Nobody, &mut log, &clock, first));
    assert!(matches!(stuck, Err(DriveError::Stuck)));
}
