//! A cancelled step is dropped, and not started again by a resume.

use std::sync::atomic::{AtomicU32, Ordering};

use review_flow::{
    Command, ContentStore, Executed, Executor, Input, Machine, ManualClock, MemoryJournal, RunLog,
    Step, Stop, Turn, drive,
};

use crate::support::{Fact, block_on, record, step, texts};

/// Opens a race of two steps, cancels the slow one, and takes one more step.
struct Race;

impl Machine for Race {
    type Op = String;
    type Out = ();
    type Notice = Fact;
    type Done = ();
    type Changes = ();

    fn next(&mut self, input: Input<(), ()>) -> Turn<Self> {
        let start = |path: &str| Command::Do {
            step: step(path),
            op: path.to_owned(),
        };
        let (commands, done) = match input {
            Input::Start { .. } => (vec![start("slow"), start("fast")], None),
            Input::Finished { step: ended, .. } if ended == step("fast") => {
                let cancel = Command::Cancel { step: step("slow") };
                (vec![cancel, start("last")], None)
            }
            Input::Finished { step: ended, .. } if ended == step("last") => (Vec::new(), Some(())),
            other => panic!("{other:?}"),
        };
        Turn {
            notices: Vec::new(),
            commands,
            done,
        }
    }
}

/// The slow step never ends; the last one fails the first time.
#[derive(Default)]
struct Runners {
    slow_started: AtomicU32,
    slow_dropped: AtomicU32,
    broke: AtomicU32,
}

struct OnDrop<'a>(&'a AtomicU32);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Executor<Race> for Runners {
    async fn exec(&self, _: Step, op: String, _: &ContentStore) -> Result<Executed<()>, Stop> {
        match op.as_str() {
            "slow" => {
                self.slow_started.fetch_add(1, Ordering::SeqCst);
                let _dropped = OnDrop(&self.slow_dropped);
                std::future::pending().await
            }
            "last" if self.broke.fetch_add(1, Ordering::SeqCst) == 0 => {
                assert_eq!(self.slow_dropped.load(Ordering::SeqCst), 1);
                Err(Stop::Broken("once".to_owned()))
            }
            _ => Ok(Executed::local(())),
        }
    }
}

#[test]
fn a_cancelled_step_is_dropped_at_once_and_never_started_again() {
    let (texts, clock, runners) = (texts(), ManualClock::default(), Runners::default());
    let mut journal = MemoryJournal::default();
    let mut log = RunLog::create(&mut journal, &texts, record()).unwrap();
    let first = Input::Start { at: log.run().at };
    let broken = block_on(drive(&mut Race, &runners, &mut log, &clock, first.clone()));
    assert_eq!(broken.unwrap_err().to_string(), "once");
    let mut log = RunLog::open(&mut journal, &texts).unwrap();
    block_on(drive(&mut Race, &runners, &mut log, &clock, first)).unwrap();
    assert_eq!(runners.slow_started.load(Ordering::SeqCst), 1);
}
